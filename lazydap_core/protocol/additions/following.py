"""Owns the request of the feature `breakpoint_move`; its answer is `Breakpoints`."""

from lazydap_core.protocol.objects import U32, WireObject


class BreakpointPlace(WireObject, frozen=True, kw_only=True):
    """Where the breakpoint with this id belongs; absent `source` and `anchor` leave those as they are."""

    id: U32
    line: U32
    source: str | None = None
    anchor: str | None = None


class BreakpointMove(WireObject, frozen=True, kw_only=True):
    """Put breakpoints elsewhere, all of them at once, so that they may change places."""

    moves: tuple[BreakpointPlace, ...]
    dry_run: bool
