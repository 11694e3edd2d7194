"""Owns the breakpoint and the watch as the project remembers them; knows no session and no file format."""

import msgspec


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


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """One watched expression of a project: the exact text is its identity."""

    id: int
    expression: str
    label: str | None = None
