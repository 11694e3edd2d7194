"""Owns JSON as editors write it, with comments and trailing commas; does no I/O and knows no key.

Not a library's: what is dropped is replaced by blanks, so that the standard parser's line and column are those of the
file, and a second comma stays the mistake it is.
"""

import json
import re
from typing import Any, Final, NoReturn

_STRING: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENTS: Final = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/|(?P<open>/\*)", re.DOTALL)
_TRAILING_COMMAS: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_NOT_A_LINE_END: Final = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """The value that `text` holds; a byte order mark, comments and a comma before a closing bracket are ignored.

    Of equal keys in one object the last counts. Raises ValueError that tells line and column, both counted from 1.
    """
    try:
        return json.loads(_plain(text.removeprefix("\ufeff")), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("its brackets are nested too deeply") from error


def _plain(text: str) -> str:
    def without_comment(found: re.Match[str]) -> str:
        if found["open"]:
            raise json.JSONDecodeError("Comment is never closed", text, found.start())
        return found[0] if found[0].startswith('"') else _NOT_A_LINE_END.sub(" ", found[0])

    def without_comma(found: re.Match[str]) -> str:
        return " " if found[0] == "," else found[0]

    return _TRAILING_COMMAS.sub(without_comma, _COMMENTS.sub(without_comment, text))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
