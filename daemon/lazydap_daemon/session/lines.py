"""Owns the breakpoints on lines: changing the project's list, and carrying each change to the session."""

from collections.abc import Callable, Iterable, Mapping

from lazydap_core.domain.anchors import is_of_one_line
from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.additions.following import BreakpointPlace
from lazydap_core.protocol.statuses import status_of
from lazydap_daemon.session.kept import kept
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.session.sense import check_line, check_source
from lazydap_daemon.store.project import Change, ProjectStore


class Lines:
    """Answers every request about the project's breakpoints on lines.

    Their lines are those of the text of now. Where the running program was made of an older text, the session's book
    knows where in that they are (doc/protocol.md, "program_line").
    """

    def __init__(
        self,
        project: ProjectStore,
        publish: Callable[[events.Event], None],
        occupants: Callable[[], tuple[Occupant | None, Occupant | None]],
    ) -> None:
        self._project = project
        self._publish = publish
        self._occupants = occupants

    async def answer(self, request: requests.BreakpointRequest) -> responses.Breakpoints:
        """For a live session it raises what its adapter does; the project keeps the change all the same."""
        match request:
            case requests.BreakpointList():
                return responses.Breakpoints(
                    action="listed",
                    dry_run=False,
                    breakpoints=self.decorated(self._project.breakpoints),
                    not_found=(),
                    applied_to_session=False,
                )
            case requests.BreakpointAdd():
                change = self._add(request)
            case requests.BreakpointRemove():
                change = self._project.remove_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointToggle():
                change = self._project.toggle_breakpoints(request.selector, dry_run=request.dry_run)
            case requests.BreakpointMove():
                change = self._move(request)
        return await self._changed(change, dry_run=request.dry_run)

    def decorated(self, breakpoints: tuple[Breakpoint, ...]) -> tuple[objects.BreakpointStatus, ...]:
        """The breakpoints with what the session's adapter thinks of them, if there is a session."""
        present, _ = self._occupants()
        if present is None:
            return tuple(status_of(one) for one in breakpoints)
        return tuple(present.session.book.decorated(one) for one in breakpoints)

    def _add(self, request: requests.BreakpointAdd) -> Change:
        check_source(request.breakpoint.source)
        check_line(request.breakpoint.line)
        check_line(request.program_line or request.breakpoint.line)
        change = self._project.add_breakpoint(request.breakpoint, dry_run=request.dry_run)
        present, _ = self._occupants()
        if present is not None and request.program_line is not None and not request.dry_run:
            for one in change.breakpoints:
                present.session.book.placed(one, request.program_line)
        return change

    def _move(self, request: requests.BreakpointMove) -> Change:
        for move in request.moves:
            check_line(move.line)
            check_line(move.program_line or move.line)
        before = {one.id: one for one in self._project.breakpoints}
        change = self._project.move_breakpoints(request.moves, dry_run=request.dry_run)
        if change.has_changed:
            self._note_moves(before, change.breakpoints, {move.id: move for move in request.moves})
        return change

    def _note_moves(
        self, before: Mapping[int, Breakpoint], after: Iterable[Breakpoint], moves: Mapping[int, BreakpointPlace]
    ) -> None:
        """Tell the session's book what has gone along with the text of its file, and what is somewhere else now."""
        present, _ = self._occupants()
        if present is None:
            return
        book = present.session.book
        for one in after:
            was, move = before[one.id], moves[one.id]
            if move.program_line and one.line == move.line:
                book.placed(one, move.program_line)
            elif was.source == one.source and is_of_one_line(was.anchor, one.anchor):
                # A line that has changed places with others is nowhere in the older text by its surroundings.
                book.followed(one.id, one.line - was.line)
            elif move.program_line == 0:
                book.placed(one, 0)
            else:
                book.moved(one.id)

    async def _changed(self, change: Change, *, dry_run: bool) -> responses.Breakpoints:
        """Announce a change of the project's list and carry it to the live session."""
        if change.has_changed:
            self._announce(change)
        applied = False
        if not dry_run and change.breakpoints:
            try:
                applied = await self._apply(change)
            except DaemonError as error:
                raise kept(error, recorded_breakpoint_ids=[one.id for one in change.breakpoints]) from error
        removed_now = change.action == "removed" and not dry_run
        return responses.Breakpoints(
            action=change.action,
            dry_run=dry_run,
            breakpoints=(
                tuple(status_of(one) for one in change.breakpoints)
                if removed_now
                else self.decorated(change.breakpoints)
            ),
            not_found=change.not_found,
            applied_to_session=applied,
        )

    def _announce(self, change: Change) -> None:
        for one in change.breakpoints:
            update = objects.AdapterBreakpoint(id=one.id, verified=False, line=one.line)
            self._publish(events.BreakpointUpdated(session_id=None, breakpoint=update))

    async def _apply(self, change: Change) -> bool:
        sources = sorted({one.source for one in change.breakpoints} | change.left)
        present, starting = self._occupants()
        if starting is not None:
            starting.changed_sources.update(dict.fromkeys(sources))
        if present is None or not present.session.is_live:
            return False
        for source in sources:
            await present.pusher.push(source)
        return True
