"""Owns the exit code of a command that Ctrl-C ended."""

from typing import Final

INTERRUPTED: Final = 130
"""What a shell gives for it."""
