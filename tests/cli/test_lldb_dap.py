"""The command line with a real lldb-dap, on C programs."""

import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.debugging import (
    adapter_of,
    launch,
    locals_of,
    none_left,
    resume,
    set_break,
    state,
    stdout_of,
)
from tests.cli.programs import C
from tests.cli.shell import Shell, finished, wait_until

pytestmark = pytest.mark.timeout(180)

FINISH = C["exits"].line("finish")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every C program built in it."""
    folder = tmp_path_factory.mktemp("c").resolve()
    for program in C.values():
        program.build(folder)
    return folder


@pytest.fixture
def project(shell: Shell) -> Iterator[Shell]:
    """A shell whose session is ended with the test."""
    yield shell
    shell("disconnect")


def test_continuing_to_a_breakpoint_reports_where_and_why_it_stopped(project: Shell, built: Path) -> None:
    mark = set_break(project, built / "exits.c", FINISH)
    launched = launch(project, built / "exits")
    assert (launched["state"], launched["reason"]) == ("paused", "entry")
    assert Path(launched["adapter_command"]).name.startswith("lldb-dap")
    assert [each["verified"] for each in launched["breakpoints"]] == [True]
    stop = resume(project)
    assert (stop["state"], stop["reason"]) == ("paused", "breakpoint")
    assert (stop["frame"]["line"], stop["frame"]["name"]) == (FINISH, "main")
    assert stop["hit_breakpoint_ids"] == [mark["id"]]
    assert {update["id"] for update in stop["breakpoint_updates"]} <= {mark["id"]}


def test_the_session_is_of_the_kind_codelldb_whichever_program_serves_it(project: Shell, built: Path) -> None:
    launch(project, built / "exits", "--adapter", "lldb-dap")
    session = project("status").json["session"]
    assert session["adapter"] == "codelldb"
    assert "lldb-dap" in session["adapter_command"]


def test_continuing_to_the_end_reports_the_exit_code_and_the_last_of_the_output(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    ended = resume(project)
    assert (ended["state"], ended["exit_code"], ended["frame"]) == ("exited", 0, None)
    assert "about to finish x=5" in stdout_of(ended)


def test_a_program_that_segfaults_ends_the_wait_rather_than_hanging_it(project: Shell, built: Path) -> None:
    launch(project, built / "crashes")
    stop = resume(project)
    assert (stop["state"], stop["reason"]) == ("paused", "exception")
    assert stop["frame"]["line"] == C["crashes"].line("crash")


def test_a_program_that_never_stops_times_out_and_keeps_running(project: Shell, built: Path) -> None:
    launch(project, built / "spins")
    waited = resume(project, timeout="2")
    assert waited["state"] == "timeout"
    assert waited["elapsed_ms"] >= 2000
    assert state(project) == "running"


def test_waiting_with_no_timeout_at_all_blocks_rather_than_falling_over(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    ended = resume(project, timeout="0")
    assert (ended["state"], ended["exit_code"]) == ("exited", 0)


def test_a_paused_program_can_be_interrupted_after_a_timeout(project: Shell, built: Path) -> None:
    launch(project, built / "spins")
    assert resume(project, timeout="1")["state"] == "timeout"
    stop = project("pause", "--wait", "--timeout", "20").json
    assert (stop["state"], stop["reason"]) == ("paused", "pause")
    assert stop["frame"] is not None


def test_a_chatty_program_s_output_arrives_whole_and_in_order(project: Shell, built: Path) -> None:
    set_break(project, built / "chatty.c", C["chatty"].line("finished"))
    launch(project, built / "chatty")
    printed = stdout_of(resume(project))
    assert [text for text in printed.splitlines() if text] == [f"line {number}" for number in range(200)]


def test_a_wait_ends_when_the_adapter_is_killed_out_from_under_it(project: Shell, built: Path) -> None:
    launch(project, built / "spins")
    adapter = adapter_of(project)
    tree = [adapter, *adapter.children(recursive=True)]
    waiting = project.start("continue", "--wait", "--timeout", "20")
    try:
        wait_until(lambda: state(project) == "running", "it does not run")
        begun = time.monotonic()
        adapter.kill()
        ended = finished(waiting).json
    finally:
        waiting.kill()
        waiting.wait()
    assert ended["state"] == "adapter_died"
    assert time.monotonic() - begun < 10
    none_left(tree)


def test_a_multi_threaded_stop_is_coherent_about_which_threads_stopped(project: Shell, built: Path) -> None:
    set_break(project, built / "threads.c", C["threads"].line("thread"))
    launch(project, built / "threads")
    stop = resume(project)
    assert stop["state"] == "paused"
    assert stop["thread_id"] not in stop["additional_stopped_threads"]
    threads = [thread["id"] for thread in project("threads").json["threads"]]
    assert len(threads) > 1
    assert stop["thread_id"] in threads


def test_two_waits_sent_at_once_both_come_back_with_an_answer(project: Shell, built: Path) -> None:
    set_break(project, built / "exits.c", FINISH)
    launch(project, built / "exits")
    both = [project.start("continue", "--wait", "--timeout", "20") for _ in range(2)]
    answers = [finished(each).json for each in both]
    assert sorted(answer["state"] for answer in answers) == ["exited", "paused"]
    assert {answer["reason"] for answer in answers if answer["state"] == "paused"} == {"breakpoint"}


def test_a_breakpoint_set_in_one_session_applies_to_the_next_one(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    assert set_break(project, built / "exits.c", FINISH)["verified"] is True
    project("disconnect")
    launched = launch(project, built / "exits")
    assert [each["verified"] for each in launched["breakpoints"]] == [True]
    assert resume(project)["frame"]["line"] == FINISH


def test_breakpoints_survive_the_daemon_that_recorded_them(project: Shell, built: Path) -> None:
    added = project("break", f"{built / 'exits.c'}:{FINISH}").json
    assert added["applied_to_session"] is False
    project("shutdown")
    assert [each["id"] for each in project("break", "--list").json["breakpoints"]] == [added["breakpoints"][0]["id"]]
    launch(project, built / "exits")
    assert resume(project)["frame"]["line"] == FINISH


def test_listing_ids_feeds_removing_by_id(project: Shell, built: Path) -> None:
    set_break(project, built / "exits.c", FINISH)
    set_break(project, built / "exits.c", FINISH + 1)
    ids = project("break", "--list", "--format", "ids").out.split()
    assert len(ids) == 2
    for each in ids:
        assert project("break", "--remove", "--id", each).json["not_found"] == []
    assert project("break", "--list").json["breakpoints"] == []
    assert project("break", "--remove", "--id", ids[0]).json["not_found"] == [int(ids[0])]


def test_a_running_program_s_threads_are_reported_without_inventing_a_name(project: Shell, built: Path) -> None:
    project("launch", built / "spins")
    threads = project("threads").json["threads"]
    assert threads
    assert all(thread.get("name") != "" for thread in threads)


def test_output_kept_past_the_cap_is_a_prefix_rather_than_a_splice(project: Shell, built: Path) -> None:
    set_break(project, built / "floods.c", C["floods"].line("end"))
    launch(project, built / "floods")
    stop = resume(project)
    assert stop["output_truncated"] is True
    printed = stdout_of(stop)
    assert "MARKER" not in printed
    assert set(printed) <= {"x", "\n", "\r"}


def test_an_expression_the_adapter_could_not_evaluate_fails_rather_than_answering(project: Shell, built: Path) -> None:
    set_break(project, built / "exits.c", FINISH)
    launch(project, built / "exits")
    resume(project)
    assert project("eval", "x * 3").json["value"] == "15"
    missing = project("eval", "nothing_of_that_name")
    assert missing.code == 1
    assert missing.error["error"] == "DapProtocolError"


def test_variables_honours_its_window(project: Shell, built: Path) -> None:
    set_break(project, built / "inspects.c", C["inspects"].line("print"))
    launch(project, built / "inspects")
    resume(project)
    big = locals_of(project)["big"]
    words = ("variables", "--reference", str(big["variables_reference"]))
    window = project(*words, "--start", "100", "--count", "5").json
    assert [row["name"] for row in window["variables"]] == [f"[{number}]" for number in range(100, 105)]
    assert window["variables"][0]["value"] == "100"
    assert window["truncated"] is True
    narrowed = project(*words, "--max", "3")
    assert len(narrowed.json["variables"]) == 3
    assert "--start 3" in narrowed.err
    assert len(project(*words, "--max", "0").json["variables"]) == 2000
    assert project(*words, "--max", "0").json["truncated"] is False
    first_page = project(*words)
    assert first_page.json["truncated"] is True
    assert first_page.err.startswith("warning: ")


def test_what_is_reported_at_a_stop_is_bounded_and_does_not_contradict_itself(project: Shell, built: Path) -> None:
    set_break(project, built / "inspects.c", C["inspects"].line("print"))
    launch(project, built / "inspects")
    stop = resume(project)
    assert not [one for one in project("break", "--list").json["breakpoints"] if one["verified"] and one.get("message")]
    refused = project("pause", "--wait")
    assert (refused.code, refused.error["error"]) == (1, "BadRequest")
    frames = project("stack", "--levels", "0").json["frames"]
    assert frames[0]["name"] == stop["frame"]["name"] == "main"
    assert len(project("stack", "--levels", "1").json["frames"]) == 1 < len(frames)
    reference = str(locals_of(project)["big"]["variables_reference"])
    page = project("variables", "--reference", reference).json
    assert (len(page["variables"]), page["truncated"]) == (200, True)


def test_a_crash_inside_a_library_names_the_frame_in_the_user_s_code(project: Shell, built: Path) -> None:
    launch(project, built / "library_crash")
    stop = resume(project)
    assert (stop["state"], stop["reason"]) == ("paused", "exception")
    assert stop["user_frame"]["name"] == "lookup_key"
    assert stop["user_frame"]["line"] == C["library_crash"].line("lookup")


def test_a_handle_from_an_earlier_stop_is_refused_rather_than_answered(project: Shell, built: Path) -> None:
    set_break(project, built / "exits.c", FINISH)
    launch(project, built / "exits")
    resume(project)
    frame = str(project("stack").json["frames"][0]["id"])
    project("step", "--wait")
    ended = project("scopes", "--frame", frame)
    assert ended.code == 1
    assert ended.error["error"] == "StaleHandle"
    assert ended.error["details"]["stale"] is True


def test_a_frame_id_nobody_handed_out_says_where_frame_ids_come_from(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    ended = project("scopes", "--frame", "424242")
    assert ended.code == 1
    assert ended.error["error"] == "BadRequest"
    assert "stack" in ended.error["message"]


def test_a_handle_from_a_session_that_has_ended_is_refused_by_the_next_one(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    frame = str(project("stack").json["frames"][0]["id"])
    project("disconnect")
    launch(project, built / "exits")
    assert project("scopes", "--frame", frame).code == 1


def test_a_program_that_is_paused_cannot_be_paused(project: Shell, built: Path) -> None:
    launch(project, built / "exits")
    ended = project("pause", "--wait")
    assert ended.code == 1
    assert ended.error["error"] == "BadRequest"


def test_continuing_a_program_that_is_already_running_reports_it_and_invents_no_thread(
    project: Shell, built: Path
) -> None:
    project("launch", built / "spins")
    moving = project("continue").json
    assert (moving["already_running"], moving["thread_id"]) == (True, None)


def test_a_condition_added_to_an_existing_breakpoint_reaches_the_debugger(project: Shell, built: Path) -> None:
    fill = C["inspects"].line("fill")
    set_break(project, built / "inspects.c", fill)
    launch(project, built / "inspects")
    assert project("break", f"{built / 'inspects.c'}:{fill}", "--condition", "i == 3").json["action"] == "updated"
    assert resume(project)["state"] == "paused"
    assert project("eval", "i").json["value"] == "3"


def test_an_adapter_whose_session_ended_is_reaped_rather_than_left_waiting_for_a_disconnect(
    project: Shell, built: Path
) -> None:
    launch(project, built / "exits")
    adapter = adapter_of(project)
    assert resume(project)["state"] == "exited"
    none_left([adapter])


def test_disconnecting_without_terminating_leaves_the_debuggee_running(project: Shell, built: Path) -> None:
    launch(project, built / "spins")
    project("continue")
    program = wait_until(lambda: _running(built / "spins"), "the program is not there")
    ended = project("disconnect", "--no-terminate")
    try:
        assert ended.json["terminated_debuggee"] is False
        assert ended.err == ""
        assert program.is_running()
    finally:
        program.kill()


def _running(program: Path) -> psutil.Process | None:
    for process in psutil.process_iter():
        try:
            if process.exe() == str(program):
                return process
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return None


def test_a_folder_and_a_source_are_no_programs(project: Shell, built: Path) -> None:
    for program in (built, built / "exits.c"):
        ended = project("launch", program)
        assert ended.code == 1
        assert ended.error["error"] == "InvalidLaunchConfig"
    assert project.daemon_files() == []
