"""Owns the breakpoints that stop a session's program when a value changes, and the answers about them."""

from collections.abc import Callable

from lazydap_core.domain.breakpoints import DataBreakpoint
from lazydap_core.errors import BadRequest, DaemonError, SessionNotFound, Unsupported
from lazydap_core.protocol import events, objects
from lazydap_core.protocol.additions import named
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.naming import ACCESS, NamedPusher
from lazydap_daemon.session.sense import check_name
from lazydap_daemon.session.session import Session
from lazydap_daemon.store.named import NamedChange, NamedList
from lazydap_daemon.store.project import ProjectStore

Request = named.DataBreakpointList | named.DataBreakpointAdd | named.DataBreakpointRemove | named.DataBreakpointToggle


class Watcher:
    """The data breakpoints of one session; what they watch is a place in its program's memory, so they end with it."""

    def __init__(self, session: Session, inspector: Inspector, project: ProjectStore) -> None:
        self._session = session
        self._inspector = inspector
        self.list: NamedList[DataBreakpoint] = NamedList((), claim=project.claim_breakpoint_id, touch=lambda: None)
        self.pusher = NamedPusher(session, "data", lambda: (one for one in self.list.entries if project.is_active(one)))

    async def add(self, request: named.DataBreakpointAdd) -> NamedChange[DataBreakpoint]:
        """Find out what is to be watched, and take it in.

        Raises Unsupported, BadRequest where the adapter cannot watch it, SessionNotPaused, and as `Session.ask`.
        """
        session, new = self._session, request.breakpoint
        check_name(new.name)
        async with self._inspector.standing() as standing:
            self.pusher.check()
            if new.hit_condition is not None:
                session.driver.hit_condition(new.hit_condition)
            arguments: dict[str, object] = {"name": new.name}
            if new.variables_reference is None:
                arguments["name"] = session.driver.watched(new.name)
                arguments["frameId"] = await self._inspector.adapter_frame(standing, new.frame_id)
            else:
                arguments["variablesReference"] = session.handles.adapter_number(
                    "variables reference", session.id, new.variables_reference
                )
            told = await session.ask(dap.DataBreakpointInfoBody, "dataBreakpointInfo", arguments)
            self._session.check_motion(standing)
        if told.data_id is None:
            raise BadRequest(
                f"{new.name} cannot be watched: {told.description or 'the adapter does not say why'}", name=new.name
            )
        self._check_access(new.access, told)
        wanted = DataBreakpoint(
            id=0,
            name=new.name,
            condition=new.condition,
            hit_condition=new.hit_condition,
            enabled=new.enabled,
            access=new.access,
            data_id=told.data_id,
            description=told.description,
        )
        return self.list.add(wanted, dry_run=request.dry_run)

    def _check_access(self, access: str, told: dap.DataBreakpointInfoBody) -> None:
        if told.access_types and ACCESS[access] not in told.access_types:
            known = [ours for ours, theirs in ACCESS.items() if theirs in told.access_types]
            program = self._session.driver.program
            raise Unsupported(
                f"{program} cannot watch that for {access}: choose from {', '.join(known)}", adapter=program
            )

    def status(self, one: DataBreakpoint, *, is_known: bool) -> named.DataBreakpointStatus:
        """One as clients see it, with the adapter's opinion where it is to be known."""
        opinion = self._session.book.known(one.id) if is_known else None
        is_verified = opinion is not None and opinion.verified
        return named.DataBreakpointStatus(
            id=one.id,
            name=one.name,
            description=one.description,
            access=one.access,
            condition=one.condition,
            hit_condition=one.hit_condition,
            enabled=one.enabled,
            verified=is_verified,
            message=opinion.message if opinion and not is_verified else None,
        )


class Watchers:
    """Answers requests about data breakpoints for whichever session is there; without a live one there are none."""

    def __init__(
        self, publish: Callable[[events.Event], None], live: Callable[[], tuple[Session, Watcher] | None]
    ) -> None:
        self._publish = publish
        self._live = live

    async def answer(self, request: Request) -> named.DataBreakpoints:
        """The answer to one request. Raises SessionNotFound for a new one without its session, and as `Watcher.add`."""
        live = self._live()
        if isinstance(request, named.DataBreakpointAdd) and (live is None or live[0].id != request.session_id):
            raise SessionNotFound("there is no such session: launch a program", session_id=str(request.session_id))
        if live is None:
            return _nothing(request)
        watcher = live[1]
        match request:
            case named.DataBreakpointList():
                change = NamedChange[DataBreakpoint]("listed", watcher.list.entries)
            case named.DataBreakpointAdd():
                change = await watcher.add(request)
            case named.DataBreakpointRemove():
                change = watcher.list.remove(request.selector, dry_run=request.dry_run)
            case named.DataBreakpointToggle():
                change = watcher.list.toggle(request.selector, dry_run=request.dry_run)
        dry_run = not isinstance(request, named.DataBreakpointList) and request.dry_run
        is_new = change.action == "added" and not dry_run
        applied = await self._apply(watcher, change, is_new=is_new)
        removed_now = change.action == "removed" and not dry_run
        return named.DataBreakpoints(
            action=change.action,
            dry_run=dry_run,
            breakpoints=tuple(watcher.status(one, is_known=not removed_now) for one in change.breakpoints),
            not_found=change.not_found,
            applied_to_session=applied,
        )

    async def _apply(self, watcher: Watcher, change: NamedChange[DataBreakpoint], *, is_new: bool) -> bool:
        if not change.has_changed:
            return False
        try:
            await watcher.pusher.push()
        except DaemonError:
            if is_new:
                # It would be refused again with every other one.
                ids = tuple(one.id for one in change.breakpoints)
                watcher.list.remove(objects.ByIds(ids=ids), dry_run=False)
            raise
        for one in change.breakpoints:
            update = objects.AdapterBreakpoint(id=one.id, verified=False)
            self._publish(named.DataBreakpointUpdated(breakpoint=update))
        return True


def _nothing(request: Request) -> named.DataBreakpoints:
    match request:
        case named.DataBreakpointRemove() | named.DataBreakpointToggle():
            wanted = request.selector.ids if isinstance(request.selector, objects.ByIds) else ()
            action = "removed" if isinstance(request, named.DataBreakpointRemove) else "toggled"
            dry_run = request.dry_run
        case named.DataBreakpointList() | named.DataBreakpointAdd():
            wanted, action, dry_run = (), "listed", False
    return named.DataBreakpoints(
        action=action, dry_run=dry_run, breakpoints=(), not_found=wanted, applied_to_session=False
    )
