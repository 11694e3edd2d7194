"""Owns how a breakpoint that a project keeps is told, with what an adapter thinks of it where there is one."""

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.protocol.objects import BreakpointStatus


def status_of(
    kept: Breakpoint, *, verified: bool = False, adapter_line: int | None = None, message: str | None = None
) -> BreakpointStatus:
    """The breakpoint as the daemon tells it; without an adapter's opinion it is unverified."""
    return BreakpointStatus(
        id=kept.id,
        source=kept.source,
        line=kept.line,
        column=kept.column,
        condition=kept.condition,
        hit_condition=kept.hit_condition,
        log_message=kept.log_message,
        enabled=kept.enabled,
        verified=verified,
        adapter_line=adapter_line,
        message=message,
        anchor=kept.anchor,
    )
