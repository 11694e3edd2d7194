"""Owns what one host remembers of the panes: which can be seen, and the tree behind each; asks nobody."""

from collections.abc import Callable, Mapping

import anyio

from lazydap_core.protocol.objects import SessionId
from lazydap_nvim.model import Known, Pane, Project, Session, Values, chosen_frame, standing_frame
from lazydap_nvim.trees import Tree


class Standing(Known, frozen=True):
    """One place of a stopped program: what was asked there is worth nothing at another."""

    root: str
    session: SessionId
    stop: int
    thread: int | None
    frame: int


def standing(project: Project) -> Standing | None:
    """Where the project's program is looked at, None while it does not stand."""
    session = project.live
    if session is None or session.state != "paused" or session.stop is None or session.stop.frame is None:
        return None
    return Standing(project.root, session.id, session.seen, session.thread, session.chosen)


def is_still(project: Project, at: Standing) -> bool:
    """Whether the program is looked at where it was."""
    return standing(project) == at


class Looks:
    """The panes of one editor.

    `shown` has the last line that can be seen of each that is in sight, `trees` what their lines were made of, `at`
    where the program stood then. `follow` is told of every change of a project once a pane has been opened: until then
    there is nothing to tell, and nothing is spent on it. `values` are the
    inline values last told of, `openings` counts how often the output came into sight. `printed` is set when the editor
    has written what was sent of the output, `output_news` when there may be more to send.
    `listed` is the session of each project for which the list of breakpoints was last asked.
    """

    def __init__(self) -> None:
        self.follow: Callable[[Project], None] | None = None
        self.shown: dict[str, int] = {}
        self.trees: dict[str, Tree] = {}
        self.at: dict[str, Standing | None] = {}
        self.busy: dict[str, bool] = {}
        self.listed: dict[str, str | None] = {}
        self.values: Values | None = None
        self.openings = 0
        self.printed = anyio.Event()
        self.output_news = anyio.Event()


def with_pane(panes: Mapping[str, Pane], name: str, pane: Pane | None) -> Mapping[str, Pane]:
    """The panes with that one in its place, or without it."""
    others = {key: value for key, value in panes.items() if key != name}
    return others if pane is None else {**others, name: pane}


def looked_at_frame(session: Session) -> int | None:
    """The id of the frame that values are asked for: the chosen one, else the one the program is drawn at."""
    frame = chosen_frame(session)
    if frame is None and session.stop is not None:
        frame = standing_frame(session.stop)
    return None if frame is None else frame.id
