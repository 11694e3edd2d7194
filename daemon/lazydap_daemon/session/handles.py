"""Owns the numbers that clients see for frames and variables; each is minted once and good for one stop."""

from typing import Literal
from uuid import UUID

from lazydap_core.errors import BadRequest, StaleHandle

HandleKind = Literal["frame id", "variables reference", "goto target", "step-in target", "source reference"]

_HANDED_OUT_BY: dict[HandleKind, str] = {
    "frame id": "StackTrace (lazydap stack)",
    "goto target": "GotoTargets",
    "source reference": "a frame whose source has one (lazydap stack)",
    "step-in target": "StepInTargets (lazydap step-in --targets)",
    "variables reference": "Scopes, Variables or Eval (lazydap scopes)",
}


class Handles:
    """Mints handles from one counter that starts at 1 and never goes back.

    The same adapter number asked for twice at one stop gives the same handle. `forget` ends the life of all handles of
    a session: asked for again, they are stale.
    """

    def __init__(self) -> None:
        self._next = 1
        self._by_number: dict[tuple[HandleKind, UUID, int], int] = {}
        self._by_handle: dict[int, tuple[HandleKind, UUID, int]] = {}

    def mint(self, kind: HandleKind, session_id: UUID, adapter_number: int) -> int:
        """The handle for an adapter's number; a variables reference of 0 (nothing to expand) stays 0."""
        if kind == "variables reference" and adapter_number == 0:
            return 0
        key = (kind, session_id, adapter_number)
        handle = self._by_number.get(key)
        if handle is None:
            handle = self._next
            self._next += 1
            self._by_number[key] = handle
            self._by_handle[handle] = key
        return handle

    def adapter_number(self, kind: HandleKind, session_id: UUID, handle: int) -> int:
        """The adapter's number behind a handle of the present stop.

        Raises StaleHandle for one of an earlier stop or session, BadRequest for one that was never handed out.
        """
        known = self._by_handle.get(handle)
        if known is not None and known[0] == kind and known[1] == session_id:
            return known[2]
        if known is None and 0 < handle < self._next:
            raise StaleHandle(
                f"{kind} {handle} belongs to an earlier stop: ask for it again",
                handle=handle,
                kind=kind,
                stale=True,
            )
        raise BadRequest(
            f"{kind} {handle} was never handed out: take one from {_HANDED_OUT_BY[kind]}",
            handle=handle,
            kind=kind,
            stale=False,
        )

    def forget(self) -> None:
        """End the life of every handle given out so far."""
        self._by_number.clear()
        self._by_handle.clear()
