"""Owns the answers about the project's function breakpoints, with a session or without."""

from collections.abc import Callable

from lazydap_core.domain.breakpoints import FunctionBreakpoint
from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events, objects
from lazydap_core.protocol.additions import named
from lazydap_daemon.session.book import Book
from lazydap_daemon.session.kept import kept
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.session.sense import check_name
from lazydap_daemon.store.named import NamedChange
from lazydap_daemon.store.project import ProjectStore

Request = (
    named.FunctionBreakpointList
    | named.FunctionBreakpointAdd
    | named.FunctionBreakpointRemove
    | named.FunctionBreakpointToggle
)


class Functions:
    """Changes the project's list, announces that, and carries it to the live session."""

    def __init__(
        self,
        project: ProjectStore,
        publish: Callable[[events.Event], None],
        occupant: Callable[[], Occupant | None],
    ) -> None:
        self._project = project
        self._publish = publish
        self._occupant = occupant

    async def answer(self, request: Request) -> named.FunctionBreakpoints:
        """The answer to one request. Raises Unsupported, and for a live session what its adapter does."""
        functions = self._project.functions
        match request:
            case named.FunctionBreakpointList():
                change = NamedChange[FunctionBreakpoint]("listed", functions.entries)
            case named.FunctionBreakpointAdd(breakpoint=new):
                check_name(new.name)
                self._check()
                wanted = FunctionBreakpoint(
                    id=0,
                    name=new.name,
                    condition=new.condition,
                    hit_condition=new.hit_condition,
                    enabled=new.enabled,
                )
                change = functions.add(wanted, dry_run=request.dry_run)
            case named.FunctionBreakpointRemove():
                change = functions.remove(request.selector, dry_run=request.dry_run)
            case named.FunctionBreakpointToggle():
                change = functions.toggle(request.selector, dry_run=request.dry_run)
        dry_run = not isinstance(request, named.FunctionBreakpointList) and request.dry_run
        return await self._changed(change, dry_run=dry_run)

    def _check(self) -> None:
        occupant = self._occupant()
        if occupant is not None and occupant.session.is_live:
            occupant.functions.check()

    async def _changed(self, change: NamedChange[FunctionBreakpoint], *, dry_run: bool) -> named.FunctionBreakpoints:
        if change.has_changed:
            for one in change.breakpoints:
                update = objects.AdapterBreakpoint(id=one.id, verified=False)
                self._publish(named.FunctionBreakpointUpdated(breakpoint=update))
        occupant, applied = self._occupant(), False
        if change.action != "listed" and change.breakpoints and not dry_run and occupant is not None:
            applied = await self._apply(occupant, change)
        removed_now = change.action == "removed" and not dry_run
        book = None if occupant is None or removed_now else occupant.session.book
        return named.FunctionBreakpoints(
            action=change.action,
            dry_run=dry_run,
            breakpoints=tuple(_status(one, book) for one in change.breakpoints),
            not_found=change.not_found,
            applied_to_session=applied,
        )

    async def _apply(self, occupant: Occupant, change: NamedChange[FunctionBreakpoint]) -> bool:
        if not occupant.session.is_live:
            return False
        try:
            await occupant.functions.push()
        except DaemonError as error:
            raise kept(error, recorded_breakpoint_ids=[one.id for one in change.breakpoints]) from error
        return True


def _status(one: FunctionBreakpoint, book: Book | None) -> named.FunctionBreakpointStatus:
    opinion = None if book is None else book.known(one.id)
    is_verified = opinion is not None and opinion.verified
    return named.FunctionBreakpointStatus(
        id=one.id,
        name=one.name,
        condition=one.condition,
        hit_condition=one.hit_condition,
        enabled=one.enabled,
        verified=is_verified,
        source=opinion.source if opinion else None,
        line=opinion.line if opinion else None,
        message=opinion.message if opinion and not is_verified else None,
    )
