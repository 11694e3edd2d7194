"""Owns how an answer of the daemon becomes the JSON that is printed; knows no format."""

from typing import Any, cast

import msgspec

Document = dict[str, Any]

_NEVER_PRINTED = ("stop", "features", "seq")
"""Additions made for editors; a script asks `stack` and `scopes`, which every daemon answers."""


def document(answer: msgspec.Struct) -> Document:
    """The answer's own keys and values, without what is never printed."""
    made = cast("Document", msgspec.to_builtins(answer))
    _strip(made)
    return made


def _strip(value: object) -> None:
    if isinstance(value, dict):
        parts = cast("Document", value)
        for key in _NEVER_PRINTED:
            parts.pop(key, None)
        for part in parts.values():
            _strip(part)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            _strip(part)


def documents(answers: tuple[msgspec.Struct, ...]) -> list[Document]:
    """The same of each."""
    return [document(answer) for answer in answers]


def seconds(milliseconds: int) -> str:
    """A time span for people."""
    total = milliseconds // 1000
    if total < 60:  # noqa: PLR2004  # seconds in a minute
        return f"{milliseconds / 1000:.1f} s"
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
