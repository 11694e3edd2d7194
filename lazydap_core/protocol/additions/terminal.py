"""Owns the messages of the feature `terminal`; bytes travel as base64 (doc/protocol.md, "terminal")."""

from typing import Annotated

from msgspec import Meta

from lazydap_core.protocol.objects import U32, U64, Cells, SessionId, WireObject, check_u64

MAX_INPUT = 65536
"""Bytes that can be typed at once."""

Typed = Annotated[bytes, Meta(max_length=MAX_INPUT)]


class TerminalRead(WireObject, frozen=True, kw_only=True):
    """What the terminal has shown, from the byte with the number `after_seq` on; absent: all that is kept."""

    session_id: SessionId
    after_seq: U64 | None = None

    def __post_init__(self) -> None:
        check_u64(self.after_seq)


class TerminalWrite(WireObject, frozen=True, kw_only=True):
    """Types into the terminal, all of it or nothing."""

    session_id: SessionId
    data: Typed


class TerminalResize(WireObject, frozen=True, kw_only=True):
    """Sets the size for everybody who looks; the program is told also where it stays the same."""

    session_id: SessionId
    columns: Cells
    rows: Cells


class TerminalShown(WireObject, frozen=True, kw_only=True):
    """`seq` is the number of the first byte of `data`, `dropped` how many of those asked for are lost."""

    session_id: SessionId
    seq: U64
    data: bytes
    dropped: U64
    columns: U32
    rows: U32
    is_open: bool

    def __post_init__(self) -> None:
        check_u64(self.seq)
        check_u64(self.dropped)


class Terminal(WireObject, frozen=True, kw_only=True):
    """The event: `data` is what the terminal has shown, beginning with byte `seq`; empty where its size changed."""

    session_id: SessionId
    seq: U64
    data: bytes
    columns: U32
    rows: U32

    def __post_init__(self) -> None:
        check_u64(self.seq)
