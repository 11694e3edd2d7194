"""Owns how a request to start or attach becomes a plan, and what became of it; starts nothing."""

from pathlib import Path
from typing import Any

import anyio
import msgspec

from lazydap_core.errors import DaemonError, InvalidLaunchConfig
from lazydap_core.protocol import objects, requests, responses
from lazydap_daemon.adapters import attaching
from lazydap_daemon.adapters.plan import AttachTarget, LaunchPlan
from lazydap_daemon.session.occupant import Occupant


class Order:
    """A launch or attach under way, and what became of it once `is_done`; `replaces` is what has to end before."""

    def __init__(self, request: requests.Launch | requests.Attach, replaces: Occupant | None = None) -> None:
        self.request = request
        self.replaces = replaces
        self.is_done = anyio.Event()
        self.is_cancelled = False
        self.error: DaemonError | None = None
        self.launched: responses.Launched | None = None

    def answer(self) -> responses.Launched:
        """The answer of an order that has succeeded; raises its error."""
        if self.error is not None:
            raise self.error
        if self.launched is None:
            raise LookupError("the launch has no result")
        return self.launched


def plan_of(request: requests.Launch | requests.Attach, root: Path) -> LaunchPlan:
    """What the driver is to be given. Raises InvalidLaunchConfig."""
    if isinstance(request, requests.Attach):
        target = _target(request)
        return LaunchPlan(
            kind=request.adapter,
            program=attaching.program_of(target),
            cwd=str(root),
            stop_on_entry=request.stop_on_entry,
            adapter_command=request.adapter_command,
            options=_options(request.options),
            root=str(root),
            target=target,
        )
    return LaunchPlan(
        kind=request.adapter,
        program=request.program,
        args=request.args,
        cwd=request.cwd,
        env=request.env,
        stop_on_entry=request.stop_on_entry,
        adapter_command=request.adapter_command,
        options=_options(request.options),
        root=str(root),
    )


def _target(request: requests.Attach) -> AttachTarget:
    if sum(part is not None for part in (request.pid, request.port, request.wait_for)) != 1:
        raise InvalidLaunchConfig("say once what to attach to: a process id, a port or a name to wait for")
    if request.port is not None and not 0 < request.port < 2**16:
        raise InvalidLaunchConfig(f"there is no port {request.port}: ports are 1 to 65535", port=request.port)
    return AttachTarget(pid=request.pid, host=request.host or "127.0.0.1", port=request.port, wait_for=request.wait_for)


def _options(told: dict[str, Any] | None) -> objects.LaunchOptions:
    try:
        return msgspec.convert(told or {}, objects.LaunchOptions)
    except msgspec.ValidationError as error:
        raise InvalidLaunchConfig(f"the launch option cannot be used: {error}", options=sorted(told or {})) from error
