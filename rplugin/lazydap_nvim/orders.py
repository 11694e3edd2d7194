"""Owns what one launch is: which program with which adapter, checked before it is sent; runs nothing."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

import msgspec
from anyio import CancelScope

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.tasks import Task
from lazydap_core.protocol import requests
from lazydap_core.protocol.objects import LaunchOptions

if TYPE_CHECKING:
    from lazydap_core.discovery.finding import Found

SUFFIXES: Final[Mapping[str, AdapterKind]] = {".py": "debugpy", ".go": "delve"}
SOURCES: Final = frozenset({".c", ".cc", ".cpp", ".cxx", ".rs", ".h", ".hpp"})
EDITORS_OWN: Final = frozenset({"NVIM", "NVIM_LOG_FILE", "NVIM_LISTEN_ADDRESS", "VIM", "VIMRUNTIME", "MYVIMRC"})
"""Variables that Neovim sets for itself: a program run from a shell would not see them."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One launch, ready to be sent: paths are absolute, `pinned` is the adapter or interpreter somebody named.

    `mode`, `terminal`, `module`, `just_my_code` and `source_map` are launch options, None or empty where nothing was
    said.
    `tasks` have been run for it. `configuration` is the name of the project's configuration that it was made from.
    """

    root: str
    kind: AdapterKind
    program: str
    args: tuple[str, ...] = ()
    cwd: str
    env: Mapping[str, str] = {}
    stop_on_entry: bool = False
    pinned: str | None = None
    mode: str | None = None
    terminal: bool = False
    module: str | None = None
    just_my_code: bool | None = None
    source_map: Mapping[str, str] = {}
    tasks: tuple[Task, ...] = ()
    configuration: str | None = None


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """One attach, ready to be sent once a process is known: `target` is as it was typed, empty lets the user choose.

    `kind` is None where the process decides it; the others are as for `Order`.
    """

    root: str
    target: str = ""
    kind: AdapterKind | None = None
    stop_on_entry: bool = False
    pinned: str | None = None
    just_my_code: bool | None = None
    source_map: Mapping[str, str] = {}
    configuration: str | None = None


class Launches:
    """What one host remembers of launches.

    `last` is what each project launched last, `learnt` are the projects whose configurations were read, `warned` the
    configurations whose useless keys were named, `tasks` by root what runs before a launch, `found` the adapters by
    what they were looked for with.
    """

    def __init__(self) -> None:
        self.last: dict[str, Order | Attachment] = {}
        self.learnt: set[str] = set()
        self.warned: set[str] = set()
        self.tasks: dict[str, CancelScope] = {}
        self.found: dict[tuple[str | None, ...], Found] = {}


def of_configuration(
    configuration: LaunchConfiguration, root: str, tasks: tuple[Task, ...], *, stop_on_entry: bool
) -> Order | Attachment:
    """The order for a configuration that can be run. Raises InvalidLaunchConfig when its program is not there."""
    if configuration.request == "attach":
        return Attachment(
            root=root,
            target=configuration.target or "",
            kind=configuration.adapter,
            stop_on_entry=configuration.stop_on_entry or stop_on_entry,
            pinned=configuration.adapter_command,
            just_my_code=configuration.just_my_code,
            source_map=configuration.source_map,
            configuration=configuration.name,
        )
    if configuration.adapter is None or (configuration.program is None and configuration.module is None):
        raise InvalidLaunchConfig(f"`{configuration.name}` cannot be run: {configuration.not_runnable_reason}")
    return Order(
        root=root,
        kind=configuration.adapter,
        program=checked_program(configuration.program, configuration.adapter) if configuration.program else root,
        args=configuration.args,
        cwd=configuration.cwd or root,
        env=configuration.env,
        stop_on_entry=configuration.stop_on_entry or stop_on_entry,
        pinned=configuration.adapter_command,
        mode=configuration.mode,
        terminal=configuration.terminal,
        module=configuration.module,
        just_my_code=configuration.just_my_code,
        source_map=configuration.source_map,
        tasks=tasks,
        configuration=configuration.name,
    )


def of_program(
    word: str,
    args: list[str],
    root: str,
    cwd: str,
    environ: Mapping[str, str] | tuple[()],
    *,
    stop_on_entry: bool = False,
    kind: AdapterKind | None = None,
) -> Order:
    """The order for a program word, found from `cwd` or on PATH. Raises InvalidLaunchConfig when it cannot run."""
    path = absolute(os.path.expanduser(word), cwd)  # noqa: PTH111 - a `~` that stays is a name like any other
    if not os.path.exists(path) and "/" not in word:  # noqa: PTH110
        path = shutil.which(word, path=dict[str, str](environ).get("PATH")) or path
    kind = kind or adapter_kind(path)
    return Order(
        root=root,
        kind=kind,
        program=checked_program(path, kind),
        args=tuple(args),
        cwd=cwd,
        stop_on_entry=stop_on_entry,
    )


def absolute(word: str, cwd: str) -> str:
    """`word` as a path from `cwd`, without `.` and `..`."""
    return os.path.normpath(os.path.join(cwd, word))  # noqa: PTH118 - `Path` keeps `..`


def adapter_kind(program: str) -> AdapterKind:
    """The adapter for a program, by its name; a folder is a Go package."""
    if Path(program).is_dir():
        return "delve"
    return SUFFIXES.get(PurePath(program).suffix, "codelldb")


def checked_program(program: str, kind: AdapterKind) -> str:
    """`program` as it is, once it is sure that it can be run. Raises InvalidLaunchConfig saying what to do."""
    path = Path(program)
    name = path.name or program
    if not path.exists():
        raise InvalidLaunchConfig(f"there is no program {program}: build it, or mind the spelling", program=program)
    if path.is_dir() and kind != "delve":
        raise InvalidLaunchConfig(f"{program} is a folder: name a program in it", program=program)
    if kind == "codelldb":
        if path.suffix in SOURCES:
            raise InvalidLaunchConfig(f"{name} is source text: build it, and launch what that makes", program=program)
        if not os.access(path, os.X_OK):
            raise InvalidLaunchConfig(f"{name} cannot be executed: `chmod +x` it, or build it", program=program)
    return program


def request_for(order: Order, found: "Found", environ: Mapping[str, str], features: frozenset[str]) -> requests.Launch:
    """The request that launches `order` with the adapter that was found.

    `environ` is the client's environment; it travels where the daemon has `launch_options`. Raises Unsupported where
    only lldb-dap was found and the daemon is not known to drive it.
    """
    if found.program == "lldb-dap" and not features:
        raise Unsupported("the running daemon knows codelldb only and none was found: install codelldb")
    if (order.mode == "test" or order.module) and "launch_options" not in features:
        what = "modules" if order.module else "tests"
        raise Unsupported(f"the running daemon cannot be told to run {what}: end it with `lazydap shutdown`")
    options: dict[str, Any] | None = None
    if "launch_options" in features:
        client_env = {name: value for name, value in environ.items() if name not in EDITORS_OWN}
        options = _plain(
            LaunchOptions(
                client_env=client_env,
                adapter=found.program if order.kind == "codelldb" else None,
                mode=order.mode,
                terminal=(order.terminal and "terminal" in features) or None,
                module=order.module,
                just_my_code=order.just_my_code,
                source_map=dict(order.source_map) or None,
            )
        )
    return requests.Launch(
        adapter=order.kind,
        program=order.program,
        args=order.args,
        cwd=order.cwd,
        env=dict(order.env),
        stop_on_entry=order.stop_on_entry,
        adapter_command=found.adapter_command,
        options=options,
    )


def _plain(options: LaunchOptions) -> dict[str, Any]:
    return msgspec.to_builtins(options)
