"""Owns the blocks of .vscode files that hold for one system only."""

import sys
from typing import Any, cast


def for_this_system(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys of an entry with those of its `linux` or `osx` block, whichever system this is, over its own."""
    block = keys.get("osx" if sys.platform == "darwin" else "linux")
    return {**keys, **cast("dict[str, Any]", block)} if isinstance(block, dict) else keys
