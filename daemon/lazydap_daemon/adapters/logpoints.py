"""Owns which text of a log point codelldb survives; knows nothing else of it.

An expression in braces that its parser for "simple" expressions refuses ends the adapter, and the program with it, as
soon as the line is reached (doc/adapters.md, "Log points"). What that parser surely reads is sent as it is. What only
LLDB itself may read is marked as such: LLDB's parser prints its complaint into the log. The rest is refused.
"""

import ast
import re
from typing import Final

from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.log_texts import UnclosedBraceError, parts

MAX_EXPRESSION: Final = 400
"""Characters of an expression; more than anybody writes, less than any parser's depth."""

_FORMATTED: Final = re.compile(r"(?P<expression>.*?)(?:,(?:[xd](?:\[\d+\])?|\[\d+\]))?", re.DOTALL)
_TOKEN: Final = re.compile(
    r" *(?:(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)|(?P<number>[0-9]+)(?![A-Za-z_$.])|(?P<sign>==|!=|<=|>=|[-+*/<>.\[\]]))"
)
_TORN: Final = re.compile(r" [.\[\]]|[.\[] |(?:^|[-+*/=<>\[]) *\* ")
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
_BINARY: Final = _COMPARISONS | {"+", "-", "*", "/"}
_PREFIX: Final = re.compile(r"/(\w+)(?:\s+|$)")
_PYTHON_NAME: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_PAIRS: Final = {")": "(", "]": "["}
_CUT_OFF: Final = re.compile(r".*[-+*/%=<>&|^!~.,:?]", re.DOTALL)


def harmless(text: str) -> str:
    """`text` as it may be sent. Raises Unsupported, naming the part that would end the adapter."""
    told: list[str] = []
    try:
        for literal, expression in parts(text):
            told.append(literal)
            if expression is not None:
                told.append("{" + _harmless(expression) + "}")
    except UnclosedBraceError as unclosed:
        if "}" in unclosed.rest:
            raise _refused(unclosed.rest[1:], "a brace in it is not closed") from None
        told.append(unclosed.rest)
    return "".join(told)


def _harmless(expression: str) -> str:
    bare = expression.strip()
    if not bare:
        raise _refused(expression, "there is nothing in it")
    if len(bare) > MAX_EXPRESSION:
        raise _refused(f"{bare[:20]}…", f"it is longer than {MAX_EXPRESSION} characters")
    if (prefix := _PREFIX.match(bare)) is not None:
        rest = bare[prefix.end() :].strip()
        match prefix[1]:
            case "nat" if rest:
                return bare
            case "py" if rest and _is_python(rest):
                return bare
            case "se" if _is_simple(rest):
                return bare
            case _:
                raise _refused(expression, "it cannot be read")
    if _is_simple(bare):
        return bare
    if "{" in bare or "}" in bare:
        raise _refused(expression, "it has braces within its braces")
    if not _is_balanced(bare) or _CUT_OFF.fullmatch(bare):
        raise _refused(expression, "it is not complete")
    return f"/nat {bare}"


def _refused(expression: str, reason: str) -> Unsupported:
    return Unsupported(f"the log text is not used, it would end the debugger: correct {{{expression}}}, {reason}")


def _is_simple(expression: str) -> bool:
    """Names, members, indices, numbers, `*` before and arithmetic between them, one comparison, and a format."""
    formatted = _FORMATTED.fullmatch(expression)
    bare = formatted["expression"] if formatted else expression
    tokens = [] if _TORN.search(bare) else _tokens(bare)
    if not tokens or sum(token in _COMPARISONS for token in tokens) > 1:
        return False
    return _after_sum(tokens, 0) == len(tokens)


def _tokens(text: str) -> list[str]:
    """What kind each token is: a name, a number, or the sign itself; none where anything is no token."""
    tokens: list[str] = []
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return []
        tokens.append(token["sign"] or token.lastgroup or "")
        position = token.end()
    return tokens


def _after_sum(tokens: list[str], start: int) -> int:
    """Where the expression that begins at `start` ends; -1 where there is none."""
    end = _after_operand(tokens, start)
    while 0 <= end < len(tokens) and tokens[end] in _BINARY:
        end = _after_operand(tokens, end + 1)
    return end


def _after_operand(tokens: list[str], start: int) -> int:
    while tokens[start : start + 1] == ["*"]:
        start += 1
    if tokens[start : start + 1] not in (["name"], ["number"]):
        return -1
    is_name, end = tokens[start] == "name", start + 1
    while is_name and end < len(tokens) and tokens[end] in {".", "["}:
        if tokens[end] == ".":
            end = end + 2 if tokens[end + 1 : end + 2] in (["name"], ["number"]) else -1
        else:
            end = _after_sum(tokens, end + 1)
            end = end + 1 if tokens[end : end + 1] == ["]"] else -1
        if end < 0:
            return -1
    return end


def _is_python(text: str) -> bool:
    try:
        ast.parse(_PYTHON_NAME.sub(r"\1\2", text), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _is_balanced(text: str) -> bool:
    """Whether every bracket and quote is closed."""
    opened: list[str] = []
    quote = ""
    for position, character in enumerate(text):
        if quote:
            if character == quote and text[position - 1] != "\\":
                quote = ""
        elif character in "\"'":
            quote = character
        elif character in "([":
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            return False
    return not opened and not quote
