"""Owns who gives the command that is being carried out; knows no connection."""

from contextvars import ContextVar
from typing import Final

ACTING: Final[ContextVar[str | None]] = ContextVar("acting", default=None)
"""What the client calls itself whose request this task answers; None where it has no name, or nobody asked."""
