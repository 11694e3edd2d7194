"""Owns the model, its links and errands to them; knows what has to be done, not what verbs mean."""

import itertools
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import anyio
from msgspec.structs import replace

from lazydap_core.client.streaming import Pending
from lazydap_core.domain.words import StepKind
from lazydap_core.errors import LazydapError
from lazydap_core.paths import places
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.additions.following import BreakpointPlace
from lazydap_core.protocol.objects import BreakpointStatus, StackFrame
from lazydap_nvim import inspection, model
from lazydap_nvim.editor import Clock, Editor, Timer
from lazydap_nvim.explain import lost_line, met_line
from lazydap_nvim.jobs import Jobs
from lazydap_nvim.kept import Kept
from lazydap_nvim.link import Link
from lazydap_nvim.looks import Looks
from lazydap_nvim.model import Model, Project, Queue, Stoppers, text_reference
from lazydap_nvim.orders import Launches
from lazydap_nvim.questions import Questions
from lazydap_nvim.targets import commanded, root_finder
from lazydap_nvim.transitions import effects, ordered, points, stops, told
from lazydap_nvim.transitions.effects import Outcome
from lazydap_nvim.verbs import Where
from lazydap_nvim.view import unbound_words

log = logging.getLogger("lazydap.host")

MOST_LINKS: Final = 32
"""Projects that are watched because a file of theirs was opened; a command opens a link whatever their number."""
DWELL: Final = 0.08
"""Seconds that a stop stays drawn while the program runs on: most steps are over by then."""
STATUS_TRIES: Final = 5
JUST_NOW: Final = 3.0
"""Seconds in which a complaint that nobody asked for is not made again."""


Reading = Literal["list", "stoppers"]


class Host:
    """What one editor knows of its projects, and the tasks that keep it true.

    Everything that is no coroutine returns at once and may be called from the editor's notifications as well as from
    the tasks of `jobs`.
    """

    def __init__(self, editor: Editor, clock: Clock, environ: Mapping[str, str]) -> None:
        self.editor = editor
        self.clock = clock
        self.jobs = Jobs(editor, clock)
        self.environ = environ
        self.model = Model()
        self.called: str | None = None
        self.root_of = root_finder(environ)
        self.tokens = itertools.count(1)
        self.launches = Launches()
        self.questions = Questions(editor, self.tokens)
        self.unsaid: dict[str, dict[int, BreakpointPlace]] = {}
        self.looks = Looks()
        self._links: dict[str, Link] = {}
        self._dwelling: dict[str, Timer] = {}
        self._reading: dict[tuple[str, Reading], bool] = {}
        self._edits: dict[str, anyio.Lock] = {}
        self._unmet: set[str] = set()
        self._moving: set[str] = set()
        self._told: set[str] = set()
        self._epoch = 0
        self.moved_at = 0.0

    # --- links

    def link_to(self, start: str) -> Link:
        """The link of the project that the folder `start` lies in; made, without waiting for it, where it lacks.

        Raises DaemonUnreachable when the project's folders cannot be used.
        """
        found = places(Path(start), environ=self.environ)
        root = str(found.root)
        link = self._links.get(root)
        if link is None:
            link = self._links[root] = Link(found, self.environ, self)
            if root not in self.model.projects:
                self.model = self.model.with_project(Project(root=root, log=str(found.log)))
            self.jobs.post("the link", self._keep_up, link)
        return link

    async def acquainted(
        self, where: Where, *, is_moving: bool = False, is_file_enough: bool = False
    ) -> Project | None:
        """The project a command given at `where` is for, once it is known whether a daemon answers for it.

        `is_moving`: the command moves the program, so where it stands by then is not worth telling. Unless what the
        project's file says `is_file_enough`, raises why a daemon that is there cannot be used.
        """
        root = self.root_of(where.file) or self.root_of(where.cwd)
        if root is not None:
            if is_moving:
                self._moving.add(root)
            try:
                link = self.link_to(root)
                await link.settled()
            finally:
                self._moving.discard(root)
            if link.refusal is not None and not is_file_enough:
                raise link.refusal
        return commanded(self.model, where, self.root_of)

    def watch(self, root: str) -> None:
        """Open a link to a project because one of its files was opened; not for ever more of them."""
        if root in self._links or len(self._links) >= MOST_LINKS:
            return
        try:
            self.link_to(root)
        except LazydapError as error:
            # Nobody asked for anything: once is enough.
            if error.message not in self._told:
                self._told.add(error.message)
                raise

    async def _keep_up(self, link: Link) -> None:
        try:
            await link.run()
        finally:
            # Whatever ended it, the next command makes a new one.
            self._links.pop(link.root, None)

    def linked(
        self,
        link: Link,
        features: frozenset[str],
        status: responses.Status,
        breakpoints: tuple[BreakpointStatus, ...],
    ) -> None:
        """The link's listener: a daemon answers."""
        with self.jobs.containing("the link"):
            self._epoch += 1
            self._unmet.add(link.root)
            self.apply(told.connected(self.model.projects[link.root], features, status, breakpoints, time.time()))
            self._meet(link.root)

    def unlinked(self, link: Link, kept: Kept | None, *, was_linked: bool) -> None:
        """The link's listener: no daemon answers."""
        with self.jobs.containing("the link"):
            self._epoch += 1
            self._unmet.discard(link.root)
            project = self.model.projects[link.root]
            if was_linked:
                self.editor.say(*lost_line(project))
            if kept is None:
                self.apply(told.lost(project, project.breakpoints, project.stoppers))
            else:
                stoppers = Stoppers(functions=kept.functions, filters=kept.filters)
                self.apply(told.lost(project, kept.breakpoints, stoppers))

    def heard(self, link: Link, event: events.Event) -> None:
        """The link's listener: an event."""
        with self.jobs.containing("an event"):
            self._epoch += 1
            self.apply(told.heard(self.model.projects[link.root], event, self.called))
            if self._unmet:
                self._meet(link.root)

    def missed(self, link: Link) -> None:
        """The link's listener: events were lost."""
        self._want_status(link.root)
        self.want(link.root, "list")
        self.want(link.root, "stoppers")

    def refused(self, link: Link, error: LazydapError) -> None:
        """The link's listener: a daemon or file that cannot be used."""
        log.warning("%s: %s", link.root, error)
        # The command that has met it first has said so just now.
        self.jobs.complain(error, self.clock.time() - JUST_NOW)

    def _meet(self, root: str) -> None:
        """Say once that a program was live before this editor came."""
        project = self.model.projects[root]
        if root not in self._unmet:
            return
        if project.live is None or project.is_following or root in self._moving:
            self._unmet.discard(root)
        elif line := met_line(project):
            self._unmet.discard(root)
            self.editor.say(line)

    # --- the model

    def project(self, root: str) -> Project:
        """The project with that root, which has a link."""
        return self.model.projects[root]

    def apply(self, outcome: Outcome) -> None:
        """Take a transition over and do what follows from it."""
        project = outcome.project
        before = self.model.projects.get(project.root)
        self.model = self.model.with_project(project)
        if stops.has_stopped_anew(before, project):
            self.model = replace(self.model, last=project.root)
        for effect in outcome.effects:
            self._effect(project.root, effect)
        if self.looks.follow is not None:
            self.looks.follow(project)
        if "draw" in outcome.effects:
            self.draw()

    def _effect(self, root: str, effect: effects.Effect) -> None:
        match effect:
            case "draw":
                pass
            case "dwell":
                self._dwell(root)
            case "list" | "stoppers":
                self.want(root, effect)
            case "status":
                self._want_status(root)
            case "frame" | "text":
                work = self._read_frame if effect == "frame" else self._show_text
                self.jobs.post("the stop", work, root, is_quiet=True)
            case effects.Jump():
                self.jump(effect)
            case effects.StepAgain():
                self.step(root, effect.kind, effect.queue)
            case effects.Ended():
                self.jobs.post("the ending", self._tell_ending, root, effect.session)
            case effects.Say():
                self.editor.say(effect.text, effect.severity)

    def jump(self, to: effects.Jump) -> None:
        """Have the cursor go there with the next batch."""
        jump = model.Jump(token=next(self.tokens), path=to.path, line=to.line, reason=to.reason)
        self.model = replace(self.model, jump=jump)

    def draw(self) -> None:
        """Bring the editor to the model as it is now."""
        self.editor.show(self.model)

    def _dwell(self, root: str) -> None:
        if timer := self._dwelling.pop(root, None):
            timer.cancel()
        self._dwelling[root] = self.clock.call_later(DWELL, lambda: self._dwelt(root))

    def _dwelt(self, root: str) -> None:
        with self.jobs.containing("drawing"):
            self._dwelling.pop(root, None)
            self.apply(stops.dwelt(self.model.projects[root]))

    # --- movements

    def step(self, root: str, kind: StepKind, queue: Queue | None) -> None:
        """Send one step; `queue` are those to follow it."""
        session = self.model.projects[root].live
        if session is not None:
            self.move(
                root,
                requests.Step(session_id=session.id, thread_id=session.thread, kind=kind, wait=objects.NoWait()),
                queue,
            )

    def move(self, root: str, request: requests.MoveRequest, queue: Queue | None = None) -> None:
        """Send a movement, on the connection where nothing waits."""
        with self.jobs.containing("the movement"):
            link = self._links.get(root) or self.link_to(root)
            # Written before anything else is done: the program moves while we account for it.
            pending = link.post_movement(request)
            token = next(self.tokens)
            self._epoch += 1
            self.moved_at = self.clock.time()
            self.model = replace(self.model, last=root)
            self.jobs.post("the movement", self._carry, link, pending, token)
            self.apply(ordered.set_moving(self.model.projects[root], token, queue))

    async def _carry(self, link: Link, pending: Pending, token: int) -> None:
        root = link.root
        try:
            await link.moved(pending)
        except LazydapError:
            self.apply(ordered.move_refused(self.model.projects[root], token))
            raise

    # --- errands

    def edits(self, root: str) -> anyio.Lock:
        """The lock under which a project's breakpoints are changed, first come, first served."""
        return self._edits.setdefault(root, anyio.Lock())

    def want(self, root: str, what: Reading) -> None:
        """Have breakpoints read again, those on lines or what else stops; once more where that is being done."""
        if (root, what) in self._reading:
            self._reading[root, what] = True
        else:
            self._reading[root, what] = False
            self.jobs.post("the breakpoints", self._read_until_still, root, what, is_quiet=True)

    async def _read_until_still(self, root: str, what: Reading) -> None:
        try:
            is_wanted = True
            while is_wanted:
                self._reading[root, what] = False
                await (self._read_list(root) if what == "list" else self.read_stoppers(root))
                is_wanted = self._reading[root, what]
        finally:
            del self._reading[root, what]

    async def _read_list(self, root: str) -> None:
        answer = await self._links[root].ask(requests.BreakpointList(), responses.Breakpoints)
        self.apply(points.listed(self.model.projects[root], answer.breakpoints))

    async def read_stoppers(self, root: str) -> None:
        """Read what stops a project's program beside lines. Raises LazydapError."""
        told = await inspection.stoppers(self._links[root], self.model.projects[root].features)
        self.apply(points.stoppers_told(self.model.projects[root], told))

    def _want_status(self, root: str) -> None:
        self.jobs.post("the status", self._read_status, root, is_quiet=True)

    async def _read_status(self, root: str) -> None:
        for _ in range(STATUS_TRIES):
            epoch = self._epoch
            status = await self._links[root].ask(requests.Status(), responses.Status)
            # The answer came on another connection than the events: one that crossed it may be the newer word.
            if epoch == self._epoch:
                self.apply(told.snapshot(self.model.projects[root], status, time.time()))
                return

    async def _read_frame(self, root: str) -> None:
        session = self.model.projects[root].live
        if session is None or session.stop is None:
            return
        async for stop in inspection.details(self._links[root], session.id, session.stop):
            now = self.model.projects[root].live
            if now is None or now.id != session.id or now.seen != stop.generation or now.state != "paused":
                return
            self.apply(stops.stop_told(self.model.projects[root], stop))
            self._meet(root)

    async def read_text(self, root: str, frame: StackFrame) -> bool:
        """Read the code of a frame that has no file; whether there is any, and the program still stands there."""
        session = self.model.projects[root].live
        if session is None or text_reference(frame) is None or stops.SOURCE not in self.model.projects[root].features:
            return False
        try:
            text = await inspection.text_of(self._links[root], session, frame)
        except LazydapError as error:
            log.info("the code of %s: %s", frame.name, error)
            return False
        self.apply(stops.text_told(self.model.projects[root], session.seen, text))
        now = self.model.projects[root].live
        return now is not None and text in now.texts

    async def _show_text(self, root: str) -> None:
        session = self.model.projects[root].live
        frame = None if session is None or session.stop is None else model.standing_frame(session.stop)
        if frame is None or model.place(frame) is not None:
            return
        if not await self.read_text(root, frame):
            self.editor.say(stops.sourceless(frame))
            return
        now = self.model.projects[root]
        where = None if now.live is None or now.live.stop is None else model.place(model.standing_frame(now.live.stop))
        if where is not None and now.is_following:
            self.jump(effects.Jump(*where, "stop"))
            self.draw()

    async def _tell_ending(self, root: str, session: model.Session) -> None:
        if session.is_answered and session.state != "adapter_died":
            return
        line, is_well = await inspection.ending(self._links.get(root), session)
        is_cut_short = session.is_ending or session.state == "adapter_died"
        passed_over = None if is_cut_short else unbound_words(self.model.projects[root])
        if passed_over is not None:
            # It stood behind the line only as long as the program lived.
            line, is_well = f"{line}; {passed_over}", False
        self.editor.say(line, "info" if is_well else "warn")
