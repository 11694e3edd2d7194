"""A real delve, at the level of its adapter: what the driver promises is what happens."""

import json
import os
import signal
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.adapters.plan import Normalised
from lazydap_daemon.adapters.scratch import Scratch
from lazydap_daemon.dap.errors import RequestRefused
from lazydap_daemon.dap.messages import (
    ExitedBody,
    OutputBody,
    StackFrame,
    StackTraceBody,
    StoppedBody,
    Thread,
    ThreadsBody,
    VariablesBody,
)
from tests.adapters.real import dlv
from tests.adapters.talking import Talk, session_members, talking
from tests.fixtures.go_programs import BROKEN, DEEP, MANY, SPLIT, TOUR, built, module, warm

# The first of them waits until the standard library is compiled.
pytestmark = pytest.mark.timeout(300)

MAIN, ANSWER, TEST = SPLIT

STRANGER = (
    "import socket, sys; calling = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10);"
    "told = calling.recv(1); open(sys.argv[2], 'w').write('let in' if told else 'turned away')"
)


@pytest.fixture(name="tour", scope="module")
def _tour(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source and the program of the tour, built once."""
    warm()
    return built(tmp_path_factory.mktemp("tour"), TOUR)


def driver() -> DelveDriver:
    return DelveDriver(executable=(dlv(),))


def plan(program: Path, *args: str, cwd: Path | None = None, **more: Any) -> LaunchPlan:
    folder = cwd or (program if program.is_dir() else program.parent)
    return LaunchPlan(kind="delve", program=str(program), args=args, cwd=str(folder), **more)


def normalised(body: StoppedBody, *, step_thread: int | None = None) -> Normalised:
    return driver().normalise_stop(body, entry_expected=False, pause_outstanding=False, step_thread=step_thread)


def scratch_of(talk: Talk) -> Path:
    assert isinstance(talk.driver.scratch, Scratch)
    return talk.driver.scratch.path


async def local_values(talk: Talk, thread: int | None) -> dict[str, str]:
    frame = await talk.top_frame(thread)
    scopes = (await talk.request("scopes", frameId=frame.id))["scopes"]
    arguments = {"variablesReference": scopes[0]["variablesReference"]}
    rows = (await talk.request_as(VariablesBody, "variables", arguments)).variables
    return {row.name: row.value for row in rows}


async def frames(talk: Talk, thread: int | None, **window: int) -> StackTraceBody:
    return await talk.request_as(StackTraceBody, "stackTrace", {"threadId": thread, "startFrame": 0, **window})


async def threads(talk: Talk) -> tuple[Thread, ...]:
    return (await talk.request_as(ThreadsBody, "threads", {})).threads


def shown(talk: Talk, stack: Sequence[StackFrame]) -> tuple[str, int]:
    """Name and line of the frame that a person is shown."""
    frame = next(each for each in stack if not talk.driver.is_machinery(each))
    return frame.name, frame.line


async def refused_launch(talk: Talk) -> str:
    """The words with which the launch is refused, before anything is initialized."""
    await talk.request("initialize", **talk.driver.initialize_arguments())
    with pytest.raises(RequestRefused) as refused:
        await talk.request("launch", **talk.driver.launch_arguments(talk.plan))
    assert not [event for event in talk.events if event.name == "initialized"]
    return refused.value.text


# -- the life of a program --------------------------------------------------------------------------------------------


async def test_a_go_file_is_built_stops_at_its_entry_steps_and_ends_with_its_code(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "tour", TOUR)
    async with talking(driver(), plan(source, "count", stop_on_entry=True)) as talk:
        opinions = await talk.launch({str(source): [{"line": TOUR.line("call")}]})
        (opinion,) = opinions[str(source)]
        assert (opinion.verified, opinion.line) == (True, TOUR.line("call"))
        assert normalised(await talk.stopped()).reason == "entry"
        hit = normalised(await talk.move("continue", 1))
        assert (hit.reason, hit.hit_ids, hit.text) == ("breakpoint", (opinion.id,), None)
        assert (await local_values(talk, hit.thread_id))["total"] == "0"
        inside = await talk.move("stepIn", hit.thread_id)
        frame = await talk.top_frame(inside.thread_id)
        assert (normalised(inside).reason, frame.name) == ("step", "main.squared")
        assert frame.source is not None
        assert frame.source.file == str(source)
        assert (await local_values(talk, inside.thread_id))["number"] == "0"
        out = await talk.move("stepOut", inside.thread_id)
        assert (out.reason, (await talk.top_frame(out.thread_id)).name) == ("step", "main.count")
        await talk.set_breakpoints(str(source), [])
        binary = scratch_of(talk) / "tour"
        assert stat.S_IMODE(binary.parent.stat().st_mode) == 0o700
        assert binary.exists()
        await talk.request("continue", threadId=out.thread_id)
        await talk.expect("terminated")
        exited = [event.decode(ExitedBody).exit_code for event in talk.events if event.name == "exited"]
        assert exited in ([30], [])  # none up to 1.26
        assert (await talk.said("line 4")).endswith("line 4 30\n")
    assert not binary.parent.exists()
    assert sorted(path.name for path in source.parent.iterdir()) == ["go.mod", "tour.go"]


async def test_the_entry_has_neither_stack_nor_goroutines_of_its_own(tour: tuple[Path, Path]) -> None:
    async with talking(driver(), plan(tour[1], "exit", stop_on_entry=True)) as talk:
        await talk.launch()
        entry = await talk.stopped()
        assert [(thread.id, thread.name) for thread in await threads(talk)] == [(1, "Dummy")]
        with pytest.raises(RequestRefused, match="unknown goroutine"):
            await frames(talk, entry.thread_id)
        failed = await talk.move("next", entry.thread_id)
        assert normalised(failed, step_thread=1) == Normalised(
            reason="step", raw_reason="error", text="unknown goroutine 1"
        )


async def test_a_first_step_can_lead_to_the_function_that_is_named_for_it(tour: tuple[Path, Path]) -> None:
    async with talking(driver(), plan(tour[1], "exit", stop_on_entry=True)) as talk:
        await talk.launch()
        await talk.stopped()
        await talk.request("setFunctionBreakpoints", breakpoints=[{"name": talk.driver.entry_function}])
        there = await talk.move("continue", 1)
        assert normalised(there, step_thread=1).reason == "step"
        assert (await talk.top_frame(there.thread_id)).line == TOUR.line("main")


async def test_a_step_that_a_breakpoint_interrupts_is_over(tour: tuple[Path, Path]) -> None:
    source, program = tour
    async with talking(driver(), plan(program, "count")) as talk:
        lines = [{"line": TOUR.line("call")}, {"line": TOUR.line("square")}]
        await talk.launch({str(source): lines})
        thread = (await talk.stopped()).thread_id
        interrupted = await talk.move("next", thread)
        assert (interrupted.reason, (await talk.top_frame(thread)).line) == ("breakpoint", TOUR.line("square"))
        stepped = await talk.move("next", thread)
        assert (stepped.reason, (await talk.top_frame(thread)).line) == ("step", TOUR.line("square") + 1)


async def test_a_killed_delve_leaves_neither_program_nor_binary(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "tour", TOUR)
    async with talking(driver(), plan(source, "spin")) as talk:
        await talk.launch()
        await talk.said("spinning\n")
        folder, pid = scratch_of(talk), talk.process.pid
        assert (folder / "tour").exists()
        talk.process.signal(signal.SIGKILL)
        await talk.expect_broken()
        # On Linux the program goes on without its debugger.
        assert session_members(pid) != []
    assert session_members(pid) == []
    assert not folder.exists()


# -- breakpoints ------------------------------------------------------------------------------------------------------


async def test_a_log_point_prints_among_what_the_program_prints_and_is_told_apart(tour: tuple[Path, Path]) -> None:
    source, program = tour
    async with talking(driver(), plan(program, "count")) as talk:
        await talk.launch({str(source): [{"line": TOUR.line("call"), "logMessage": "i is {i}"}]})
        await talk.expect("terminated")
        texts = [event.decode(OutputBody) for event in talk.events if event.name == "output"]
        logged = [body.output for body in texts if "i is" in (body.output or "")]
        assert logged == [f"> [Go 1]: i is {i}\n" for i in range(5)]
        assert not any(talk.driver.is_program_output("stdout", text or "") for text in logged)
        assert talk.driver.is_program_output("stdout", "line 0 0\n")


# -- ends -------------------------------------------------------------------------------------------------------------


async def test_a_deadlock_is_an_exception_without_a_goroutine(tour: tuple[Path, Path]) -> None:
    async with talking(driver(), plan(tour[1], "deadlock")) as talk:
        await talk.launch()
        stop = normalised(await talk.stopped())
        assert (stop.reason, stop.thread_id) == ("exception", None)
        assert stop.text == "fatal error: all goroutines are asleep - deadlock!"
        thread = talk.driver.selected_thread(await threads(talk))
        assert shown(talk, (await frames(talk, thread)).stack_frames) == ("main.main", TOUR.line("deadlock"))


async def test_the_exit_code_can_also_be_read_from_the_farewell(tour: tuple[Path, Path]) -> None:
    async with talking(driver(), plan(tour[1], "exit")) as talk:
        await talk.launch()
        await talk.expect("terminated")
        await talk.request("disconnect")
        await talk.expect_broken()
        texts = [event.decode(OutputBody).output or "" for event in talk.events if event.name == "output"]
        assert [code for text in texts if (code := talk.driver.exit_code_in_output(text)) is not None] == [3]


# -- looking ----------------------------------------------------------------------------------------------------------


async def test_of_thousands_of_goroutines_a_thousand_are_told_and_the_stopped_one(tour: tuple[Path, Path]) -> None:
    source, program = tour
    async with talking(driver(), plan(program, "many")) as talk:
        await talk.launch({str(source): [{"line": TOUR.line("wait")}]})
        stop = await talk.stopped()
        told = await threads(talk)
        assert 1000 < len(told) < MANY
        assert talk.driver.selected_thread(told) == stop.thread_id


async def test_a_stack_is_told_whole_and_its_size_only_where_it_is_known(tour: tuple[Path, Path]) -> None:
    source, program = tour
    async with talking(driver(), plan(program, "deep")) as talk:
        await talk.launch({str(source): [{"line": TOUR.line("bottom")}]})
        thread = (await talk.stopped()).thread_id
        whole = await frames(talk, thread, levels=talk.driver.all_levels)
        assert [frame.name for frame in whole.stack_frames[: DEEP + 2]] == ["main.sink"] * (DEEP + 1) + ["main.main"]
        assert talk.driver.frame_total(0, whole) == len(whole.stack_frames)
        part = await frames(talk, thread, levels=20)
        assert (len(part.stack_frames), talk.driver.frame_total(0, part)) == (20, None)


# -- building ---------------------------------------------------------------------------------------------------------


async def test_a_program_that_cannot_be_built_is_told_in_the_compilers_words(tmp_path: Path) -> None:
    source = module(tmp_path / "broken", BROKEN)
    async with talking(driver(), plan(source)) as talk:
        # The words themselves are in the output, or up to 1.24 in the refusal.
        refusal = await refused_launch(talk)
        texts = [event.decode(OutputBody).output or "" for event in talk.events if event.name == "output"]
        told = [reason for text in texts if (reason := talk.driver.launch_failure(text))]
        (reason,) = told or [refusal]
        assert "./main.go:4:2: declared and not used: first\n" in reason or "first declared" in reason
        assert "./main.go:5:2: undefined: missing" in reason
        assert "gcflags" not in reason
        folder = scratch_of(talk)
    assert not folder.exists()


async def test_a_file_stands_for_its_package_wherever_the_launch_comes_from(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "split", *SPLIT)
    async with talking(driver(), plan(source, cwd=tmp_path)) as talk:
        await talk.launch({str(source.with_name("answer.go")): [{"line": ANSWER.line("answer")}]})
        assert (await talk.top_frame((await talk.stopped()).thread_id)).name == "main.answer"


async def test_a_program_is_found_by_way_of_a_link_and_its_breakpoints_are_too(tmp_path: Path) -> None:
    warm()
    source = module(tmp_path / "split", *SPLIT)
    link = tmp_path / "link"
    link.symlink_to(source.parent)
    options = LaunchOptions(client_env={**os.environ, "PWD": str(link)})
    for program in (source, link / source.name):
        async with talking(driver(), plan(program, cwd=link, stop_on_entry=True, options=options)) as talk:
            opinions = await talk.launch({str(source): [{"line": MAIN.line("print")}]})
            assert [each.verified for each in opinions[str(source)]] == [True]


async def test_a_folder_is_a_program_and_so_is_one_deep_in_its_module(tmp_path: Path) -> None:
    warm()
    module(tmp_path / "split", TOUR)
    folder = tmp_path / "split" / "cmd" / "asked"
    folder.mkdir(parents=True)
    MAIN.write(folder)
    ANSWER.write(folder)
    async with talking(driver(), plan(folder, cwd=tmp_path)) as talk:
        await talk.launch()
        await talk.expect("terminated")
        assert (await talk.said("42")).endswith("42\n")
        assert (scratch_of(talk) / "asked").exists()


async def test_a_file_outside_of_any_module_is_a_program(tmp_path: Path) -> None:
    warm()
    source = TOUR.write(tmp_path)
    async with talking(driver(), plan(source, "exit")) as talk:
        await talk.launch()
        await talk.expect("terminated")
        await talk.said("about to finish x = 5\n")


async def test_a_test_file_is_tested_in_its_own_folder(tmp_path: Path) -> None:
    warm()
    module(tmp_path / "split", *SPLIT)
    source = tmp_path / "split" / "answer_test.go"
    async with talking(driver(), plan(source, "-test.v", cwd=tmp_path)) as talk:
        await talk.launch({str(source): [{"line": TEST.line("check")}]})
        stop = await talk.stopped()
        assert (await talk.top_frame(stop.thread_id)).name.endswith(".TestAnswer")
        assert (scratch_of(talk) / "split.test").exists()
        await talk.request("continue", threadId=stop.thread_id)
        await talk.expect("terminated")
        assert "--- PASS: TestAnswer" in await talk.said(f"tested in {source.parent}")


@pytest.mark.parametrize("mode", ["exec", "profile"])
async def test_a_mode_that_does_not_fit_is_refused_before_anything_is_started(tmp_path: Path, mode: str) -> None:
    source = module(tmp_path / "tour", TOUR)
    with pytest.raises(InvalidLaunchConfig, match=mode):
        driver().check(plan(source, options=LaunchOptions(mode=mode)))


def test_a_missing_program_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(InvalidLaunchConfig, match=r"no .*missing\.go"):
        driver().check(plan(tmp_path / "missing.go"))


# -- the process ------------------------------------------------------------------------------------------------------


async def test_the_program_sees_the_clients_environment_and_nothing_of_ours(
    tour: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAEMON_ONLY", "1")
    client = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ODD": "a=b c", "PYTHONPATH": str(tmp_path)}
    launch = plan(
        tour[1],
        "environment",
        "an argument",
        "",
        cwd=tmp_path,
        env={"MINE": "☃", "PATH": "/nowhere"},
        options=LaunchOptions(client_env=client),
    )
    async with talking(driver(), launch) as talk:
        await talk.launch()
        await talk.expect("terminated")
        folder, args, *variables = (await talk.said("\nMINE=")).splitlines()
    assert (folder, json.loads(args.replace('" "', '", "'))) == (str(tmp_path), ["an argument", ""])
    told = {name: value for name, _, value in (line.partition("=") for line in variables)}
    # What delve and Go add by themselves, doc/adapters.md, "Environment".
    added = {"CGO_CFLAGS": "-O0 -g", "PWD": str(tmp_path)}
    assert told == client | added | {"MINE": "☃", "PATH": "/nowhere"}


async def test_whoever_else_calls_is_turned_away(tour: tuple[Path, Path], tmp_path: Path) -> None:
    slow = tmp_path / "dlv"
    # The stranger is there first: the way is open until the real one has called.
    slow.write_text(
        "#!/bin/sh\n"
        "for word; do case $word in --client-addr=*) port=${word##*:};; esac; done\n"
        f'{sys.executable} -S -c "{STRANGER}" $port {tmp_path / "answer"} || exit 9\n'
        f'exec {dlv()} "$@"\n'
    )
    slow.chmod(0o755)
    async with talking(DelveDriver(executable=(str(slow),)), plan(tour[1], "exit")) as talk:
        assert (tmp_path / "answer").read_text() == "turned away"
        await talk.launch()
        await talk.expect("terminated")


async def test_a_delve_that_cannot_call_back_is_called(tour: tuple[Path, Path], tmp_path: Path) -> None:
    old = tmp_path / "dlv"
    old.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--client-addr*) echo "Error: unknown flag: --client-addr" >&2; exit 1;; esac\n'
        f'exec {dlv()} "$@"\n'
    )
    old.chmod(0o755)
    async with talking(DelveDriver(executable=(str(old),)), plan(tour[1], "exit")) as talk:
        await talk.launch()
        await talk.expect("terminated")
