"""Owns what the keys of a .vscode/launch.json mean; reads text, not files, and launches nothing."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final, Literal, cast

import msgspec

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import UsageError
from lazydap_core.launches import jsonc
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.inputs import Input, read_inputs
from lazydap_core.launches.source_folders import SourceFolders
from lazydap_core.launches.systems import for_this_system
from lazydap_core.launches.words import Variables, split_arguments

KINDS: Final[Mapping[str, AdapterKind]] = {
    "lldb": "codelldb",
    "cppdbg": "codelldb",
    "debugpy": "debugpy",
    "python": "debugpy",
    "go": "delve",
}


CHANGING: Final = frozenset(
    {
        "attachCommands",
        "buildFlags",
        "django",
        "envFile",
        "exitCommands",
        "initCommands",
        "jinja",
        "launchCommands",
        "listen",
        "postDebugTask",
        "postRunCommands",
        "preRunCommands",
        "preTerminateCommands",
        "processCreateCommands",
        "remotePath",
        "setupCommands",
        "stdio",
        "subProcess",
        "sudo",
        "targetCreateCommands",
        "terminateCommands",
        "waitFor",
    }
)
"""Keys that would make another launch of it, and are not honoured."""
TERMINALS: Final = ("integratedTerminal", "externalTerminal", "integrated", "external")
"""What `console`, for codelldb `terminal`, says where the program is to have a terminal."""

GO_MODES: Final = ("debug", "test", "exec")


class Reading(msgspec.Struct, frozen=True):
    """What a file held that could be used, and a line about each thing that could not."""

    configurations: tuple[LaunchConfiguration, ...] = ()
    warnings: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    compounds: Mapping[str, tuple[str, ...]] = {}
    """Names that stand for several configurations at once, which no project can have."""


class _File(msgspec.Struct):
    configurations: list[Any] = []
    inputs: Any = None
    compounds: Any = None


class _Compound(msgspec.Struct):
    name: str
    configurations: list[Any] = []


class _NameAndValue(msgspec.Struct):
    name: str
    value: str


class _Address(msgspec.Struct):
    port: int | str
    host: str = "127.0.0.1"


class _Entry(msgspec.Struct, rename="camel"):
    name: str
    type: str
    request: str
    program: str | None = None
    cwd: str | None = None
    args: list[str] | str = []
    env: dict[str, str] = {}
    environment: list[_NameAndValue] = []
    stop_on_entry: bool = False
    stop_at_entry: bool = False
    python: list[str] | str | None = None
    python_path: str | None = None
    mode: str | None = None
    console: Any = None
    terminal: Any = None
    external_console: Any = None
    module: str | None = None
    just_my_code: bool | None = None
    process_id: int | str | None = None
    pid: int | str | None = None
    host: str = "127.0.0.1"
    port: int | str | None = None
    connect: _Address | None = None
    pre_launch_task: Any = None


def read_text(
    text: str,
    root: Path,
    environ: Mapping[str, str],
    file: Path | None = None,
    known: Mapping[str, str] | None = None,
    *,
    is_asked: bool = False,
) -> Reading:
    """The configurations in `text`, which is the launch.json of the project at `root`.

    `file` is the file a person is looking at, for `${file}` and its kin; `known` are more variables. With `is_asked` a
    person will be asked for what `inputs` has, so that is not unknown. An entry that cannot be read is left out with a
    warning. The block for this system (`linux` or `osx`) goes over the other keys of its entry.
    Raises ValueError when the text as a whole is no launch.json; the message tells line and column.
    """
    configurations: list[LaunchConfiguration] = []
    warnings: list[str] = []
    document = _document(jsonc.parse(text))
    inputs = read_inputs(document.inputs)
    if is_asked:
        known = {f"input:{each.id}": each.default for each in inputs} | dict(known or {})
    for index, value in enumerate(document.configurations):
        try:
            keys = for_this_system(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
            entry = msgspec.convert(keys, _Entry)
            folders = msgspec.convert(keys, SourceFolders)
        except msgspec.ValidationError as error:
            warnings.append(f"launch.json: configuration {index} is left out: {error}")
            continue
        if entry.request not in ("launch", "attach"):
            warnings.append(f"launch.json: `{entry.name}` is left out: its request is `{entry.request}`")
            continue
        configuration, more = _configuration(entry, folders, root, Variables(root, environ, file, known))
        configuration = msgspec.structs.replace(configuration, ignored=_ignored(entry, keys))
        configurations.append(configuration)
        warnings += more
    compounds = _compounds(document.compounds)
    if compounds:
        names = ", ".join(compounds)
        warnings.append(f"launch.json: compounds ({names}) are left out: launch one configuration at a time")
    return Reading(tuple(configurations), tuple(warnings), inputs, compounds)


def _compounds(listed: Any) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for value in cast("list[Any]", listed) if isinstance(listed, list) else []:
        try:
            entry = msgspec.convert(value, _Compound)
        except msgspec.ValidationError:
            continue
        found[entry.name] = tuple(name for name in entry.configurations if isinstance(name, str))
    return found


def _ignored(entry: _Entry, keys: Any) -> tuple[str, ...]:
    stops = () if _can_stop_on_entry(entry) else ("stopOnEntry",)
    # Of a cppdbg it is said with its other keys.
    told = ("setupCommands",) if entry.type == "cppdbg" else ()
    return tuple(key for key in cast("dict[str, Any]", keys) if (key in CHANGING or key in stops) and key not in told)


def _can_stop_on_entry(entry: _Entry) -> bool:
    return entry.request == "launch" or KINDS.get(entry.type) != "debugpy"


def _document(parsed: Any) -> _File:
    if parsed == []:
        return _File()
    try:
        return msgspec.convert(parsed, _File)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def _configuration(
    entry: _Entry, folders: SourceFolders, root: Path, variables: Variables
) -> tuple[LaunchConfiguration, list[str]]:
    def path(text: str | None) -> str | None:
        return None if text is None else os.path.join(root, variables.expand(text))  # noqa: PTH118  # words kept

    warnings: list[str] = []
    program = path(entry.program)
    blocked = _blocked_by_mode(entry, program)
    args: list[str] = []
    try:
        args = _arguments(entry.args, variables)
    except UsageError as error:
        blocked = error.message
        warnings.append(f"`{entry.name}` cannot be run: {error.message}")
    configuration = LaunchConfiguration(
        name=entry.name,
        source="launch.json",
        adapter=KINDS.get(entry.type),
        adapter_type=entry.type,
        request=cast("Literal['launch', 'attach']", entry.request),
        program=program,
        args=tuple(args),
        cwd=path(entry.cwd),
        env=_environment(entry, variables),
        stop_on_entry=(entry.stop_on_entry or entry.stop_at_entry) and _can_stop_on_entry(entry),
        adapter_command=path(_interpreter(entry)),
        terminal=_wants_terminal(entry),
        mode=entry.mode if entry.type == "go" and entry.mode in GO_MODES else None,
        module=None if entry.module is None else variables.expand(entry.module),
        just_my_code=entry.just_my_code,
        source_map=folders.by_origin(root, variables.expand),
        target=_target(entry, variables),
        pre_launch_task=entry.pre_launch_task if isinstance(entry.pre_launch_task, str) else None,
        unresolved=tuple(variables.unresolved),
        blocked=blocked,
    )
    if configuration.unresolved:
        warnings.append(f"`{entry.name}` keeps {', '.join(configuration.unresolved)} as written: unknown here")
    if entry.type == "cppdbg":
        warnings.append(
            f"`{entry.name}` was written for cppdbg: its MIMode, miDebuggerPath and setupCommands are ignored"
        )
    return configuration, warnings


def _blocked_by_mode(entry: _Entry, program: str | None) -> str | None:
    if entry.type != "go":
        return None
    if entry.mode not in (None, "auto", *GO_MODES) and entry.request == "launch":
        return f"delve's `{entry.mode}` mode is not supported: use one of {', '.join(GO_MODES)}"
    if program is None:
        return None
    if entry.mode == "exec" and program.endswith(".go"):
        return "delve's `exec` mode runs a program that is built already, and it names a `.go` file"
    if entry.mode == "test" and PurePath(program).suffix not in ("", ".go"):
        return "delve's `test` mode needs a Go file or the folder of a package"
    return None


def _wants_terminal(entry: _Entry) -> bool:
    return entry.console in TERMINALS or entry.terminal in TERMINALS or entry.external_console is True


def _arguments(args: list[str] | str, variables: Variables) -> list[str]:
    if isinstance(args, str):
        return split_arguments(variables.expand(args))
    return [variables.expand(argument) for argument in args]


def _environment(entry: _Entry, variables: Variables) -> dict[str, str]:
    listed = {pair.name: pair.value for pair in entry.environment}
    return {name: variables.expand(value) for name, value in {**listed, **entry.env}.items()}


def _target(entry: _Entry, variables: Variables) -> str | None:
    if entry.request != "attach":
        return None
    pid = entry.process_id if entry.process_id is not None else entry.pid
    if pid is not None:
        # A command of VS Code's stands for a process that is chosen.
        return None if str(pid).startswith("${command:") else variables.expand(str(pid))
    address = entry.connect or (None if entry.port is None else _Address(entry.port, entry.host))
    return None if address is None else variables.expand(f"{address.host}:{address.port}")


def _interpreter(entry: _Entry) -> str | None:
    named = entry.python[:1] if isinstance(entry.python, list) else [entry.python]
    return next((path for path in (*named, entry.python_path) if path is not None), None)
