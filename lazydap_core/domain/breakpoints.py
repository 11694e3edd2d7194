"""Owns breakpoints, filters and watches as the project remembers them; knows no session and no file format."""

from typing import Annotated

import msgspec
from msgspec import Meta

from lazydap_core.domain.words import DataAccess

Number = Annotated[int, Meta(ge=0, le=2**32 - 1)]


class Breakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One breakpoint of a project: `id` is never reused, (`source`, `line`) is its identity (doc/protocol.md).

    `anchor` is the text around the line, by which it is found again in a file that has changed.
    """

    id: int
    source: str
    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None
    enabled: bool = True
    anchor: str | None = None


class NamedBreakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A breakpoint that is at no line: `id` is of the breakpoints' counter, `name` is its identity in its list."""

    id: Number
    name: str
    condition: str | None = None
    hit_condition: str | None = None
    enabled: bool = True


class FunctionBreakpoint(NamedBreakpoint, frozen=True, kw_only=True):
    """One breakpoint at the entry of the function `name`."""


class DataBreakpoint(NamedBreakpoint, frozen=True, kw_only=True):
    """One breakpoint at a change, or a reading, of what the adapter calls `data_id`; good for one session."""

    access: DataAccess
    data_id: str
    description: str | None = None


class FilterChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What a project has chosen for one exception filter of one adapter program."""

    adapter: str
    filter: str
    enabled: bool = True
    condition: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Its identity."""
        return self.adapter, self.filter


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """One watched expression of a project: the exact text is its identity."""

    id: int
    expression: str
    label: str | None = None
