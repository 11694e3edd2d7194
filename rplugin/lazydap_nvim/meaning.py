"""Owns what a launch command stands for: which program or configuration, asking the user where that is not plain."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final, cast

import msgspec

from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches.built import Built, built_programs, is_older, program_names
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.inputs import Input
from lazydap_core.launches.reading import find_configuration, read_launches, said_of
from lazydap_core.launches.tasks import Task, tasks_before
from lazydap_core.launches.vscode import Reading, read_text
from lazydap_core.launches.words import split_arguments
from lazydap_nvim import tasks
from lazydap_nvim.host import Host
from lazydap_nvim.orders import SOURCES, SUFFIXES, Attachment, Order, checked_program, of_configuration, of_program
from lazydap_nvim.threads import in_thread
from lazydap_nvim.verbs import Launch

FILETYPES: Final[Mapping[str, AdapterKind]] = {"python": "debugpy", "go": "delve"}
"""Kinds of buffers that can be launched as they are; a file of no such type counts by its name."""
NVIM_DAP_TYPES: Final = {"codelldb": "lldb", "lldb-dap": "lldb", "delve": "go", "dlv": "go"}
"""What plugins that hand over a configuration call an adapter, and what launch.json calls it."""
EDITORS_VARIABLES: Final = ("lineNumber", "columnNumber", "selectedText")
"""What only an editor knows, by the names that launch.json has for it."""
_ASKED: Final = re.compile(r"\$\{input:(.+)\}")


async def order_of(host: Host, verb: Launch, root: str) -> Order | Attachment | None:
    """The order a command stands for, its tasks done; None when the user chose none, or was told what to do instead.

    Raises LazydapError.
    """
    args = verb.args.strip()
    if verb.config:
        return await _given(host, verb, root)
    if verb.choose:
        return await _chosen(host, verb, root, Built((), ""))
    if not args:
        return await _bare(host, verb, root)
    if not verb.forced:
        reading = await learn_launches(host, root, verb.file)
        if args in reading.compounds or any(configuration.name == args for configuration in reading.configurations):
            return await _named(host, verb, root, args)
    word, rest = (verb.program, verb.rest) if verb.program is not None else _first_word(args)
    return of_program(word, split_arguments(rest), root, _cwd(verb, root), verb.env, stop_on_entry=verb.bang)


async def learn_launches(host: Host, root: str, file: str = "") -> Reading:
    """The project's configurations, whose names the editor completes from then on. Raises LazydapError."""
    path = Path(file) if file else None

    def read() -> Reading:
        return read_launches(Path(root), host.environ, path, dict.fromkeys(EDITORS_VARIABLES, ""), is_asked=True)

    reading = await in_thread(read)
    names = tuple(configuration.name for configuration in reading.configurations)
    project = host.project(root)
    if project.launches != names:
        host.model = host.model.with_project(msgspec.structs.replace(project, launches=names))
        host.draw()
    return reading


async def _bare(host: Host, verb: Launch, root: str) -> Order | Attachment | None:
    last = host.launches.last.get(root)
    if last is not None and last.configuration is not None:
        return await _named(host, verb, root, last.configuration)
    if isinstance(last, Attachment):
        return last
    if last is not None:
        checked_program(last.program, last.kind)
        return msgspec.structs.replace(last, stop_on_entry=last.stop_on_entry or verb.bang)
    file = verb.file or verb.where.file
    kind = FILETYPES.get(verb.filetype) or SUFFIXES.get(PurePath(file).suffix)
    if file and kind is not None:
        return of_program(file, [], root, _cwd(verb, root), verb.env, kind=kind, stop_on_entry=verb.bang)
    built = Built((), "")
    if PurePath(file).suffix in SOURCES:
        built = await in_thread(built_programs, Path(file), Path(root), _environ(host, verb))
    return await _chosen(host, verb, root, built)


async def _chosen(host: Host, verb: Launch, root: str, built: Built) -> Order | Attachment | None:
    reading = await learn_launches(host, root, verb.file)
    names = [configuration.name for configuration in reading.configurations]
    of_one = {warning for name in names for warning in said_of(reading, name)}
    for warning in reading.warnings:
        # What is odd about one of them is said when that one is launched.
        if warning not in of_one:
            host.editor.say(warning, "warn")
    items = [*names, *program_names(built.programs, Path(root))]
    if not items:
        advice = built.advice or ":LazydapLaunch PROGRAM [ARGS], or write a .vscode/launch.json"
        host.editor.say(f"nothing to launch yet: {advice}")
        return None
    is_plain = len(items) == 1 and not names
    index = 0 if is_plain else await host.questions.choice("Launch", items)
    if index is None:
        return None
    if index < len(names):
        return await _named(host, verb, root, names[index])
    program = str(built.programs[index - len(names)])
    return of_program(program, [], root, _cwd(verb, root), verb.env, stop_on_entry=verb.bang)


async def _named(host: Host, verb: Launch, root: str, name: str) -> Order | Attachment | None:
    """The order of a configuration of the project: its questions asked, the tasks before it done."""
    file = Path(verb.file) if verb.file else None
    known = _known(verb)

    def read() -> Reading:
        return read_launches(Path(root), _environ(host, verb), file, known)

    reading = await in_thread(read)
    if not await _answered(host, reading, name, known):
        return None
    if known != _known(verb):
        reading = await in_thread(read)
    found = find_configuration(reading, name)
    if name not in host.launches.warned:
        for warning in said_of(reading, name):
            host.editor.say(warning, "warn")
    return await _prepared(host, verb, root, found, known)


async def _given(host: Host, verb: Launch, root: str) -> Order | Attachment:
    """The order of a configuration that another plugin handed over."""
    config = dict(cast("Mapping[str, Any]", verb.config))
    config["type"] = NVIM_DAP_TYPES.get(str(config.get("type")), config.get("type"))
    config.setdefault("name", str(config.get("program", "a program")))
    config.setdefault("request", "launch")
    text = msgspec.json.encode({"configurations": [config]}).decode()
    file = Path(verb.file) if verb.file else None
    reading = read_text(text, Path(root), _environ(host, verb), file, _known(verb))
    if not reading.configurations:
        raise InvalidLaunchConfig(reading.warnings[0].removeprefix("launch.json: "))
    configuration = find_configuration(reading, reading.configurations[0].name)
    order = await _prepared(host, verb, root, configuration, _known(verb))
    return msgspec.structs.replace(order, configuration=None)


async def _answered(host: Host, reading: Reading, name: str, known: dict[str, str]) -> bool:
    """Ask what the configuration asks, into `known`; False when the user gave up."""
    questions = {question.id: question for question in reading.inputs}
    unresolved = next((each.unresolved for each in reading.configurations if each.name == name), ())
    for token in unresolved:
        asked = _ASKED.fullmatch(token)
        question = questions.get(asked[1]) if asked else None
        if question is None:
            continue
        answer = await _asked(host, question)
        if answer is None:
            return False
        known[f"input:{question.id}"] = answer
    return True


async def _asked(host: Host, question: Input) -> str | None:
    if not question.options:
        return await host.questions.text(f"{question.description}: ", question.default)
    index = await host.questions.choice(question.description, question.options)
    return None if index is None else question.options[index]


async def _prepared(
    host: Host, verb: Launch, root: str, configuration: LaunchConfiguration, known: Mapping[str, str]
) -> Order | Attachment:
    is_warned = configuration.name in host.launches.warned
    host.launches.warned.add(configuration.name)
    if configuration.ignored and not is_warned:
        host.editor.say(f"`{configuration.name}`: {', '.join(configuration.ignored)} does nothing here", "warn")
    due: tuple[Task, ...] = ()
    if configuration.pre_launch_task is not None:
        file = Path(verb.file) if verb.file else None
        environ = _environ(host, verb)
        due = await in_thread(tasks_before, configuration.pre_launch_task, Path(root), environ, file, known)
        for task in due:
            await tasks.run(host, root, task, environ)
    # The program may be what a task has just made.
    return of_configuration(configuration, root, due, stop_on_entry=verb.bang)


def newer_source(order: Order, file: str) -> str | None:
    """The file one looks at, where it is a source that was changed after the program was built."""
    source = Path(file)
    is_newer = order.kind == "codelldb" and source.suffix in SOURCES and is_older(Path(order.program), source)
    return str(source) if is_newer else None


def _known(verb: Launch) -> dict[str, str]:
    return dict(zip(EDITORS_VARIABLES, (str(verb.where.line), str(verb.column), verb.selected), strict=True))


def _environ(host: Host, verb: Launch) -> Mapping[str, str]:
    return dict[str, str](verb.env) or host.environ


def _first_word(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest


def _cwd(verb: Launch, root: str) -> str:
    # The editor's directory, as a shell's would be; unless the editor stands somewhere else altogether.
    cwd = verb.where.cwd
    return cwd if cwd and (cwd == root or cwd.startswith(root.rstrip("/") + "/")) else root
