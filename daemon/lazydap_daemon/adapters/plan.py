"""Owns what a driver is given and what it gives back, and the few rules that several adapters share."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lazydap_core.domain.words import AdapterKind
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.terminal.pty import Pty


@dataclass(frozen=True, kw_only=True)
class AttachTarget:
    """A program that runs already: by its pid, by the port at which it is served, or the next one with a name."""

    pid: int | None = None
    host: str = "127.0.0.1"
    port: int | None = None
    wait_for: str | None = None


@dataclass(frozen=True, kw_only=True)
class LaunchPlan:
    """One launch as the client asked for it; paths are absolute, `root` is the project's.

    `terminal` is the one that the program is to get; without it, its input is empty and its output is the adapter's.
    With a `target` the program is attached to; `program` is then only what to call it.
    """

    kind: AdapterKind
    program: str
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    stop_on_entry: bool = False
    adapter_command: str | None = None
    options: LaunchOptions = field(default_factory=LaunchOptions)
    root: str = ""
    terminal: Pty | None = None
    target: AttachTarget | None = None


@dataclass(frozen=True, kw_only=True)
class Normalised:
    """A stop in lazydap's words.

    `raw_reason` is the adapter's word where `reason` says something else, `adapter_thread_id` its thread where
    `thread_id` is another one, `text` what is known beyond the reason (an exception, a signal), `hit_ids` the adapter's
    breakpoint ids. `is_refresh`: the program has not moved, only what was read of it is out of date.
    `may_be_placeless`: where it has no frame, the program's own last words tell more than a stop.
    """

    reason: str
    raw_reason: str | None = None
    thread_id: int | None = None
    adapter_thread_id: int | None = None
    text: str | None = None
    hit_ids: tuple[int, ...] = ()
    is_refresh: bool = False
    may_be_placeless: bool = False


INITIALIZE_ARGUMENTS: Final[Mapping[str, Any]] = {
    "clientID": "lazydap",
    "clientName": "lazydap",
    "locale": "en-US",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "pathFormat": "path",
    "supportsVariableType": True,
    "supportsVariablePaging": True,
    "supportsMemoryReferences": True,
    "supportsInvalidatedEvent": True,
    # Only what is really done: a reverse request that is announced and then refused costs the launch
    # (doc/adapters.md, "Reverse requests"). The session announces a terminal where the program is to get one.
    "supportsRunInTerminalRequest": False,
    "supportsStartDebuggingRequest": False,
    "supportsArgsCanBeInterpretedByShell": False,
    "supportsANSIStyling": False,
    "supportsProgressReporting": False,
    "supportsMemoryEvent": False,
}
"""What every adapter is told about us; the driver adds its `adapterID`."""


LLDB_INTERRUPT_KEY: Final = "process handle SIGINT --pass true --stop false --notify false"
"""The LLDB command by which Ctrl-C on a terminal is the program's, as it is without a debugger."""


def client_environment(plan: LaunchPlan) -> dict[str, str]:
    """The environment of the client that launches; the daemon's own, which may be days old, where it sent none."""
    if plan.options.client_env is not None:
        return dict(plan.options.client_env)
    return dict(os.environ)


def split_environment(plan: LaunchPlan, withheld: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The environment of the adapter's process, and what its launch must add for the debuggee.

    Adapters hand their own environment on to the program. What would disturb the adapter itself (`withheld`) is kept
    from it and reaches the program by way of the launch, below what the launch names itself.
    """
    whole = client_environment(plan)
    adapter = {name: value for name, value in whole.items() if name not in withheld}
    added = {name: value for name, value in whole.items() if name in withheld}
    return adapter, added | dict(plan.env)


def start_directory(plan: LaunchPlan) -> str:
    """Where the adapter is started: the program's directory, else the project, else a place that exists.

    A `cwd` that does not exist is the adapter's to complain about, in its answer to the launch.
    """
    for directory in (plan.cwd, plan.root):
        if directory and Path(directory).is_dir():
            return directory
    return "/"
