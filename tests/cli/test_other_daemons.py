"""The command line and a daemon that is not quite ours: older, newer, or broken. A scripted one stands in for them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tests.fakes.daemon import FakeDaemon, running_daemon

CONVERSATIONS = Path(__file__).resolve().parents[1] / "contract" / "conversations"
SESSION = "0b7e3c52-6f0e-4a57-9a51-2f3f5f0f7c11"
LAUNCHED: dict[str, Any] = {
    "session_id": SESSION,
    "state": "running",
    "reason": None,
    "raw_reason": None,
    "thread_id": None,
    "capabilities": {
        "supports_configuration_done_request": True,
        "supports_function_breakpoints": True,
        "supports_conditional_breakpoints": True,
        "supports_variable_paging": False,
    },
    "breakpoints": [],
}
SUMMARY = {
    "session_id": SESSION,
    "adapter": "debugpy",
    "program": "/p/app.py",
    "state": "paused",
    "exit_code": None,
    "buffered_events": 0,
    "captured_output_chunks": 0,
    "dropped_events": 0,
    "uptime_ms": 61000,
}
STATUS = {
    "instance": "x",
    "daemon_pid": 1,
    "uptime_ms": 5,
    "protocol_version": 10,
    "lazydap_version": "0.2.9",
    "session": SUMMARY,
}


STOPPED = [[{"reply": {"Status": STATUS}}]]


@pytest.fixture
def known(shell: Shell) -> Shell:
    """The shell with its daemon's name fixed, and the folder there for a daemon to be scripted in."""
    shell.runtime.mkdir(mode=0o700, parents=True)
    return shell.with_variables(LAZYDAP_INSTANCE="fake")


def launch_request(daemon: FakeDaemon) -> Any:
    (found,) = [entry["request"]["Launch"] for entry in daemon.requests() if "Launch" in entry["request"]]
    return found


def recorded(conversation: str) -> dict[str, list[list[dict[str, Any]]]]:
    """What a recorded daemon answered, by request, in order."""
    asked: dict[tuple[int, int], str] = {}
    answers: dict[str, list[list[dict[str, Any]]]] = {}
    for line in (CONVERSATIONS / f"{conversation}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "json" not in entry:
            continue
        key, payload = (entry["conn"], entry["json"]["id"]), entry["json"]["payload"]
        if request := payload.get("Request"):
            asked[key] = request if isinstance(request, str) else next(iter(request))
        elif (answer := payload.get("Response")) and key in asked:
            answers.setdefault(asked.pop(key), []).append([{"reply": answer}])
    # Each command asks for the status first: that of a stopped program, whose id is the same throughout.
    return {**{name: plays for name, plays in answers.items() if name not in ("Ping", "Shutdown")}, "Status": STOPPED}


@pytest.mark.parametrize("version", [4, 10])
def test_a_daemon_that_speaks_one_version_only_is_spoken_to_in_it(known: Shell, version: int) -> None:
    known.write("app.py", "pass\n" * 20)
    script = {"version": version, "answers": recorded(f"v{version}-basic")}
    with running_daemon(known.runtime, script) as daemon:
        assert known("break", "app.py:5").json["breakpoints"][0]["line"] == 5
        assert known("launch", "app.py", "--stop-on-entry").json["state"] == "paused"
        assert known("stack").json["frames"][0]["name"] == "<module>"
        assert known("scopes").json["scopes"] != []
        stepped = known("step", "--wait").json
        assert (stepped["state"], stepped["reason"]) == ("paused", "step")
        assert "VersionMismatch" not in known("output").out
        assert daemon.process.poll() is None


def test_what_an_older_daemon_lacks_is_named_and_the_daemon_left_alone(known: Shell) -> None:
    with running_daemon(known.runtime, {"version": 4}) as daemon:
        ended = known("watch", "add", "total")
        assert (ended.code, ended.error["error"]) == (1, "Unsupported")
        assert (
            "the running daemon is of an older lazydap (protocol version 4 has no WatchAdd)" in ended.error["message"]
        )
        assert daemon.process.poll() is None
        assert "Shutdown" not in daemon.asked()


def test_a_daemon_of_another_version_is_left_alone(known: Shell) -> None:
    with running_daemon(known.runtime, {"version": 11}) as daemon:
        for words in (("status",), ("threads",), ("break", "--list")):
            ended = known(*words)
            assert ended.code == 3
            assert ended.error["error"] == "VersionMismatch"
            assert ended.error["details"] == {"client_version": 10, "daemon_version": 11}
        assert daemon.process.poll() is None
        assert set(daemon.asked()) == {"Ping"}


def test_shutdown_ends_a_daemon_of_another_version(known: Shell) -> None:
    with running_daemon(known.runtime, {"version": 11}) as daemon:
        rehearsed = known("shutdown", "--dry-run").json
        assert (rehearsed["shutting_down"], rehearsed["note"]) == (False, "the daemon was from another build")
        assert daemon.process.poll() is None
        ended = known("shutdown").json
        assert ended == {
            "dry_run": False,
            "instance": "fake",
            "note": "the daemon was from another build",
            "shutting_down": True,
        }
        daemon.process.wait(5)


def test_a_move_asked_of_a_daemon_without_the_word_takes_all_modifiers_along_and_names_the_new_id(known: Shell) -> None:
    known.write("app.py", "one\ntwo\n")
    source = str(known.folder / "app.py")
    parts = {"source": source, "condition": "x", "hit_condition": ">2", "log_message": "hi", "enabled": False}
    old = {"id": 3, "line": 1, "verified": False, **parts}
    answers = {
        "BreakpointList": [[{"reply": report("listed", old)}]],
        "BreakpointAdd": [[{"reply": report("added", {**old, "id": 4, "line": 2})}]],
        "BreakpointRemove": [[{"reply": report("removed", old)}]],
    }
    with running_daemon(known.runtime, {"answers": answers}) as daemon:
        ended = known("break", "app.py:2", "--move", "3")
        assert ended.json["breakpoints"][0]["id"] == 4
        assert "breakpoint 3 is 4 now" in ended.err
        asked = [entry["request"] for entry in daemon.requests()][-2:]
        assert asked == [
            {"BreakpointAdd": {"breakpoint": {"line": 2, **parts}, "dry_run": False}},
            {"BreakpointRemove": {"selector": {"Ids": [3]}, "dry_run": False}},
        ]
        missing = known("break", "app.py:2", "--move", "8")
        assert "no breakpoint 8" in missing.error["message"]


def report(action: str, *breakpoints: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"dry_run": False, "breakpoints": breakpoints, "not_found": [], "applied_to_session": False}
    return {"Breakpoints": {"action": action, **told}}


def test_a_daemon_that_announces_nothing_gets_no_options(known: Shell) -> None:
    known.write("app.py", "")
    with running_daemon(known.runtime, {"answers": {"Launch": [[{"reply": {"Launched": LAUNCHED}}]]}}) as daemon:
        assert known("launch", "app.py").json == LAUNCHED
        request = launch_request(daemon)
    assert "options" not in request
    assert Path(request["adapter_command"]).name.startswith("python")


def test_a_daemon_that_announces_nothing_is_never_given_lldb_dap(known: Shell) -> None:
    program = known.write("app", "")
    program.chmod(0o755)
    with running_daemon(known.runtime, {}) as daemon:
        ended = known("launch", "./app")
        assert ended.code == 4
        assert ended.error["error"] == "AdapterNotFound"
        assert "codelldb" in ended.error["message"]
        assert "Launch" not in daemon.asked()


def test_a_daemon_with_launch_options_gets_the_clients_environment_and_adapter(known: Shell) -> None:
    known.write("app", "").chmod(0o755)
    script = {"features": ["launch_options"], "answers": {"Launch": [[{"reply": {"Launched": LAUNCHED}}]]}}
    with running_daemon(known.runtime, script) as daemon:
        assert known.with_variables(COLOUR="☃")("launch", "./app", "--env", "A=1").code == 0
        request = launch_request(daemon)
    assert request["adapter"] == "codelldb"
    assert request["env"] == {"A": "1"}
    assert request["options"]["adapter"] == "lldb-dap"
    assert request["options"]["client_env"]["COLOUR"] == "☃"
    assert Path(request["adapter_command"]).name.startswith("lldb-dap")


def test_a_variable_that_is_no_text_does_not_cost_the_launch(known: Shell) -> None:
    known.write("app.py", "")
    script = {"features": ["launch_options"], "answers": {"Launch": [[{"reply": {"Launched": LAUNCHED}}]]}}
    with running_daemon(known.runtime, script) as daemon:
        odd = known.with_variables(ODD="caf\udce9")
        assert odd("launch", "app.py").code == 0
        assert "ODD" not in launch_request(daemon)["options"]["client_env"]


def test_what_editors_alone_need_is_not_printed(known: Shell) -> None:
    stop = {"generation": 1, "thread_id": 1, "reason": "entry", "text": None, "frame": None, "locals": None}
    status = {**STATUS, "root": "/p", "session": {**SUMMARY, "adapter_command": "/x", "stop": stop}}
    script = {"features": ["stop_detail"], "answers": {"Status": [[{"reply": {"Status": status}}]]}}
    with running_daemon(known.runtime, script):
        assert known("status").json == {**STATUS, "root": "/p", "session": {**SUMMARY, "adapter_command": "/x"}}
        table = known("status", "--format", "table").out
    assert "1 min 1 s" in table
    assert "/p/app.py" in table


@pytest.mark.parametrize(
    "step",
    [{"close": True}, {"half": {"Status": STATUS}}, {"raw": "00000003616263"}, {"raw": "7fffffff"}],
    ids=["hangs up", "sends half an answer", "sends nonsense", "sends a frame without end"],
)
def test_a_daemon_that_breaks_off_is_unreachable(known: Shell, step: dict[str, Any]) -> None:
    with running_daemon(known.runtime, {"answers": {"Status": [[step]]}}):
        ended = known("status")
    assert ended.code == 3
    assert ended.error["error"] == "DaemonUnreachable"
    assert "Traceback" not in ended.err


def test_an_answer_of_another_kind_is_an_error_of_lazydap(known: Shell) -> None:
    with running_daemon(known.runtime, {"answers": {"Status": [[{"reply": {"Threads": []}}]]}}):
        ended = known("status")
    assert ended.code == 1
    assert ended.error["error"] == "DaemonInternalError"


def test_an_error_of_the_daemon_is_passed_on_with_its_code(known: Shell) -> None:
    error = {"code": "AdapterTimeout", "message": "it took\ntoo long", "details": {"command": "threads"}}
    answers = {"Status": [[{"reply": {"Status": STATUS}}]], "Threads": [[{"error": error}]]}
    with running_daemon(known.runtime, {"answers": answers}):
        ended = known("threads")
        assert ended.code == 1
        assert ended.error == {
            "details": {"command": "threads"},
            "error": "AdapterTimeout",
            "message": "AdapterTimeout: it took\ntoo long",
        }
        assert known("threads", "--format", "table").err == "error: AdapterTimeout: it took; too long\n"


def test_events_between_the_answers_are_no_answers(known: Shell) -> None:
    event = {"event": {"WatchUpdated": {"watch_id": 3}}}
    with running_daemon(known.runtime, {"answers": {"Status": [[event, {"reply": {"Status": STATUS}}, event]]}}):
        assert known("status").json["instance"] == "x"


def test_a_daemon_without_numbered_output_cannot_read_on(known: Shell) -> None:
    with running_daemon(known.runtime, {"answers": {"Status": [[{"reply": {"Status": STATUS}}]]}}):
        ended = known("output", "--after", "3")
    assert ended.code == 1
    assert ended.error["error"] == "Unsupported"
    assert "--since" in ended.error["message"]
