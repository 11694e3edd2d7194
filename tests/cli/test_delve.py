"""The command line with a real delve, on Go programs."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.debugging import adapter_of, launch, none_left, resume, set_break, state
from tests.cli.shell import Shell
from tests.fixtures.go_programs import BROKEN, SPLIT, TOUR, module, warm

# The first of them waits until the standard library is compiled.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def project(shell: Shell) -> Iterator[Shell]:
    """A shell in a Go module whose session is ended with the test."""
    warm()
    module(shell.folder, TOUR)
    yield shell
    shell("disconnect")


def test_a_go_file_is_built_and_launched_without_being_told_how(project: Shell) -> None:
    set_break(project, "tour.go", TOUR.line("finish"))
    launched = launch(project, "tour.go", "--", "exit")
    assert (launched["state"], launched["reason"]) == ("paused", "entry")
    assert Path(launched["adapter_command"]).name == "dlv"
    assert [each["verified"] for each in launched["breakpoints"]] == [True]
    assert project("status").json["session"]["adapter"] == "delve"
    stop = resume(project)
    assert (stop["reason"], stop["hit_breakpoint_ids"]) == ("breakpoint", [1])
    assert (stop["frame"]["name"], stop["frame"]["line"]) == ("main.main", TOUR.line("finish"))
    adapter = adapter_of(project)
    tree: list[psutil.Process] = [adapter, *adapter.children(recursive=True)]
    assert resume(project)["exit_code"] == 3
    assert state(project) == "exited"
    none_left(tree)


def test_a_folder_with_go_files_is_a_program(project: Shell) -> None:
    folder = project.folder / "cmd" / "asked"
    folder.mkdir(parents=True)
    for program in SPLIT:
        program.write(folder)
    set_break(project, "cmd/asked/answer.go", SPLIT[1].line("answer"))
    launch(project, "cmd/asked")
    assert resume(project)["frame"]["name"] == "main.answer"


def test_what_the_compiler_wrote_is_printed(project: Shell) -> None:
    BROKEN.write(project.folder)
    (project.folder / "tour.go").unlink()
    ended = project("launch", "main.go", "--format", "table")
    assert ended.code == 1
    assert ended.err.startswith("error: DapProtocolError: the program could not be built: ./main.go:4:2: ")
    assert ended.err.endswith("./main.go:5:2: undefined: missing\n")
