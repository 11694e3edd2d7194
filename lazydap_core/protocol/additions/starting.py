"""Owns the messages of the features `attach`, `restart` and `cancel_launch`."""

from typing import Any

from lazydap_core.domain.words import AdapterKind
from lazydap_core.protocol.objects import U32, SessionId, WireObject


class Attach(WireObject, frozen=True, kw_only=True):
    """Feature `attach`: debug a program that runs already; exactly one of `pid`, `port` and `wait_for` is given."""

    adapter: AdapterKind
    pid: U32 | None = None
    host: str | None = None
    port: U32 | None = None
    wait_for: str | None = None
    stop_on_entry: bool
    adapter_command: str | None = None
    options: dict[str, Any] | None = None


class Restart(WireObject, frozen=True, kw_only=True):
    """Feature `restart`: end the session's program and launch the same once more."""

    session_id: SessionId


class CancelLaunch(WireObject, frozen=True, kw_only=True):
    """Feature `cancel_launch`: give up the launch or attach that is under way, whoever began it."""


class LaunchCancelled(WireObject, frozen=True, kw_only=True):
    """Whether there was one; nothing of it is left then."""

    cancelled: bool
