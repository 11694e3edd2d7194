"""What a launch command stands for: which program, what is asked before, what is run before."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from lazydap_core.errors import Cancelled, InvalidLaunchConfig
from lazydap_nvim.editor import ASK, CHOOSE, LIST_LINES, MESSAGE, Editor
from lazydap_nvim.host import Host
from lazydap_nvim.meaning import newer_source, order_of
from lazydap_nvim.model import Project
from lazydap_nvim.orders import Attachment, Order
from lazydap_nvim.verbs import Launch, Where
from tests.unit.host.building import Clock

DEADLINE = 10.0


class Desk:
    """A project folder and a host; `answers` are given to what the user is asked, in turn."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answers: list[Any] = []
        self.asked: list[tuple[str, Any]] = []
        self.lines: list[str] = []
        self.lists: list[dict[str, Any]] = []
        self.host = Host(Editor(self._send, Clock()), Clock(), {"HOME": str(root), "PATH": os.environ["PATH"]})
        self.host.model = self.host.model.with_project(Project(root=str(root)))

    def _send(self, code: str, *arguments: Any) -> None:
        if code in (CHOOSE, ASK):
            question = json.loads(arguments[0])
            self.asked.append((question.get("title") or question["prompt"], question.get("items")))
            self.host.questions.answered(question["token"], self.answers.pop(0))
        elif code == MESSAGE:
            self.lines.append(arguments[0])
        elif code == LIST_LINES:
            self.lists.append(json.loads(arguments[0]))

    def configure(self, *configurations: dict[str, Any], inputs: Any = (), tasks: Any = ()) -> None:
        folder = self.root / ".vscode"
        folder.mkdir(exist_ok=True)
        whole = [{"name": "it", "type": "debugpy", "request": "launch", **each} for each in configurations]
        (folder / "launch.json").write_text(json.dumps({"configurations": whole, "inputs": list(inputs)}))
        (folder / "tasks.json").write_text(json.dumps({"tasks": list(tasks)}))

    def file(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str) -> Path:
        path = self.file(name)
        path.write_bytes(b"\x7fELF")
        path.chmod(0o755)
        return path

    def meant(self, args: str = "", **keys: Any) -> Order | Attachment | None:
        where = Where(file=str(keys.get("file", "")), line=7, cwd=str(self.root))
        verb = Launch(args=args, where=where, **keys)

        async def ask() -> Order | Attachment | None:
            with anyio.fail_after(DEADLINE):
                return await order_of(self.host, verb, str(self.root))

        return anyio.run(ask)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "app.py").write_text("")
    return Desk(tmp_path)


def only(order: Order | Attachment | None) -> Order:
    assert isinstance(order, Order)
    return order


def test_a_configuration_asks_and_its_answers_are_put_in(desk: Desk) -> None:
    desk.configure(
        {"program": "app.py", "args": ["${input:who}", "${input:level}"]},
        inputs=[
            {"id": "who", "type": "promptString", "description": "Greet whom", "default": "Ada"},
            {"id": "level", "type": "pickString", "description": "How loud", "options": ["low", {"value": "high"}]},
        ],
    )
    desk.answers = ["Grace", 2]

    assert only(desk.meant("it")).args == ("Grace", "high")
    assert desk.asked == [("Greet whom: ", None), ("How loud", ["low", "high"])]


def test_nothing_is_launched_when_a_question_is_given_up(desk: Desk) -> None:
    desk.configure({"program": "app.py", "args": ["${input:who}"]}, inputs=[{"id": "who", "type": "promptString"}])
    desk.answers = [None]

    assert desk.meant("it") is None


def test_what_only_an_editor_knows_is_put_in(desk: Desk) -> None:
    desk.configure({"program": "${file}", "args": ["${lineNumber}", "${columnNumber}", "${selectedText}"]})

    order = only(desk.meant("it", file=str(desk.root / "app.py"), column=3, selected="a b"))

    assert order.program == str(desk.root / "app.py")
    assert order.args == ("7", "3", "a b")


def test_a_compound_is_answered_with_the_configurations_it_is_of(desk: Desk) -> None:
    desk.configure({"name": "a", "program": "app.py"}, {"name": "b", "program": "app.py"})
    path = desk.root / ".vscode" / "launch.json"
    whole = json.loads(path.read_text()) | {"compounds": [{"name": "Both", "configurations": ["a", "b"]}]}
    path.write_text(json.dumps(whole))

    with pytest.raises(InvalidLaunchConfig, match="`Both` is a compound: launch one of a, b"):
        desk.meant("Both")
    desk.answers = [1]
    only(desk.meant("?", choose=True))
    assert desk.lines == ["launch.json: compounds (Both) are left out: launch one configuration at a time"]


def test_what_is_odd_about_a_configuration_is_said_once_and_when_it_is_launched(desk: Desk) -> None:
    desk.configure(
        {"name": "pick", "program": "app.py", "args": ["${command:pickArgs}"]},
        {"name": "c", "type": "cppdbg", "program": "prog", "setupCommands": []},
        {"name": "py", "program": "app.py"},
    )
    desk.program("prog")
    desk.answers = [3, 2, 2]

    only(desk.meant("?", choose=True))
    assert desk.lines == []
    only(desk.meant("?", choose=True))
    only(desk.meant("?", choose=True))
    assert desk.lines == ["`c` was written for cppdbg: its MIMode, miDebuggerPath and setupCommands are ignored"]


def test_the_task_before_a_launch_is_run_first_and_may_make_the_program(desk: Desk) -> None:
    make = {"label": "make it", "type": "shell", "command": "echo pass > made.py"}
    desk.configure({"program": "made.py", "preLaunchTask": "make it"}, tasks=[make])

    assert only(desk.meant("it")).program == str(desk.root / "made.py")
    assert desk.lines == ["task `make it` is running: :LazydapStop gives it up"]


def test_a_task_that_fails_shows_what_it_printed_and_nothing_is_launched(desk: Desk) -> None:
    fail = {"label": "fail", "type": "shell", "command": "echo a.c:3: oops; exit 4"}
    desk.configure({"program": "app.py", "preLaunchTask": "fail"}, tasks=[fail])

    with pytest.raises(InvalidLaunchConfig, match="`fail` failed with exit code 4: nothing was launched"):
        desk.meant("it")
    assert desk.lists == [{"title": "Lazydap task fail", "cwd": str(desk.root), "lines": ["a.c:3: oops"]}]


def test_the_errors_of_a_compiler_that_writes_in_colour_are_listed_without(desk: Desk) -> None:
    words = r"\033[01m\033[Ka.c:3:1:\033[m\033[K \033[01;31merror: \033[moops"
    fail = {"label": "fail", "type": "shell", "command": f"printf '{words}\\n'; exit 1"}
    desk.configure({"program": "app.py", "preLaunchTask": "fail"}, tasks=[fail])

    with pytest.raises(InvalidLaunchConfig):
        desk.meant("it")
    assert desk.lists[0]["lines"] == ["a.c:3:1: error: oops"]


def test_a_task_that_is_not_there_can_be_told_by_its_name(desk: Desk) -> None:
    gone = {"label": "gone", "type": "process", "command": "/nowhere/at/all"}
    desk.configure({"program": "app.py", "preLaunchTask": "gone"}, tasks=[gone])

    with pytest.raises(InvalidLaunchConfig, match="the task `gone` cannot be started: No such file"):
        desk.meant("it")


def test_a_module_is_launched_where_a_program_would_be(desk: Desk) -> None:
    desk.configure({"module": "app", "justMyCode": False, "sourceMap": {"/there": "${workspaceFolder}"}})

    order = only(desk.meant("it"))

    assert (order.module, order.just_my_code) == ("app", False)
    assert order.source_map == {"/there": str(desk.root)}


def test_keys_that_do_nothing_here_are_named_once(desk: Desk) -> None:
    desk.configure({"program": "app.py", "envFile": ".env", "jinja": True})

    desk.meant("it")
    desk.meant("it")

    assert desk.lines == ["`it`: envFile, jinja does nothing here"]


def test_a_bare_launch_runs_the_last_configuration_with_its_task_again(desk: Desk) -> None:
    count = {"label": "count", "type": "shell", "command": "echo >> runs"}
    desk.configure({"program": "app.py", "preLaunchTask": "count"}, tasks=[count])

    desk.host.launches.last[str(desk.root)] = only(desk.meant("it"))
    desk.meant("")

    assert (desk.root / "runs").read_text() == "\n\n"


def test_the_one_program_built_from_a_c_file_is_launched(desk: Desk) -> None:
    source = desk.file("loop.c")
    program = desk.program("build/loop")

    assert only(desk.meant(file=str(source), filetype="c")).program == str(program)


def test_of_several_programs_the_user_chooses(desk: Desk) -> None:
    source = desk.file("loop.c")
    desk.program("build/other")
    desk.program("build/loop")
    desk.answers = [2]

    assert only(desk.meant(file=str(source))).program == str(desk.root / "build/other")
    assert desk.asked == [("Launch", ["build/loop", "build/other"])]


def test_a_source_that_was_not_built_says_how_to_build_it(desk: Desk) -> None:
    source = desk.file("loop.c")

    assert desk.meant(file=str(source)) is None
    assert desk.lines == ["nothing to launch yet: build it (`cc -g -O0 -o loop loop.c`), then :LazydapLaunch PROGRAM"]


@pytest.mark.parametrize(("target", "is_there"), [("greet", True), ("other", False)])
def test_cargo_tells_the_program_of_a_rust_file(desk: Desk, target: str, *, is_there: bool) -> None:
    source = desk.file("src/main.rs")
    desk.file("Cargo.toml")
    told = {
        "target_directory": str(desk.root / "out"),
        "packages": [{"targets": [{"name": "greet", "kind": ["bin"], "src_path": str(source)}]}],
    }
    cargo = desk.file("tools/cargo", f"#!{sys.executable}\nprint({json.dumps(told)!r})\n")
    cargo.chmod(0o755)
    program = desk.program(f"out/debug/{target}")
    environ = {"PATH": f"{cargo.parent}:{os.environ['PATH']}"}

    order = desk.meant(file=str(source), env=environ)

    assert (isinstance(order, Order) and order.program == str(program)) == is_there
    assert is_there or desk.lines == ["nothing to launch yet: build it (`cargo build`), then launch again"]


def test_a_program_older_than_its_source_is_known_before_it_is_launched(desk: Desk) -> None:
    program = desk.program("build/loop")
    os.utime(program, (1, 1))
    source = desk.file("loop.c")

    order = only(desk.meant(file=str(source)))

    assert newer_source(order, str(source)) == str(source)
    os.utime(source, (1, 1))
    assert newer_source(order, str(source)) is None


@pytest.mark.parametrize("kind", ["python", "debugpy"])
def test_a_configuration_can_be_handed_over_whole(desk: Desk, kind: str) -> None:
    config = {"type": kind, "request": "launch", "name": "tests", "program": "app.py", "args": ["-k", "one"]}

    order = only(desk.meant(config=config))

    assert (order.kind, order.program, order.args) == ("debugpy", str(desk.root / "app.py"), ("-k", "one"))
    assert order.configuration is None


def test_a_configuration_that_makes_no_sense_is_refused_by_what_is_wrong(desk: Desk) -> None:
    with pytest.raises(InvalidLaunchConfig, match="Expected `str"):
        desk.meant(config={"type": "python", "program": 3})


def test_a_task_that_hangs_is_given_up_and_nothing_is_launched(desk: Desk) -> None:
    hang = {"label": "hang", "type": "process", "command": "sleep", "args": ["1000"]}
    desk.configure({"program": "app.py", "preLaunchTask": "hang"}, tasks=[hang])
    root = str(desk.root)

    async def launch() -> None:
        with pytest.raises(Cancelled, match="the task `hang` was given up: nothing was launched"):
            await order_of(desk.host, Launch(args="it", where=Where(line=1, cwd=root)), root)

    async def give_up() -> None:
        with anyio.fail_after(DEADLINE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(launch)
                while root not in desk.host.launches.tasks:  # noqa: ASYNC110 - nothing tells of it
                    await anyio.sleep(0.01)
                desk.host.launches.tasks[root].cancel()

    anyio.run(give_up)
    assert desk.host.launches.tasks == {}


def test_what_will_be_asked_is_no_unknown_when_one_chooses(desk: Desk) -> None:
    desk.configure(
        {"program": "app.py", "args": ["${input:who}", "${lineNumber}"]}, inputs=[{"id": "who", "type": "promptString"}]
    )
    desk.answers = [None]

    assert desk.meant("", choose=True) is None
    assert desk.lines == []


@pytest.mark.parametrize(
    ("keys", "target"),
    [
        ({"connect": {"host": "localhost", "port": 5678}}, "localhost:5678"),
        ({"port": 5678}, "127.0.0.1:5678"),
        ({"processId": 42}, "42"),
        ({"processId": "${command:pickProcess}"}, ""),
        ({"processId": "${input:pid}"}, "43"),
        ({"connect": {"host": "${env:HOME}", "port": "${input:pid}"}}, "ROOT:43"),
    ],
)
def test_a_configuration_that_attaches_does_so(desk: Desk, keys: dict[str, Any], target: str) -> None:
    desk.configure({"request": "attach", **keys}, inputs=[{"id": "pid", "type": "promptString"}])
    desk.answers = ["43"]

    meant = desk.meant("it")

    assert isinstance(meant, Attachment)
    assert (meant.kind, meant.target) == ("debugpy", target.replace("ROOT", str(desk.root)))


@pytest.mark.parametrize("is_given", [False, True])
def test_what_else_a_configuration_that_attaches_says_is_done_as_well(desk: Desk, *, is_given: bool) -> None:
    make = {"label": "make it", "type": "shell", "command": "touch made"}
    keys = {
        "type": "debugpy",
        "request": "attach",
        "port": 5678,
        "justMyCode": True,
        "preLaunchTask": "make it",
        "pathMappings": [{"localRoot": "${workspaceFolder}/src", "remoteRoot": "/app"}],
        "subProcess": False,
        "stopOnEntry": True,
    }
    desk.configure(keys, tasks=[make])

    meant = desk.meant(config={"name": "it", **keys}) if is_given else desk.meant("it")

    assert isinstance(meant, Attachment)
    assert (meant.just_my_code, meant.source_map) == (True, {"/app": str(desk.root / "src")})
    assert meant.configuration == (None if is_given else "it")
    assert (desk.root / "made").exists()
    assert "`it`: subProcess, stopOnEntry does nothing here" in desk.lines


def test_a_configuration_that_cannot_be_expanded_does_not_attach(desk: Desk) -> None:
    desk.configure({"request": "attach", "processId": "${input:nobody}"})

    with pytest.raises(InvalidLaunchConfig, match=r"cannot be run: \$\{input:nobody\} cannot be expanded here"):
        desk.meant("it")


def test_a_variable_of_the_environment_is_the_editors_as_it_is_now(desk: Desk) -> None:
    desk.configure({"program": "app.py", "args": ["${env:COLOUR}"]})

    assert only(desk.meant("it", env={"COLOUR": "green"})).args == ("green",)


def test_a_bare_launch_attaches_again_where_that_was_the_last(desk: Desk) -> None:
    desk.configure({"request": "attach", "port": 5678})
    last = desk.meant("it")
    assert isinstance(last, Attachment)
    desk.host.launches.last[str(desk.root)] = last

    assert desk.meant("") == last
