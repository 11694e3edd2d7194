"""Owns the words for what is to be done after a change of the model; whoever applies it does it."""

from typing import Literal, NamedTuple

from lazydap_core.domain.words import StepKind
from lazydap_nvim.model import Known, Project, Queue, Session
from lazydap_nvim.verbs import Severity


class Jump(Known, frozen=True):
    """Effect: the cursor goes there, as the following editor's does at a stop or because the user asked."""

    path: str
    line: int
    reason: Literal["stop", "here", "frame"]


class StepAgain(Known, frozen=True):
    """Effect: the next of the steps that were ordered, and those to follow it."""

    kind: StepKind
    queue: Queue | None


class Ended(Known, frozen=True):
    """Effect: somebody should be told how this session ended."""

    session: Session


class Say(Known, frozen=True):
    """Effect: one line for the user."""

    text: str
    severity: Severity = "info"


Errand = Literal[
    "draw",  # what is drawn has changed
    "dwell",  # in a moment it has, unless the program stops before
    "list",  # the breakpoints are to be read again
    "stoppers",  # what stops the program beside lines is to be read again
    "status",  # the session is to be read again
    "text",  # the program stands in code without a file, which the adapter can show
    "frame",  # the daemon tells no details of stops: where the program stands is to be asked
]


Effect = Errand | Jump | StepAgain | Ended | Say


class Outcome(NamedTuple):
    """The project after a transition, and what is to be done about it."""

    project: Project
    effects: tuple[Effect, ...] = ()
