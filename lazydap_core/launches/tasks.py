"""Owns what a .vscode/tasks.json says is to be run before a launch; runs nothing."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, cast

import msgspec

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches import jsonc
from lazydap_core.launches.systems import for_this_system
from lazydap_core.launches.words import Variables

DEFAULT_BUILD_TASK: Final = "${defaultBuildTask}"
SHELL: Final = ("/bin/sh", "-c")
OWN_TYPES: Final = frozenset({"process", "shell", "cppbuild"})
TOOLS: Final = frozenset({"cargo", "go"})
"""Types of task that extensions write whose command is an argument of the program of that name."""


class Task(msgspec.Struct, frozen=True):
    """A program to be run to its end: `command` is its words, `cwd` an absolute path, `env` comes on top of the own."""

    label: str
    command: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]


class _Quoted(msgspec.Struct):
    value: str
    quoting: Literal["escape", "strong", "weak"] = "strong"


class _Shell(msgspec.Struct):
    executable: str
    args: tuple[str, ...] = ("-c",)


class _Options(msgspec.Struct):
    cwd: str | None = None
    env: dict[str, str] = {}
    shell: _Shell | None = None


class _Entry(msgspec.Struct, rename="camel"):
    label: str = ""
    task_name: str = ""
    type: str = "process"
    command: str | _Quoted = ""
    script: str = ""
    path: str = ""
    args: list[str | _Quoted] = []
    options: _Options = msgspec.field(default_factory=_Options)
    depends_on: str | list[Any] = []
    is_background: bool = False
    group: Any = None

    @property
    def name(self) -> str:
        return self.label or self.task_name


def tasks_path(root: Path) -> Path:
    """Where editors keep the tasks of the project at `root`."""
    return root / ".vscode" / "tasks.json"


def tasks_before(
    name: str,
    root: Path,
    environ: Mapping[str, str],
    file: Path | None = None,
    known: Mapping[str, str] | None = None,
) -> tuple[Task, ...]:
    """The task `name` behind those it depends on, each once, in the order of running.

    `file` is the file a person is looking at, `known` are more variables (`words.Variables`).
    Raises InvalidLaunchConfig when there is no such task, or one of them cannot be run to an end from here.
    """
    return _Order(_read(root), root, lambda: Variables(root, environ, file, known)).of(name)


def _read(root: Path) -> dict[str, Any]:
    path = tasks_path(root)
    try:
        document = jsonc.parse(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InvalidLaunchConfig(f"{path} cannot be read: {error}", path=str(path)) from error
    if not isinstance(document, dict):
        raise InvalidLaunchConfig(f"{path} is no JSON object", path=str(path))
    return cast("dict[str, Any]", document)


class _Order:
    """Finds tasks and what they depend on in one tasks.json."""

    def __init__(self, document: dict[str, Any], root: Path, variables: Callable[[], Variables]) -> None:
        self._root = root
        self._variables = variables
        try:
            self._common = msgspec.convert(document.get("options", {}), _Options)
        except msgspec.ValidationError as error:
            raise InvalidLaunchConfig(f"the options of {tasks_path(root)} cannot be read: {error}") from error
        listed: Any = document.get("tasks", [])
        self._raw: list[dict[str, Any]] = (
            [cast("dict[str, Any]", task) for task in cast("list[Any]", listed) if isinstance(task, dict)]
            if isinstance(listed, list)
            else []
        )
        self._done: dict[str, Task | None] = {}

    def of(self, name: str) -> tuple[Task, ...]:
        self._visit(name, ())
        return tuple(task for task in self._done.values() if task is not None)

    def _visit(self, name: str, above: tuple[str, ...]) -> None:
        entry = self._entry(name)
        if entry.name in above:
            raise _refused(name, f"depends on itself, by way of {' and '.join(f'`{each}`' for each in above)}")
        if entry.name in self._done:
            return
        for needed in [entry.depends_on] if isinstance(entry.depends_on, str) else entry.depends_on:
            if not isinstance(needed, str):
                raise _refused(name, "depends on a task of an extension")
            self._visit(needed, (*above, entry.name))
        self._done[entry.name] = self._task(entry)

    def _entry(self, name: str) -> _Entry:
        for raw in self._raw:
            if name not in (raw.get("label"), raw.get("taskName")) and not (
                name == DEFAULT_BUILD_TASK and _is_default_build(raw.get("group"))
            ):
                continue
            try:
                return _plain(msgspec.convert(for_this_system(raw), _Entry))
            except msgspec.ValidationError as error:
                raise _refused(name, f"cannot be read: {error}") from error
        available = [label for raw in self._raw if isinstance(label := raw.get("label", raw.get("taskName")), str)]
        known = ", ".join(f"`{each}`" for each in available) or "none"
        raise InvalidLaunchConfig(
            f"there is no task `{name}` in tasks.json: there is {known}", task=name, available=available
        )

    def _task(self, entry: _Entry) -> Task | None:
        if entry.type not in OWN_TYPES:
            raise _refused(entry.name, f"is of type `{entry.type}`: write it as `shell`")
        if not entry.command and entry.depends_on:
            return None  # A name for those it depends on.
        if entry.is_background:
            raise _refused(entry.name, "goes on in the background: start it in a terminal of its own")
        variables = self._variables()
        common = self._common
        cwd = entry.options.cwd or common.cwd
        task = Task(
            entry.name,
            self._command(entry, variables, entry.options.shell or common.shell),
            str(self._root if cwd is None else self._root / variables.expand(cwd)),
            {name: variables.expand(value) for name, value in {**common.env, **entry.options.env}.items()},
        )
        if variables.unresolved:
            raise _refused(entry.name, f"needs {', '.join(variables.unresolved)}, which cannot be expanded here")
        return task

    def _command(self, entry: _Entry, variables: Variables, shell: _Shell | None) -> tuple[str, ...]:
        if not entry.command:
            raise _refused(entry.name, "has no command")
        if entry.type == "process":
            return tuple(variables.expand(_text(word)) for word in (entry.command, *entry.args))
        # The command stands as it is: with no arguments beside it, it is a whole line for the shell. A `cppbuild` goes
        # through the shell as well, where `*.cpp` is every file; but its command is the path of a compiler.
        is_path = entry.type == "cppbuild" and entry.args
        command = _for_shell(entry.command, variables) if is_path else variables.expand(_text(entry.command))
        words = [command, *(_for_shell(word, variables) for word in entry.args)]
        begin = SHELL if shell is None else (variables.expand(shell.executable), *shell.args)
        return (*begin, " ".join(words))


def _plain(entry: _Entry) -> _Entry:
    """A task of an extension that is plainly a command, as the process that it is; any other as it was."""
    if entry.type == "npm" and entry.script:
        options = msgspec.structs.replace(entry.options, cwd=entry.options.cwd or entry.path or None)
        return msgspec.structs.replace(
            entry, type="process", command="npm", args=["run", entry.script], options=options
        )
    if entry.type in TOOLS and entry.command:
        # Some write the tool's own name as well.
        words = entry.args if entry.command == entry.type else [entry.command, *entry.args]
        return msgspec.structs.replace(entry, type="process", command=entry.type, args=words)
    return entry


def _text(word: str | _Quoted) -> str:
    return word if isinstance(word, str) else word.value


def _for_shell(word: str | _Quoted, variables: Variables) -> str:
    text = variables.expand(_text(word))
    if isinstance(word, str):
        # A plain argument is the shell's to expand, but stays one argument.
        return shlex.quote(text) if any(letter.isspace() for letter in text) or not text else text
    if word.quoting == "weak":
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if word.quoting == "escape":
        return "".join(letter if letter.isalnum() or letter in "_-./" else "\\" + letter for letter in text)
    return shlex.quote(text)


def _is_default_build(group: Any) -> bool:
    if not isinstance(group, dict):
        return False
    keys = cast("dict[str, Any]", group)
    return keys.get("kind") == "build" and keys.get("isDefault") is True


def _refused(name: str, why: str) -> InvalidLaunchConfig:
    return InvalidLaunchConfig(f"the task `{name}` of tasks.json {why}", task=name)
