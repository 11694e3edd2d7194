"""Owns how `NAME=VALUE` on the command line is read."""

from lazydap_core.errors import UsageError


def pair(text: str, flag: str, shape: str) -> tuple[str, str]:
    """Both halves; the value may hold more equals signs. Raises UsageError, which shows the `shape` that is wanted."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`{flag} {text}` is not a {shape} pair", argument=flag)
    return name, value
