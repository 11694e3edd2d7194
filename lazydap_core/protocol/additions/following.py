"""Owns the request of the feature `breakpoint_move`; its answer is `Breakpoints`."""

from typing import Final

from lazydap_core.protocol.objects import U32, WireObject

NOT_IN_PROGRAM: Final = "not in the running program: it holds from the next launch"
"""What is told of a breakpoint whose line the text of the running program does not have."""


class BreakpointPlace(WireObject, frozen=True, kw_only=True):
    """Where the breakpoint with this id belongs; absent `source` and `anchor` leave those as they are.

    `program_line` is the feature of that name, as in `BreakpointAdd`.
    """

    id: U32
    line: U32
    source: str | None = None
    anchor: str | None = None
    program_line: U32 | None = None


class BreakpointMove(WireObject, frozen=True, kw_only=True):
    """Put breakpoints elsewhere, all of them at once, so that they may change places."""

    moves: tuple[BreakpointPlace, ...]
    dry_run: bool
