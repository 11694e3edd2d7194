"""Owns taking the text of a log point apart; knows no adapter."""

from collections.abc import Iterator


class UnclosedBraceError(ValueError):
    """A brace that is never closed; `rest` is the text from it on."""

    def __init__(self, rest: str) -> None:
        super().__init__(rest)
        self.rest = rest


def parts(text: str) -> Iterator[tuple[str, str | None]]:
    """Literal text, each with the expression in braces behind it, None at the end; braces count, also in strings.

    Raises UnclosedBraceError, when all that is before that brace has been given.
    """
    start = 0
    while (opened := text.find("{", start)) >= 0:
        depth, end = 1, opened + 1
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if depth:
            yield text[start:opened], None
            raise UnclosedBraceError(text[opened:])
        yield text[start:opened], text[opened + 1 : end - 1]
        start = end
    yield text[start:], None
