"""Owns the life of a session as a table: which state follows which event; knows no adapter and no clock."""

from typing import Final, Literal

from lazydap_core.domain.words import LIVE_STATES, SessionState

StateEvent = Literal[
    "resumed",  # a movement of ours is about to be sent
    "continued",  # the adapter says the program runs
    "stopped",  # the adapter says the program stands
    "refused",  # the adapter refused the movement that had set `running`
    "exited",  # first ending, exit code known
    "terminated",  # first ending, no exit code
    "adapter_died",  # first ending, the adapter's stream broke
]

_LIVE: Final[dict[StateEvent, SessionState]] = {
    "resumed": "running",
    "continued": "running",
    "stopped": "paused",
    "refused": "paused",
    "exited": "exited",
    "terminated": "terminated",
    "adapter_died": "adapter_died",
}


def following(state: SessionState, event: StateEvent) -> SessionState:
    """The state after `event`; a finished session stays as it is."""
    return _LIVE[event] if state in LIVE_STATES else state


def is_live(state: SessionState) -> bool:
    """Whether the program can still move."""
    return state in LIVE_STATES
