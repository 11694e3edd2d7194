"""Owns switching all breakpoints off and on again; changes none of them."""

from collections.abc import Callable

from lazydap_core.errors import DaemonError
from lazydap_core.protocol import events
from lazydap_core.protocol.additions.muting import Mute, MuteChanged, Muted
from lazydap_daemon.session.kept import kept
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.store.project import ProjectStore


class Muter:
    """Keeps the switch in the project, announces it, and carries it to the live session."""

    def __init__(
        self,
        project: ProjectStore,
        publish: Callable[[events.Event], None],
        occupants: Callable[[], tuple[Occupant | None, Occupant | None]],
    ) -> None:
        self._project = project
        self._publish = publish
        self._occupants = occupants

    async def answer(self, request: Mute) -> Muted:
        """Switch. For a live session it raises what its adapter does; the project keeps the switch all the same."""
        if self._project.mute(muted=request.muted):
            self._publish(MuteChanged(muted=request.muted))
        return Muted(muted=request.muted, applied_to_session=await self._apply())

    async def _apply(self) -> bool:
        sources = dict.fromkeys(sorted(one.source for one in self._project.breakpoints if one.enabled))
        present, starting = self._occupants()
        if starting is not None:
            starting.changed_sources.update(sources)
        if present is None or not present.session.is_live:
            return False
        try:
            for source in sources:
                await present.pusher.push(source)
            await present.functions.push()
            await present.watcher.pusher.push()
        except DaemonError as error:
            raise kept(error) from error
        return True
