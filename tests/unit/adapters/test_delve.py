"""What the driver of delve says, and what of a Go program is built."""

from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters import go_programs
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.plan import LaunchPlan, Normalised
from lazydap_daemon.adapters.reaching import CallsBack, Listens
from lazydap_daemon.adapters.scratch import Scratch
from lazydap_daemon.dap.messages import Source, StackFrame, StackTraceBody, StoppedBody, Thread

DELVE = DelveDriver(executable=("/bin/dlv",))
PROGRAM = "package main\n\nfunc main() {\n}\n"
LIBRARY = "package library\n"


def plan(program: Path, **more: Any) -> LaunchPlan:
    return LaunchPlan(kind="delve", program=str(program), cwd="/elsewhere", **more)


def with_mode(program: Path, mode: str) -> LaunchPlan:
    return plan(program, options=LaunchOptions(mode=mode))


@pytest.fixture(name="module")
def _module(tmp_path: Path) -> Path:
    (tmp_path / "go.mod").write_text("module m\n")
    (tmp_path / "cmd" / "tool").mkdir(parents=True)
    return tmp_path


def file(folder: Path, name: str, text: str = PROGRAM) -> Path:
    path = folder / name
    path.write_text(text)
    return path


# -- what is built ----------------------------------------------------------------------------------------------------


def test_the_mode_is_told_by_the_name_of_the_program(module: Path) -> None:
    assert go_programs.mode_of(plan(file(module, "main.go"))) == "debug"
    assert go_programs.mode_of(plan(module / "cmd")) == "debug"
    assert go_programs.mode_of(plan(file(module, "main_test.go"))) == "test"
    assert go_programs.mode_of(plan(file(module, "tool"))) == "exec"


def test_a_mode_that_is_named_counts_where_it_fits(module: Path) -> None:
    source, program = file(module, "main.go"), file(module, "tool")
    assert go_programs.mode_of(with_mode(source, "test")) == "test"
    assert go_programs.mode_of(with_mode(module, "test")) == "test"
    assert go_programs.mode_of(with_mode(program, "exec")) == "exec"
    for wrong in (with_mode(program, "debug"), with_mode(source, "exec"), with_mode(source, "replay")):
        with pytest.raises(InvalidLaunchConfig, match=str(wrong.options.mode)):
            go_programs.mode_of(wrong)


def test_a_file_stands_for_its_package(module: Path) -> None:
    tool = module / "cmd" / "tool"
    main = file(tool, "main.go")
    file(tool, "more.go", "package main\n\nfunc more() {\n\tfunc main() {}()\n}\n")
    assert go_programs.build_target(main, "debug") == tool
    assert go_programs.build_target(tool, "debug") == tool
    assert go_programs.module_root(main) == module
    assert DELVE.directory(plan(main)) == str(module)


@pytest.mark.parametrize(
    "other", ["package main\n\nfunc main() {\n}\n", "// A script.\npackage main\n\nfunc  main () { run() }\n"]
)
def test_one_of_several_programs_in_a_folder_is_built_alone(module: Path, other: str) -> None:
    main = file(module, "main.go")
    file(module, "other.go", other)
    assert go_programs.build_target(main, "debug") == main
    # A library file among them is one of the package's.
    assert go_programs.build_target(file(module, "library.go", LIBRARY), "debug") == module


def test_a_program_that_builds_leave_out_is_built_alone(module: Path) -> None:
    main = file(module, "main.go")
    for number, line in enumerate(("//go:build ignore", "// Copyright.\n\n// +build ignore")):
        script = file(module, f"script{number}.go", f"{line}\n\n{PROGRAM}")
        assert go_programs.build_target(script, "debug") == script
    assert go_programs.build_target(main, "debug") == module


def test_a_library_is_no_program_but_can_be_tested(module: Path) -> None:
    library = file(module, "library.go", "// Package library helps.\npackage library // it does\n")
    for asked in (plan(library), plan(module)):
        with pytest.raises(InvalidLaunchConfig, match="package library, which is no program"):
            DELVE.check(asked)
    DELVE.check(with_mode(library, "test"))
    # A script beside it is a program.
    DELVE.check(plan(file(module, "script.go", f"//go:build ignore\n\n{PROGRAM}")))
    # An empty folder is told of by the compiler.
    DELVE.check(plan(module / "cmd"))


def test_outside_of_any_module_a_file_is_a_program(tmp_path: Path) -> None:
    source = file(tmp_path, "main.go")
    assert go_programs.build_target(source, "debug") == source
    assert go_programs.module_root(source) == tmp_path
    assert go_programs.binary_name(source, "debug") == "main"


def test_what_is_built_has_the_name_that_go_would_give_it(module: Path) -> None:
    tool = module / "cmd" / "tool"
    assert go_programs.binary_name(tool, "debug") == "tool"
    assert go_programs.binary_name(tool, "test") == "tool.test"
    assert go_programs.binary_name(Path("/"), "debug") == "program"


def test_what_is_built_lies_in_a_folder_of_the_launch(module: Path) -> None:
    told = DELVE.launch_arguments(plan(module / "cmd" / "tool"))
    assert isinstance(DELVE.scratch, Scratch)
    assert told["output"] == str(DELVE.scratch.path / "tool")
    other = DelveDriver(executable=("/bin/dlv",)).scratch
    assert other is not None
    assert other.path != DELVE.scratch.path


def test_tests_run_beside_their_files_and_everything_else_where_the_launch_says(module: Path) -> None:
    source = file(module / "cmd", "x_test.go")
    assert DELVE.launch_arguments(plan(source))["cwd"] == str(module / "cmd")
    assert DELVE.launch_arguments(plan(module))["cwd"] == "/elsewhere"


def test_a_built_program_is_launched_as_it_is(module: Path) -> None:
    program = file(module, "tool")
    told = DELVE.launch_arguments(plan(program, options=LaunchOptions(source_map={"/build": "/here"})))
    assert (told["mode"], told["program"], "output" in told) == ("exec", str(program), False)
    assert told["substitutePath"] == [{"from": "/here", "to": "/build"}]


# -- what is told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "spelled"), [("3", ">= 3"), ("== 3", "== 3"), ("=3", "== 3"), ("%2", "% 2"), (" > 4 ", "> 4")]
)
def test_a_hit_condition_always_has_an_operator(condition: str, spelled: str) -> None:
    assert DELVE.hit_condition(condition) == spelled


def test_a_hit_condition_that_is_none_is_refused() -> None:
    with pytest.raises(Unsupported):
        DELVE.hit_condition("sometimes")


@pytest.mark.parametrize(
    ("body", "step_thread", "told"),
    [
        (StoppedBody(reason="breakpoint", thread_id=5, hit_breakpoint_ids=(2,)), None, ("breakpoint", 5, None)),
        (StoppedBody(reason="pause", thread_id=0), None, ("pause", None, None)),
        (StoppedBody(reason="function breakpoint", thread_id=1), 1, ("step", 1, None)),
        (StoppedBody(reason="function breakpoint", thread_id=1), None, ("function_breakpoint", 1, None)),
        (StoppedBody(reason="error", text="unknown goroutine 1"), 1, ("step", None, "unknown goroutine 1")),
        (
            StoppedBody(reason="exception", description="panic", text='"no \\"key\\" here"', hit_breakpoint_ids=(-1,)),
            None,
            ("exception", None, 'panic: no "key" here'),
        ),
        (
            StoppedBody(reason="exception", description="panic", text="main.T {n: 1}", thread_id=3),
            None,
            ("exception", 3, "panic: main.T {n: 1}"),
        ),
    ],
)
def test_a_stop_in_lazydaps_words(body: StoppedBody, step_thread: int | None, told: tuple[Any, ...]) -> None:
    normal: Normalised = DELVE.normalise_stop(
        body, entry_expected=False, pause_outstanding=False, step_thread=step_thread
    )
    assert (normal.reason, normal.thread_id, normal.text) == told
    assert normal.hit_ids == (body.hit_breakpoint_ids or ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "Build Error: go build /m\n# m\n./a.go:4:2: undefined: a (and b)\n./a.go:5:2: no (exit status 1)\n",
            "# m\n./a.go:4:2: undefined: a (and b)\n./a.go:5:2: no",
        ),
        (
            'Build Error: go build -o /tmp/x /m\n (exec: "go": executable file not found in $PATH)\n',
            'exec: "go": executable file not found in $PATH',
        ),
        ("Build Error: is what the program prints\n", None),
        ("Building /m\n", None),
    ],
)
def test_a_failed_build_is_told_as_the_compiler_wrote_it(text: str, reason: str | None) -> None:
    assert DELVE.launch_failure(text) == reason


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Process 7 has exited with status 3\n", 3),
        ("Process 7 has exited with status -9\n", -9),
        ("Process 7 has exited with status 3, I think\n", None),
        ("Detaching\n", None),
    ],
)
def test_an_exit_code_stands_in_a_line_of_its_own(text: str, code: int | None) -> None:
    assert DELVE.exit_code_in_output(text) == code


@pytest.mark.parametrize(
    ("frame", "is_machinery"),
    [
        (StackFrame(id=1, name="runtime.gopark", presentation_hint="subtle"), True),
        (StackFrame(id=1, name="time.Sleep", source=Source(path="/go/src/runtime/time.go")), True),
        (StackFrame(id=1, name="main.main", source=Source(path="/home/src/runtime/main.go")), False),
        (StackFrame(id=1, name="http.(*Server).Serve", source=Source(path="/go/src/net/http/server.go")), False),
        (StackFrame(id=1, name="main.main"), False),
    ],
)
def test_the_runtimes_own_frames_are_told_apart(frame: StackFrame, *, is_machinery: bool) -> None:
    assert DELVE.is_machinery(frame) is is_machinery


@pytest.mark.parametrize(
    ("start", "frames", "total", "known"), [(0, 3, 3, 3), (2, 1, 3, 3), (0, 20, 10_020, None), (0, 0, None, None)]
)
def test_the_size_of_a_stack_is_known_where_nothing_is_left(
    start: int, frames: int, total: int | None, known: int | None
) -> None:
    stack = tuple(StackFrame(id=number) for number in range(frames))
    assert DELVE.frame_total(start, StackTraceBody(stack_frames=stack, total_frames=total)) == known


def test_the_selected_goroutine_is_the_marked_one_else_the_first() -> None:
    one, two = Thread(id=1, name="[Go 1] main.main"), Thread(id=18, name="* [Go 18] main.work (Thread 4)")
    assert DELVE.selected_thread((one, two)) == 18
    assert DELVE.selected_thread((one,)) == 1
    assert DELVE.selected_thread(()) is None


def test_only_a_delve_that_names_the_option_lacks_the_way_back() -> None:
    back, there = DELVE.transports
    assert isinstance(back, CallsBack)
    assert isinstance(there, Listens)
    assert DELVE.lacks(back, 1, "Error: unknown flag: --client-addr\nUsage:")
    assert not DELVE.lacks(back, 1, "panic: something else")
    assert not DELVE.lacks(there, 1, "Error: unknown flag: --client-addr")
