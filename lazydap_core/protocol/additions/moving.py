"""Owns the messages of the features `await_stop`, `run_to`, `goto` and `step_in_targets`."""

from lazydap_core.protocol.objects import I64, NULL, U32, SessionId, WaitMode, WireObject


class AwaitStop(WireObject, frozen=True, kw_only=True):
    """Feature `await_stop`: wait without moving anything; null is 30 s, 0 is no limit (milliseconds)."""

    session_id: SessionId
    timeout_ms: U32 | None = NULL


class RunTo(WireObject, frozen=True, kw_only=True):
    """Feature `run_to`: continue, and stop at that line whatever else stands there."""

    session_id: SessionId
    thread_id: I64 | None = NULL
    source: str
    line: U32
    wait: WaitMode


class GotoTargets(WireObject, frozen=True, kw_only=True):
    """Feature `goto`: the places of a line that a thread can be put to."""

    session_id: SessionId
    source: str
    line: U32


class GotoTarget(WireObject, frozen=True, kw_only=True):
    """One place; `id` is good for this stop."""

    id: I64
    label: str
    line: U32
    column: U32 | None = None


class GotoTargetList(WireObject, frozen=True, kw_only=True):
    """In the adapter's order, at least one."""

    targets: tuple[GotoTarget, ...]


class Goto(WireObject, frozen=True, kw_only=True):
    """Feature `goto`: the next line that a thread executes is that one; nothing between is executed."""

    session_id: SessionId
    thread_id: I64 | None = NULL
    source: str
    line: U32
    target_id: I64 | None = NULL
    wait: WaitMode


class StepInTargets(WireObject, frozen=True, kw_only=True):
    """Feature `step_in_targets`: the calls of the line at which a frame stands."""

    session_id: SessionId
    frame_id: I64 | None = NULL


class StepInTarget(WireObject, frozen=True, kw_only=True):
    """One call; `id` is good for this stop."""

    id: I64
    label: str


class StepInTargetList(WireObject, frozen=True, kw_only=True):
    """In the adapter's order; none where the line calls nothing."""

    targets: tuple[StepInTarget, ...]
