"""Owns what is known of a project without a daemon: the words of its file, told as a daemon would."""

from typing import NamedTuple

from lazydap_core.protocol.additions.exceptions import ExceptionFilter
from lazydap_core.protocol.additions.named import FunctionBreakpointStatus
from lazydap_core.protocol.objects import BreakpointStatus
from lazydap_core.protocol.statuses import status_of
from lazydap_core.state_file import ProjectState


class Kept(NamedTuple):
    """What a project's file keeps, in the words of a daemon; of a filter only what was chosen is known."""

    breakpoints: tuple[BreakpointStatus, ...]
    functions: tuple[FunctionBreakpointStatus, ...]
    filters: tuple[ExceptionFilter, ...]


def kept(state: ProjectState) -> Kept:
    """What the file holds, as a daemon that has just read it would tell it."""
    breakpoints = tuple(status_of(one) for one in state.breakpoints)
    functions = tuple(
        FunctionBreakpointStatus(
            id=one.id,
            name=one.name,
            condition=one.condition,
            hit_condition=one.hit_condition,
            enabled=one.enabled,
            verified=False,
        )
        for one in state.function_breakpoints
    )
    filters = tuple(
        ExceptionFilter(
            adapter=one.adapter,
            filter=one.filter,
            label=one.filter,
            default=False,
            enabled=one.enabled,
            chosen=True,
            condition=one.condition,
            supports_condition=True,
        )
        for one in state.exception_filters
    )
    return Kept(breakpoints, functions, filters)
