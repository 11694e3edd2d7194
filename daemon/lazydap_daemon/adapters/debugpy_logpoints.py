"""Owns how debugpy is given the text of a log point; knows nothing of sessions (doc/adapters.md, "debugpy").

debugpy makes one Python expression of text and values, `'seen %s' % (value,)`, and prints in its place whatever that
raises. So one name that is not there costs the whole line, and so does a bare `%` in the text.
"""

from typing import Final

from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.log_texts import UnclosedBraceError, parts

# Braces would be taken for an expression; it must run on the oldest Python that is debugged.
_SHOWN: Final = """\
def shown(text, names, own):
    try:
        return eval(text, names, own)
    except Exception as error:
        return '<%s: %s>' % (type(error).__name__, error)
"""
_SHOW: Final = f"(lambda made: exec({_SHOWN!r}, made) or made['shown'])(dict())"


def forgiving(text: str) -> str:
    """`text` with the error in place of each expression that fails. Raises Unsupported for a brace left open."""
    try:
        told = list(parts(text))
    except UnclosedBraceError as unclosed:
        raise Unsupported(f"the log text is not used: a brace in {unclosed.rest!r} is not closed") from None
    if not any(expression and expression.strip() for _, expression in told):
        return text
    return "".join(literal.replace("%", "%%") + _trying((expression or "").strip()) for literal, expression in told)


def _trying(expression: str) -> str:
    return f"{{{_SHOW}({expression!r}, globals(), locals())}}" if expression else ""
