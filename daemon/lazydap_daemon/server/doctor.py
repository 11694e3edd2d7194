"""Owns what the daemon can say about its own health; finds no adapter for a launch."""

from collections.abc import Callable
from typing import Final

import anyio.to_thread

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import LazydapError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import Check
from lazydap_core.state_file import state_path
from lazydap_daemon.store.project import ProjectStore

LAST_WITH_CHECKS: Final = 9
"""Clients of later versions examine adapters and state file themselves, in their own environment."""

DELVE_SINCE: Final = 6

Locate = Callable[[AdapterKind], str]
"""Says where the adapter of a kind lies; blocks while it looks, raises LazydapError when there is none."""


class Doctor:
    """Examines this daemon, and for clients before version 10 what it would find for a launch."""

    def __init__(self, instance: str, pid: int, project: ProjectStore, locate: Locate) -> None:
        self._instance = instance
        self._pid = pid
        self._project = project
        self._locate = locate

    async def examined(self, request: requests.Doctor, version: int) -> responses.Doctor:
        """The checks that a client of `version` expects, in its order.

        One missing adapter is no illness: the report is well when one adapter is found and all else is well.
        """
        adapters: list[Check] = []
        others: list[Check] = []
        if version <= LAST_WITH_CHECKS:
            if request.check_adapters:
                adapters = await self._adapters(version)
            if request.check_state:
                others.append(self._state())
        if self._project.not_saved is not None:
            others.append(Check(name="state.saved", ok=False, detail=self._project.not_saved))
        others.append(self._daemon(version))
        is_well = all(check.ok for check in others) and (not adapters or any(check.ok for check in adapters))
        return responses.Doctor(ok=is_well, checks=(*adapters, *others))

    async def _adapters(self, version: int) -> list[Check]:
        kinds: tuple[AdapterKind, ...] = ("codelldb", "debugpy")
        if version >= DELVE_SINCE:
            kinds = (*kinds, "delve")
        return [await anyio.to_thread.run_sync(self._adapter, kind) for kind in kinds]

    def _adapter(self, kind: AdapterKind) -> Check:
        name = f"adapter.{kind}"
        try:
            return Check(name=name, ok=True, detail=self._locate(kind))
        except LazydapError as error:
            return Check(name=name, ok=False, detail=error.message)

    def _state(self) -> Check:
        path = state_path(self._project.root)
        if not path.exists():
            return Check(name="state.file", ok=True, detail=f"{path} (not created yet)")
        count = len(self._project.breakpoints)
        return Check(name="state.file", ok=True, detail=f"{path} ({count} breakpoints)")

    def _daemon(self, version: int) -> Check:
        detail = f"instance {self._instance}, pid {self._pid}, protocol v{version}"
        return Check(name="daemon", ok=True, detail=detail)
