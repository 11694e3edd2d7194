"""The command line with a real debugpy."""

import json
import signal
import time
import venv
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.cli.debugging import (
    WAIT,
    Json,
    adapter_of,
    launch,
    locals_of,
    none_left,
    resume,
    set_break,
    state,
    stdout_of,
)
from tests.cli.programs import PYTHON
from tests.cli.shell import Shell, finished, interrupt, wait_until

FINISH = PYTHON["exits"].line("finish")

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def project(shell: Shell) -> Shell:
    """A shell whose folder holds every Python program; its daemon takes the session along."""
    return with_programs(shell)


def with_programs(shell: Shell) -> Shell:
    for program in PYTHON.values():
        program.write(shell.folder)
    return shell


@contextmanager
def lasting(folder: Path) -> Generator[Shell]:
    """A project for tests that only look, or leave the program as they found it; ended with the last of them."""
    (folder / ".lazydap").mkdir(parents=True)
    shell = with_programs(Shell(folder.resolve()))
    yield shell
    ended = shell("shutdown")
    assert ended.code == 0, ended.err


@dataclass(frozen=True)
class Standing:
    """A program that stands at a breakpoint, with what was said on the way."""

    shell: Shell
    mark: Json
    launched: Json
    stop: Json


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """`exits.py` before its last line. Nobody may move it."""
    with lasting(tmp_path_factory.mktemp("standing")) as shell:
        mark = set_break(shell, "exits.py", FINISH)
        launched = launch(shell, "exits.py")
        yield Standing(shell, mark, launched, resume(shell))


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shell, Json]]:
    """`spins.py`, and what its launch without a stop said."""
    with lasting(tmp_path_factory.mktemp("endless")) as shell:
        yield shell, shell("launch", "spins.py").json


@pytest.fixture
def spinning(endless: tuple[Shell, Json]) -> Iterator[Shell]:
    """The shell of `spins.py`, which runs, as it is left whatever a test does."""
    shell, _ = endless
    yield shell
    shell("break", "--remove", "--all")
    shell("continue")


def test_a_python_program_is_launched_under_debugpy_without_being_told_to(standing: Standing) -> None:
    launched = standing.launched
    assert (launched["state"], launched["reason"], launched["raw_reason"]) == ("paused", "entry", None)
    session = standing.shell("status").json["session"]
    assert session["adapter"] == "debugpy"
    assert session["program"] == str(standing.shell.folder / "exits.py")
    assert session["session_id"] == launched["session_id"]
    # What only editors need is not printed.
    assert "stop" not in launched
    assert "stop" not in session
    assert Path(launched["adapter_command"]).name.startswith("python")
    assert session["adapter_command"] == launched["adapter_command"]


def test_continuing_to_a_breakpoint_reports_where_and_why_it_stopped(standing: Standing) -> None:
    assert [each["verified"] for each in standing.launched["breakpoints"]] == [True]
    stop = standing.stop
    assert (stop["state"], stop["reason"]) == ("paused", "breakpoint")
    assert (stop["frame"]["line"], stop["frame"]["name"]) == (FINISH, "<module>")
    assert stop["hit_breakpoint_ids"] == [standing.mark["id"]]


def test_continuing_a_program_that_is_already_running_reaches_the_breakpoint(
    endless: tuple[Shell, Json], spinning: Shell
) -> None:
    assert endless[1]["state"] == "running"
    turn = PYTHON["spins"].line("turn")
    set_break(spinning, "spins.py", turn)
    stop = resume(spinning)
    assert (stop["state"], stop["frame"]["line"]) == ("paused", turn)


def test_a_program_that_finishes_reports_its_exit_code_and_its_adapter_is_reaped(project: Shell) -> None:
    launch(project, "exits.py")
    adapter = adapter_of(project)
    tree = [adapter, *adapter.children(recursive=True)]
    ended = resume(project)
    assert (ended["state"], ended["exit_code"], ended["frame"]) == ("exited", 0, None)
    assert "x=5" in stdout_of(ended)
    # Nobody has to disconnect for that.
    none_left(tree)
    assert state(project) == "exited"
    assert "x=5" in project("output", "--format", "table").out


def test_a_program_that_never_stops_times_out_without_ending_the_session_and_can_be_interrupted(
    spinning: Shell,
) -> None:
    waited = resume(spinning, timeout="1")
    assert waited["state"] == "timeout"
    assert waited["elapsed_ms"] >= 1000
    assert state(spinning) == "running"
    stop = spinning("pause", "--wait").json
    assert (stop["state"], stop["reason"]) == ("paused", "pause")
    assert stop["frame"] is not None


def test_a_stop_after_a_wait_that_timed_out_is_waited_for_and_not_run_past(spinning: Shell) -> None:
    assert resume(spinning, timeout="1")["state"] == "timeout"
    added = set_break(spinning, "spins.py", PYTHON["spins"].line("turn"))
    wait_until(lambda: state(spinning) == "paused", "it does not stop")
    stop = spinning("wait", "--timeout", WAIT).json
    assert (stop["state"], stop["reason"], stop["frame"]["line"]) == ("paused", "breakpoint", added["line"])
    assert spinning("wait").json["frame"] == stop["frame"]
    assert "paused (breakpoint)" in spinning("wait", "--format", "table").out


def test_a_program_that_a_signal_ended_reads_so_and_not_as_one_that_exited(project: Shell) -> None:
    launch(project, "spins.py")
    waiting = project.start("continue", "--wait", "--timeout", WAIT, "--format", "table")
    wait_until(lambda: state(project) == "running", "it does not run")
    # The launcher names the program too, and has it as its child.
    tree = adapter_of(project).children(recursive=True)
    (program,) = [process for process in tree if _is_spinning(process, project) and not process.children()]
    program.send_signal(signal.SIGSEGV)
    table = finished(waiting).out
    assert "ended by SIGSEGV" in table
    assert "245 (SIGSEGV)" in table
    assert "ended by SIGSEGV" in project("status", "--format", "table").out
    ended = project("wait").json
    assert (ended["state"], ended["exit_code"]) == ("exited", 245)
    assert "disconnected" not in ended


def test_the_variable_and_the_config_set_the_limit_of_a_wait(spinning: Shell) -> None:
    by_variable = spinning.with_variables(LAZYDAP_TIMEOUT="1")("continue", "--wait").json
    assert by_variable["state"] == "timeout"
    config = spinning.write("config.toml", "[general]\nwait_timeout_seconds = 1\n")
    by_config = spinning.with_variables(LAZYDAP_CONFIG_PATH=str(config))("continue", "--wait").json
    assert by_config["state"] == "timeout"
    assert max(by_variable["elapsed_ms"], by_config["elapsed_ms"]) < 5000


def test_an_uncaught_exception_stops_says_what_it_is_and_ends_the_program(project: Shell) -> None:
    launch(project, "crashes.py")
    assert resume(project)["reason"] == "exception"
    told = project("exception").json
    assert (told["type_name"], told["message"]) == ("ValueError", "nothing here")
    ended = resume(project)
    assert (ended["state"], ended["exit_code"]) == ("exited", 1)
    errors = "".join(chunk["output"] for chunk in ended["captured_output"] if chunk["category"] == "stderr")
    assert "ValueError: nothing here" in errors


def test_exceptions_are_chosen_by_name_and_what_is_no_name_is_told_with_those_there_are(project: Shell) -> None:
    assert "userUnhandled" in project("exceptions", "list", "--adapter", "python", "--format", "ids").out.split()
    wrong = project("exceptions", "on", "rased", "--adapter", "debugpy")
    assert wrong.code != 0
    assert "no exception filter 'rased': choose from raised, uncaught, userUnhandled" in wrong.err
    launch(project, "crashes.py")
    answer = project("exceptions", "off", "uncaught").json
    assert (answer["applied_to_session"], answer["filters"][0]["enabled"]) == (True, False)
    assert (resume(project)["state"], project("exceptions", "reset").json["filters"][0]["chosen"]) == ("exited", False)


def test_a_lot_of_output_arrives_in_order_and_can_be_read_on_from_a_chunk(project: Shell) -> None:
    set_break(project, "chatty.py", PYTHON["chatty"].line("finished"))
    launch(project, "chatty.py")
    printed = stdout_of(resume(project))
    assert [text for text in printed.splitlines() if text] == [f"line {number}" for number in range(200)]
    chunks = project("output").json["chunks"]
    assert {chunk["category"] for chunk in chunks} == {"stdout"}
    middle = chunks[len(chunks) // 2]["seq"]
    rest = project("output", "--after", str(middle)).json["chunks"]
    assert rest == [chunk for chunk in chunks if chunk["seq"] > middle]


def test_a_killed_adapter_takes_its_python_debuggee_with_it(project: Shell) -> None:
    launch(project, "spins.py")
    adapter = adapter_of(project)
    waiting = project.start("continue", "--wait", "--timeout", "20")
    try:
        wait_until(lambda: state(project) == "running", "it does not run")
        tree = [adapter, *adapter.children(recursive=True)]
        begun = time.monotonic()
        adapter.kill()
        ended = finished(waiting).json
    finally:
        waiting.kill()
        waiting.wait()
    assert ended["state"] == "adapter_died"
    assert time.monotonic() - begun < 10
    none_left(tree, seconds=2)
    none_left([process for process in psutil.process_iter() if _is_spinning(process, project)], seconds=2)


def _is_spinning(process: psutil.Process, shell: Shell) -> bool:
    try:
        return str(shell.folder / "spins.py") in process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False


def test_variables_and_expressions_read_the_paused_frame(standing: Standing) -> None:
    shell = standing.shell
    assert "Locals" in shell("scopes", "--format", "csv").out
    assert locals_of(shell)["x"]["value"] == "5"
    value = shell("eval", "x * 3").json
    assert (value["value"], value["type_name"]) == ("15", "int")
    missing = shell("eval", "nothing_of_that_name")
    assert missing.code == 1
    assert missing.error["error"] == "DapProtocolError"
    assert "nothing_of_that_name" in missing.error["message"]


def test_what_debugpy_files_away_is_no_row_before_the_values_and_no_value_is_missing(project: Shell) -> None:
    program = PYTHON["hands over"]
    set_break(project, program.name, program.line("within"))
    set_break(project, program.name, program.line("last"))
    launch(project, program.name)
    stop = resume(project)
    assert [row["name"] for row in stop["locals"]["variables"]] == ["callback", "steps"]
    rows = locals_of(project)
    assert list(rows) == ["callback", "steps"]
    listed = project("variables", "--reference", str(rows["steps"]["variables_reference"])).json["variables"]
    assert [row["name"] for row in listed] == ["0", "1", "2", "len()", "special variables", "function variables"]
    assert listed[1]["value"].startswith("<function double")
    assert [row["name"] for row in resume(project)["locals"]["variables"]] == ["done"]
    assert list(locals_of(project)) == ["done", "special variables", "function variables"]


def test_a_python_frame_names_its_source_even_though_debugpy_only_sends_a_path(standing: Standing) -> None:
    shell = standing.shell
    top = shell("stack").json["frames"][0]
    assert top["source"] == {"name": "exits.py", "path": str(shell.folder / "exits.py")}
    assert shell("stack", "--format", "csv").out.splitlines()[1].endswith(f",<module>,exits.py,{FINISH}")


def test_stepping_walks_in_over_and_out_and_a_table_says_where_it_is(project: Shell) -> None:
    calls = PYTHON["calls"]
    set_break(project, "calls.py", calls.line("call"))
    launch(project, "calls.py")
    resume(project)
    assert project("step-in", "--wait").json["frame"]["line"] == calls.line("total")
    stepped = project("next", "--wait").json
    assert (stepped["reason"], stepped["frame"]["line"]) == ("step", calls.line("return"))
    table = project("wait", "--format", "table").out
    assert f"calls.py:{calls.line('return')} in area" in table
    assert "side = 1" in table
    assert project("step-out", "--wait").json["frame"]["name"] == "main"


def test_moving_without_waiting_answers_that_it_runs(spinning: Shell) -> None:
    assert spinning("continue").json["already_running"] is True
    spinning("pause", "--wait")
    moving = spinning("continue").json
    assert moving["state"] == "running"
    assert moving["already_running"] is False
    assert set(moving) == {"already_running", "session_id", "state", "thread_id"}


@pytest.mark.parametrize("chosen", ["json", "table"])
def test_ctrl_c_in_a_wait_leaves_the_program_as_it_is(spinning: Shell, chosen: str) -> None:
    spinning("pause", "--wait")
    waiting = spinning.start("continue", "--wait", "--timeout", WAIT, "--format", chosen)
    wait_until(lambda: state(spinning) == "running", "it does not run")
    interrupt(waiting)
    ended = finished(waiting)
    assert ended.code == 130
    assert ended.out == ""
    assert "left as it was" in ended.err
    assert "Traceback" not in ended.err
    assert state(spinning) == "running"


def test_two_waits_sent_at_once_both_come_back_with_an_answer(project: Shell) -> None:
    set_break(project, "exits.py", FINISH)
    launch(project, "exits.py")
    both = [project.start("continue", "--wait", "--timeout", "20") for _ in range(2)]
    states = sorted(finished(each).json["state"] for each in both)
    assert states == ["exited", "paused"]


def test_the_program_gets_its_arguments_its_folder_and_the_variables_of_the_shell_that_launched_it(
    project: Shell,
) -> None:
    (project.folder / "sub").mkdir()
    # The daemon is of a shell that knows nothing of them.
    project("status")
    later = project.with_variables(COLOUR="overruled", TASTE="of a later shell")
    words = ("--cwd", "sub", "--env", "COLOUR=a=b", "--", "one", "two words", "--format", "☃")
    later("launch", "calls.py", "--stop-on-entry", *words)
    printed = stdout_of(resume(project))
    assert f"arguments one two words --format ☃ a=b {project.folder / 'sub'} 14 of a later shell" in printed


def test_the_interpreter_of_the_clients_virtual_environment_runs_the_program(project: Shell) -> None:
    environment = project.folder / "venv"
    venv.create(environment, symlinks=True)
    project.write("prefix.py", "import sys\nprint('prefix', sys.prefix)\n")
    launched = launch(project.with_variables(VIRTUAL_ENV=str(environment)), "prefix.py")
    assert Path(launched["adapter_command"]).is_relative_to(environment)
    assert f"prefix {environment}" in stdout_of(resume(project))


def test_disconnecting_ends_program_and_session_and_the_wait_of_another_client(project: Shell) -> None:
    launch(project, "spins.py")
    tree = adapter_of(project).children(recursive=True)
    waiting = project.start("continue", "--wait", "--format", "table")
    wait_until(lambda: state(project) == "running", "it does not run")
    rehearsed = project("disconnect", "--dry-run").json
    assert (rehearsed["disconnected"], rehearsed["dry_run"]) == (False, True)
    assert state(project) == "running"
    ended = project("disconnect").json
    assert (ended["disconnected"], ended["terminated_debuggee"]) == (True, True)
    none_left(tree)
    assert project("status").json["session"] is None
    assert project("disconnect").error["error"] == "SessionNotFound"
    table = finished(waiting).out
    assert "ended by another client" in table
    assert "exit" not in table


def test_disconnecting_without_terminating_says_so_honestly_when_debugpy_cannot_detach(project: Shell) -> None:
    launch(project, "spins.py")
    begun = time.monotonic()
    ended = project("disconnect", "--no-terminate")
    assert ended.json["terminated_debuggee"] is True
    assert ended.err.startswith("warning: ")
    assert time.monotonic() - begun < 3


def test_a_second_launch_is_refused_while_the_first_is_live(standing: Standing) -> None:
    ended = standing.shell("launch", "spins.py")
    assert ended.code == 1
    assert ended.error["error"] == "SessionAlreadyActive"
    assert ended.error["details"]["session_id"] == standing.launched["session_id"]


def test_a_shutdown_names_and_ends_the_session(project: Shell) -> None:
    launched = launch(project, "spins.py")
    tree = adapter_of(project).children(recursive=True)
    sessions = project("shutdown").json["sessions"]
    assert [session["session_id"] for session in sessions] == [launched["session_id"]]
    assert "stop" not in sessions[0]
    none_left(tree, seconds=8)


def test_output_that_is_no_text_is_shown_and_harms_nothing(project: Shell) -> None:
    project.write("raw.py", "import sys\nsys.stdout.buffer.write(b'caf\\xe9 \\xff\\n')\nsys.stdout.flush()\n")
    launch(project, "raw.py")
    assert resume(project)["state"] == "exited"
    assert "caf" in json.dumps(project("output").json)


def test_a_configuration_can_name_a_module(project: Shell) -> None:
    project.write("pkg/__main__.py", "import sys\nprint('as', __name__, __package__, *sys.argv[1:])\n")
    project.write(
        ".vscode/launch.json",
        """{"inputs": [{"id": "how", "type": "promptString"}], "configurations": [
            {"name": "module", "type": "debugpy", "request": "launch", "args": ["${input:how}", "${fileBasename}"],
            "module": "pkg", "stopOnEntry": true, "jinja": true}]}""",
    )
    run = project("launches", "run", "module", "--input", "how=two = words", "--file", "calls.py")
    assert "`module`: jinja does nothing here" in run.err
    assert "as __main__ pkg two = words calls.py" in stdout_of(resume(project))


def test_a_configuration_is_run_with_its_task_before_it(project: Shell) -> None:
    project.write(
        ".vscode/launch.json",
        """{
          // Comments, and a comma too many.
          "configurations": [
            {"name": "with task", "type": "debugpy", "request": "launch",
             "program": "${workspaceFolder}/made.py", "args": "one 'two words'", "env": {"COLOUR": "red"},
             "stopOnEntry": true, "preLaunchTask": "make it"},
            {"name": "with a task that fails", "type": "debugpy", "request": "launch",
             "program": "made.py", "preLaunchTask": "fail"},
          ],
        }""",
    )
    project.write(
        ".vscode/tasks.json",
        """{"version": "2.0.0", "tasks": [
            {"label": "make it", "type": "shell", "command": "cp calls.py made.py && echo made", "dependsOn": "first"},
            {"label": "first", "type": "process", "command": "echo", "args": ["from ${workspaceFolderBasename}"]},
            {"label": "fail", "type": "shell", "command": "exit 3"},
        ]}""",
    )
    failed = project("launches", "run", "with a task that fails")
    assert failed.code == 1
    error = json.loads(failed.err.splitlines()[-1])
    assert error["error"] == "InvalidLaunchConfig"
    assert error["details"] == {"task": "fail", "exit_code": 3}
    assert project("status").json["session"] is None
    run = project("launches", "run", "with task")
    assert run.json["state"] == "paused"
    assert run.err.splitlines()[:3] == [
        "task first: echo from p",
        "from p",
        "task make it: /bin/sh -c cp calls.py made.py && echo made",
    ]
    assert f"arguments one two words red {project.folder} 14" in stdout_of(resume(project))
