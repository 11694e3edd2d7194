"""The command line and its daemon, without a program: starting, ending, breakpoints, watches, and bad surroundings."""

import json
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.cli.shell import LAZYDAP, Shell, finished, wait_until

FAST = 10.0
"""Seconds, on a machine that has other work: no longer than one start that hangs is waited for."""
BROKEN_STATE = "this is = = no TOML\n"


def empty_folder(shell: Shell) -> Path:
    """A folder to be the whole of PATH, so that no adapter of this machine is found."""
    folder = shell.folder / "bin"
    folder.mkdir(exist_ok=True)
    return folder


def without_adapters(shell: Shell) -> Shell:
    """The shell of a machine with no adapter, except lldb-dap, which lies beside our own Python."""
    return shell.with_variables(PATH=str(empty_folder(shell)))


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_first_command_starts_a_daemon_and_the_next_one_reuses_it(shell: Shell) -> None:
    first, second = shell("status").json, shell("status").json
    assert first["session"] is None
    assert first["instance"].startswith("p-")
    assert first["daemon_pid"] == second["daemon_pid"] > 0
    assert second["uptime_ms"] >= first["uptime_ms"]
    assert first["root"] == str(shell.folder)


def test_shutdown_stops_the_daemon_and_removes_its_socket(shell: Shell) -> None:
    status = shell("status").json
    socket = shell.runtime / f"lazydap-{status['instance']}.sock"
    assert socket.exists()
    ended = shell("shutdown").json
    assert (ended["shutting_down"], ended["dry_run"], ended["sessions"]) == (True, False, [])
    wait_until(lambda: not socket.exists(), "the socket is still there", seconds=1)
    assert shell("status").json["daemon_pid"] != status["daemon_pid"]


def test_a_dry_run_of_shutdown_leaves_the_daemon_alone(shell: Shell) -> None:
    pid = shell("status").json["daemon_pid"]
    assert shell("shutdown", "--dry-run").json["shutting_down"] is False
    assert shell("status").json["daemon_pid"] == pid


def test_shutting_down_when_nothing_is_running_is_not_an_error(shell: Shell) -> None:
    ended = shell("shutdown").json
    assert ended["shutting_down"] is False
    assert ended["reason"] == "no daemon was running"
    assert shell.daemon_files() == []


def test_disconnecting_with_no_session_reports_that_rather_than_hanging(shell: Shell) -> None:
    ended = shell("disconnect")
    assert ended.code == 1
    assert ended.error["error"] == "SessionNotFound"


def test_a_broken_config_does_not_take_the_recovery_commands_with_it(shell: Shell) -> None:
    broken = shell.with_variables(LAZYDAP_CONFIG_PATH=str(shell.write("broken.toml", BROKEN_STATE)))
    assert broken("status").json["session"] is None
    assert broken("shutdown").json["shutting_down"] is True


def test_a_broken_config_is_told_by_a_command_that_would_have_used_it(shell: Shell) -> None:
    broken = shell.with_variables(LAZYDAP_CONFIG_PATH=str(shell.write("broken.toml", BROKEN_STATE)))
    ended = broken("continue", "--wait")
    assert ended.code == 1
    warning, error = ended.err.splitlines()
    assert warning.startswith("warning: ")
    assert "broken.toml" in warning
    assert json.loads(error)["error"] == "SessionNotFound"


def test_doctor_reports_a_broken_config_rather_than_dying_of_it(shell: Shell) -> None:
    broken = shell.with_variables(LAZYDAP_CONFIG_PATH=str(shell.write("broken.toml", BROKEN_STATE)))
    ended = broken("doctor")
    assert ended.code == 1
    report = json.loads(ended.out)
    config = next(check for check in report["checks"] if check["name"] == "config.file")
    assert config["ok"] is False
    assert "broken.toml" in config["detail"]
    assert report["ok"] is False
    assert json.loads(ended.err)["error"] == "DaemonInternalError"


def test_a_launch_refuses_outright_when_the_config_cannot_be_read(shell: Shell) -> None:
    shell.write("app.py", "")
    broken = shell.with_variables(LAZYDAP_CONFIG_PATH=str(shell.write("broken.toml", BROKEN_STATE)))
    ended = broken("launch", "app.py")
    assert ended.code == 1
    assert ended.error["error"] == "InvalidLaunchConfig"
    assert shell.daemon_files() == []


def test_an_unknown_subcommand_is_a_usage_error(shell: Shell) -> None:
    assert shell("frobnicate").kind == "InvalidSubcommand"
    assert shell.daemon_files() == []


def test_a_broken_state_file_fails_fast_and_leaves_no_socket_behind(shell: Shell) -> None:
    shell.write(".lazydap/state.toml", BROKEN_STATE)
    begun = time.monotonic()
    ended = shell("status")
    assert time.monotonic() - begun < FAST
    assert ended.code == 3
    assert "state.toml" in ended.error["message"]
    assert "line 1" in ended.error["message"]
    assert shell.daemon_files() == []


def test_three_commands_racing_a_broken_state_file_all_fail_fast(shell: Shell) -> None:
    shell.write(".lazydap/state.toml", BROKEN_STATE)
    begun = time.monotonic()
    racers = [shell.start("status") for _ in range(3)]
    for ended in map(finished, racers):
        assert ended.code == 3
        assert "line 1" in ended.error["message"]
    assert time.monotonic() - begun < FAST
    assert shell.daemon_files() == []


def test_commands_that_race_for_a_first_daemon_share_it(shell: Shell) -> None:
    racers = [shell.start("status") for _ in range(4)]
    assert len({ended.json["daemon_pid"] for ended in map(finished, racers)}) == 1


def test_a_watch_added_without_a_session_is_listed_back_and_can_be_removed(shell: Shell) -> None:
    added = shell("watch", "add", "a + b", "--label", "sum").json
    assert added["action"] == "added"
    assert added["watches"] == [{"id": 1, "expression": "a + b", "label": "sum"}]
    assert shell("watch", "list").json["watches"] == added["watches"]
    assert shell("w", "remove", "a + b").json["action"] == "removed"
    assert shell("watch", "list").json["watches"] == []


def test_watch_list_in_the_ids_format_feeds_a_removal_by_id(shell: Shell) -> None:
    for expression in ("a", "b", "c"):
        shell("watch", "add", expression)
    ids = shell("watch", "list", "--format", "ids").out.split()
    assert ids == ["1", "2", "3"]
    shell("watch", "remove", "--id", ids[1], "--id", ids[2])
    assert [watch["id"] for watch in shell("watch", "list").json["watches"]] == [1]


def test_a_dry_run_watch_command_changes_nothing(shell: Shell) -> None:
    shell("watch", "add", "kept")
    added = shell("watch", "add", "x", "--dry-run").json
    assert (added["dry_run"], added["watches"][0]["id"]) == (True, 0)
    removed = shell("watch", "remove", "kept", "--dry-run").json
    assert removed["watches"][0]["expression"] == "kept"
    assert [watch["expression"] for watch in shell("watch", "list").json["watches"]] == ["kept"]


def test_a_watch_survives_the_daemon_it_was_added_through(shell: Shell) -> None:
    shell("watch", "add", "x ☃ 'quoted'")
    shell("shutdown")
    assert [watch["expression"] for watch in shell("watch", "list").json["watches"]] == ["x ☃ 'quoted'"]


def test_removing_a_watch_two_ways_at_once_is_a_usage_error(shell: Shell) -> None:
    ended = shell("watch", "remove", "x", "--all")
    assert ended.code == 2
    assert ended.error["error"] == "UsageError"


def test_re_setting_a_location_updates_it_and_says_so(shell: Shell) -> None:
    shell.write("a.py", "x = 1\ny = 2\n")
    first = shell("break", "a.py:2").json
    assert first["action"] == "added"
    changed = ("break", "a.py:2", "--condition", "x > 1", "--disabled")
    for words in ((*changed, "--dry-run"), changed):
        again = shell(*words).json
        assert again["action"] == "updated"
        (only,) = again["breakpoints"]
        assert only["id"] == first["breakpoints"][0]["id"]
        assert (only["condition"], only["enabled"]) == ("x > 1", False)
    assert len(shell("break", "--list").json["breakpoints"]) == 1
    assert shell(*changed).json["action"] == "unchanged"


def test_a_program_is_resolved_against_the_shell_not_against_cwd(shell: Shell) -> None:
    alone = without_adapters(shell)
    shell.write("sub/app", "")
    ended = alone("launch", "./app", "--cwd", "sub", "--adapter", "delve")
    assert ended.code == 1
    assert ended.error["error"] == "InvalidLaunchConfig"
    assert ended.error["details"] == {"program": "./app"}
    shell.write("app", "")
    ended = alone("launch", "./app", "--cwd", "sub", "--adapter", "delve")
    assert ended.code == 4
    assert ended.error["error"] == "AdapterNotFound"
    assert shell.daemon_files() == []


def test_a_working_directory_that_is_missing_is_named(shell: Shell) -> None:
    shell.write("app.py", "")
    ended = shell("launch", "app.py", "--cwd", "nowhere")
    assert ended.error["error"] == "InvalidLaunchConfig"
    assert ended.error["details"] == {"cwd": "nowhere"}


def test_a_closed_pipe_ends_the_command_quietly_rather_than_panicking(shell: Shell) -> None:
    process = shell.start("status")
    assert process.stdout
    process.stdout.close()
    process.stdout = None
    ended = finished(process)
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("completions", "bash"), 0),
        (("--help",), 0),
        (("nosuch",), 2),
        (("disconnect", "--format", "json"), 1),
        (("disconnect", "--format", "table"), 1),
    ],
)
def test_the_writers_that_bypassed_the_printer_survive_a_closed_pipe_too(
    shell: Shell, words: tuple[str, ...], code: int
) -> None:
    process = shell.start(*words)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stderr.close()
    assert process.wait(20) == code


def test_a_format_meant_for_the_debuggee_is_not_read_as_lazydaps_own(shell: Shell) -> None:
    ended = shell("launch", "--nope", "app.py", "--", "--format", "table")
    assert ended.kind == "UnknownArgument"


@pytest.mark.parametrize("words", [("version",), ("status",), ("launch", "app.py"), ("logs", "--purge"), ("step-in",)])
def test_a_format_for_lists_is_refused_before_anything_is_done_where_there_is_no_list(
    shell: Shell, words: tuple[str, ...]
) -> None:
    shell.write("app.py", "")
    ended = shell(*words, "--format", "jsonl")
    assert ended.code == 2
    assert ended.error["error"] == "UsageError"
    assert ended.error["details"] == {"format": "jsonl"}
    assert "BadRequest" not in ended.error["message"]
    assert shell.daemon_files() == []


def test_an_explicit_table_format_is_honoured_even_when_stdout_is_a_pipe(shell: Shell) -> None:
    ended = shell("--format", "table", "nosuch")
    assert ended.err.startswith("error: ")
    assert json.loads(shell("nosuch").err)["error"] == "UsageError"


@pytest.mark.parametrize("value", ["5m", "0x10", "-1", "1.5"])
def test_a_timeout_variable_nothing_can_read_is_reported_rather_than_ignored(shell: Shell, value: str) -> None:
    ended = shell.with_variables(LAZYDAP_TIMEOUT=value)("continue", "--wait")
    assert ended.code == 2
    assert ended.error["error"] == "UsageError"
    assert value in ended.error["message"]
    assert shell.daemon_files() == []


def test_a_blank_timeout_variable_counts_as_unset(shell: Shell) -> None:
    assert shell.with_variables(LAZYDAP_TIMEOUT="  ")("continue", "--wait").error["error"] == "SessionNotFound"


def test_doctor_does_not_fail_just_because_one_adapter_is_missing(shell: Shell) -> None:
    folder = empty_folder(shell)
    answer = "Content-Length: 2\\r\\n\\r\\n{}"
    executable(folder / "codelldb", f"#!/bin/sh\nprintf '{answer}'\n")
    report = without_adapters(shell)("doctor").json
    found = {check["name"]: check["ok"] for check in report["checks"]}
    assert found["adapter.codelldb"] is True
    assert found["adapter.delve"] is False
    assert found["daemon"] is True
    assert report["ok"] is True


def test_doctor_says_how_to_cure_what_is_missing(shell: Shell) -> None:
    ended = without_adapters(shell)("doctor", "--format", "table")
    lines = {line.split()[0]: line for line in ended.out.splitlines()}
    assert "missing" in lines["adapter.delve"]
    assert "install" in lines["adapter.delve"]
    assert "missing" in lines["editor.neovim"]
    assert "install Neovim" in lines["editor.neovim"]


def test_doctor_check_state_reads_the_file_without_a_daemon(shell: Shell) -> None:
    shell.write(".lazydap/state.toml", "version = 1\n" + BROKEN_STATE)
    ended = shell("doctor", "--check-state")
    assert ended.code == 1
    checks = {check["name"]: check for check in json.loads(ended.out)["checks"]}
    assert checks["state.file"]["ok"] is False
    assert "line 2" in checks["state.file"]["detail"]
    assert "daemon" not in checks
    assert shell.daemon_files() == []


def test_doctor_check_adapters_asks_no_daemon(shell: Shell) -> None:
    checks = [check["name"] for check in shell("doctor", "--check-adapters").json["checks"]]
    assert checks == ["config.file", "adapter.codelldb", "adapter.debugpy", "adapter.delve"]
    assert shell.daemon_files() == []


def test_doctor_reports_a_daemon_that_does_not_start(shell: Shell) -> None:
    shell.write(".lazydap/state.toml", BROKEN_STATE)
    ended = shell("doctor", "--format", "csv")
    assert ended.code == 1
    assert "state.file,FAILED" in ended.out
    assert "\ndaemon,FAILED" in ended.out


def test_a_broken_launch_json_does_not_hide_the_projects_own_configurations(shell: Shell) -> None:
    shell.write(".vscode/launch.json", "{ no json")
    shell.write(".lazydap/state.toml", '[[launch_configs]]\nname = "ours"\nadapter = "debugpy"\nprogram = "app.py"\n')
    listed = shell("launches", "list").json
    assert [entry["name"] for entry in listed["configs"]] == ["ours"]
    assert any("launch.json" in warning for warning in listed["warnings"])
    assert shell.daemon_files() == []


def test_what_a_configuration_has_to_be_told_is_named_with_the_option_that_tells_it(shell: Shell) -> None:
    shell.write(
        ".vscode/launch.json",
        """{"inputs": [{"id": "target", "type": "pickString", "options": ["a", "b"]}], "configurations": [
            {"name": "asks", "type": "debugpy", "request": "launch", "program": "${file}",
             "args": ["${input:target}", "${env:NOT_SET}", "${lineNumber}"]}]}""",
    )
    ended = shell("launches", "run", "asks")
    assert ended.code == 1
    assert ended.error["error"] == "InvalidLaunchConfig"
    assert ended.error["details"]["unresolved"] == ["${file}", "${input:target}", "${env:NOT_SET}", "${lineNumber}"]
    message = ended.error["message"]
    assert "${file}: name the file with `--file FILE`" in message
    assert "${input:target}: give it with `--input target=VALUE` (one of a, b)" in message
    assert "${env:NOT_SET}: set the variable NOT_SET" in message
    assert "${lineNumber}: only an editor knows it" in message
    for wrong, words in {
        "target": "ID=VALUE",
        "target=c": "use one of a, b",
        "other=a": "it asks for `target`",
    }.items():
        refused = shell("launches", "run", "asks", "--input", wrong)
        assert refused.code == 2
        assert words in refused.err
    assert shell("launches", "run", "asks", "--file", "nowhere.py").code == 2
    assert shell.daemon_files() == []


def test_the_list_of_configurations_says_with_what_each_can_be_run(shell: Shell) -> None:
    shell.write(
        ".vscode/launch.json",
        """{"inputs": [{"id": "who", "type": "promptString"}], "configurations": [
            {"name": "file", "type": "debugpy", "request": "launch", "program": "${file}", "args": ["${input:who}"]},
            {"name": "line", "type": "debugpy", "request": "launch", "program": "a.py", "args": ["${lineNumber}"]},
            {"name": "there", "type": "debugpy", "request": "attach", "connect": {"port": 5678}},
            {"name": "plain", "type": "debugpy", "request": "launch", "program": "a.py"}]}""",
    )
    rows = [line.split(",")[-1] for line in shell("launches", "list", "--format", "csv").out.splitlines()[1:]]
    assert rows == [
        "with --file FILE --input who=VALUE",
        "no (${lineNumber} cannot be expanded here)",
        "no: `lazydap attach 127.0.0.1:5678`",
        "yes",
    ]


def test_an_unknown_configuration_is_answered_with_the_names_there_are(shell: Shell) -> None:
    shell.write(".lazydap/state.toml", '[[launch_configs]]\nname = "ours"\nadapter = "debugpy"\nprogram = "app.py"\n')
    ended = shell("launches", "run", "other")
    assert ended.code == 1
    assert ended.error["error"] == "InvalidLaunchConfig"
    assert ended.error["details"] == {"name": "other", "available": ["ours"]}


def test_a_breakpoint_is_moved_and_keeps_its_id_and_condition(shell: Shell) -> None:
    shell.write("a.py", "one = 1\ntwo = 2\nthree = 3\n")
    shell("break", "a.py:1", "--condition", "x > 1")
    assert shell("break", "a.py:3", "--move", "1", "--dry-run").json["breakpoints"][0]["line"] == 3
    (only,) = shell("break", "a.py:3", "--move", "1").json["breakpoints"]
    assert (only["id"], only["line"], only["condition"]) == (1, 3, "x > 1")
    assert only["anchor"] == "two = 2\nthree = 3\n"
    assert shell("break", "--list").json["breakpoints"] == [only]
    assert "there is no breakpoint 9" in shell("break", "a.py:3", "--move", "9").error["message"]
    refused = shell("break", "--move", "1")
    assert "needs a location" in refused.err


def test_what_is_not_there_is_no_success_but_where_the_older_command_line_has_it_so(shell: Shell) -> None:
    assert shell("break", "--remove", "--id", "77").json["not_found"] == [77]
    for words in (("remove", "--id", "77"), ("toggle", "no.such"), ("remove", "no.such")):
        ended = shell("break-function", *words)
        assert ended.code == 1
        assert "there is no such breakpoint" in ended.error["message"]
        assert words[-1] in ended.error["message"]
    assert shell("break-function", "remove", "--all").json["breakpoints"] == []
    assert shell("break-function", "add", " ").kind == "InvalidValue"
    assert shell("break-data", "add", "").kind == "InvalidValue"


def test_a_table_says_what_a_breakpoint_or_a_watch_will_come_to_nothing_for(shell: Shell) -> None:
    shell.write("a.py", "one = 1\ntwo = 2\n")
    assert "1: the file ends at line 2" in shell("break", "a.py:999", "--format", "table").out
    assert "ends at" not in shell("break", "a.py:2", "--format", "table").out
    assert "1: the expression is empty" in shell("watch", "add", "", "--format", "table").out


def test_a_state_file_broken_under_a_running_daemon_is_told_with_each_change_until_it_is_mended(shell: Shell) -> None:
    shell.write("a.py", "one\ntwo\n")
    shell("status")
    state = shell.folder / ".lazydap" / "state.toml"
    state.write_text("[[breakpoints]\n")
    ended = shell("break", "a.py:1")
    assert ended.code == 0
    assert ended.json["not_saved"] in ended.err
    assert "state.toml is malformed" in shell("status").err
    assert "state.saved" in shell("doctor", "--format", "table").out
    state.write_text("# mended\n[[launch_configs]]\nname = 'mine'\n")
    assert shell("break", "a.py:2").code == 0
    wait_until(lambda: state.read_text().count("[[breakpoints]]") == 2, "both are saved")
    assert "name = 'mine'" in state.read_text()
    assert shell("status").err == ""


def test_a_file_of_any_name_can_have_a_breakpoint(shell: Shell) -> None:
    for name in ("with blank.py", 'it\'s "quoted".py', "snö ☃.py", "-dash.py", "a:3.py"):
        shell.write(name, "x = 1\n")
        found = shell("break", "--", f"{name}:1").json["breakpoints"][0]
        assert found["source"] == str(shell.folder / name)
    listed = shell("break", "--list", "--format", "table").out
    assert "with blank.py:1" in listed
    assert "snö ☃.py:1" in listed


def test_the_list_of_breakpoints_is_read_from_where_one_stands(shell: Shell) -> None:
    shell.write("sub/a.py", "x = 1\n")
    shell("break", "a.py:1", cwd=shell.folder / "sub")
    assert ",a.py:1," in shell("break", "--list", "--format", "csv", cwd=shell.folder / "sub").out
    assert ",sub/a.py:1," in shell("break", "--list", "--format", "csv").out


def test_two_names_that_come_to_one_instance_are_not_taken_for_each_other(shell: Shell) -> None:
    first = shell("status", "--instance", "a b").json
    assert first["instance"] == "a-b"
    for words in (("status",), ("shutdown",), ("logs",)):
        refused = shell(*words, "--instance", "a_b")
        assert refused.code == 2
        assert "`a_b` and `a b` both come to the instance `a-b`" in refused.error["message"]
    # As it was named, and as it calls itself.
    assert shell("status", "--instance", "a b").json["daemon_pid"] == first["daemon_pid"]
    assert shell("status", "--instance", "A-B").json["daemon_pid"] == first["daemon_pid"]
    assert shell("shutdown", "--instance", "a b").json["shutting_down"] is True
    wait_until(lambda: not list(shell.runtime.glob("*.sock")), "the socket is still there")
    assert shell("shutdown", "--instance", "a_b").json["shutting_down"] is False


def test_another_instance_is_another_daemon_on_the_same_project(shell: Shell) -> None:
    ours, other = shell("status").json, shell("status", "--instance", "Other One").json
    assert other["instance"] == "other-one"
    assert other["daemon_pid"] != ours["daemon_pid"]
    assert other["root"] == ours["root"]
    assert shell("shutdown", "--instance", "other-one").json["shutting_down"] is True


def test_two_instances_on_one_project_keep_each_others_breakpoints(shell: Shell) -> None:
    shell.write("a.py", "one\ntwo\nthree\nfour\n")
    other = ("--instance", "other")
    # Both are there before either has anything to write.
    shell("status")
    shell("status", *other)
    ids = [
        shell("break", "a.py:1").json["breakpoints"][0]["id"],
        shell("break", "a.py:2", *other).json["breakpoints"][0]["id"],
        shell("break", "a.py:3").json["breakpoints"][0]["id"],
    ]
    assert ids == [1, 2, 3]
    shell("break", "--remove", "--id", "1", *other)
    shell("break", "a.py:4")
    assert [one["line"] for one in shell("break", "--list").json["breakpoints"]] == [2, 3, 4]
    shell("shutdown", *other)
    shell("shutdown")
    assert sorted(one["line"] for one in shell("break", "--list").json["breakpoints"]) == [2, 3, 4]


def test_a_shutdown_tells_what_could_not_be_saved_and_where_it_is(shell: Shell) -> None:
    shell.write("a.py", "one\ntwo\n")
    shell("break", "a.py:1")
    state = shell.folder / ".lazydap" / "state.toml"
    state.write_text("[[breakpoints]\n")
    assert "malformed" in shell("mute").err
    assert "malformed" in shell("break-function", "add", "main").err
    assert "malformed" in shell("exceptions", "on", "raised").err
    assert "malformed" in shell("watch", "add", "x").err
    ended = shell("shutdown")
    assert ended.json["shutting_down"] is True
    found = re.search(r"in (\S+), to be copied over state.toml", ended.err)
    assert found is not None
    Path(found.group(1)).rename(state)
    assert len(shell("break", "--list").json["breakpoints"]) == 1
    assert shell("watch", "list").json["watches"][0]["expression"] == "x"


def test_the_daemon_can_be_run_in_the_foreground(shell: Shell) -> None:
    process = shell.start("daemon", "--foreground")
    try:
        wait_until(lambda: any(name.endswith(".sock") for name in shell.daemon_files()), "no socket")
        status = shell("status").json
        assert status["daemon_pid"] == process.pid
        assert status["root"] == str(shell.folder)
        assert shell("shutdown").json["shutting_down"] is True
        assert finished(process).code == 0
    finally:
        process.kill()
        process.wait()


def test_version_and_completions_touch_no_folder(shell: Shell) -> None:
    nowhere = shell.with_variables(LAZYDAP_RUNTIME_DIR="/proc/nowhere", LAZYDAP_DATA_DIR="/proc/nowhere")
    assert nowhere("version").json["protocol"] == 10
    assert nowhere("completions", "zsh", "--format", "json").out.startswith("#compdef")
    assert nowhere("skill").out.startswith("# ")


def test_the_version_is_that_of_the_distribution(shell: Shell) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert shell("version").json["lazydap"] == project["version"]
    assert shell("--version").out == f"lazydap {project['version']}\n"


def test_bare_lazydap_in_a_script_prints_help_and_touches_nothing(shell: Shell) -> None:
    ended = shell()
    assert ended.code == 0
    assert "Usage: lazydap" in ended.out
    assert not shell.runtime.exists()


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_letters_are_utf8_whatever_the_locale(shell: Shell, locale: str) -> None:
    shell("watch", "add", "☃")
    other = shell.with_variables(LC_ALL=locale, LANG=locale, PYTHONIOENCODING="latin-1")
    assert "☃" in other("watch", "list").out


def test_the_locale_does_not_change_what_is_typed(shell: Shell) -> None:
    other = shell.with_variables(LC_ALL="C", LANG="C")
    assert other("watch", "add", "☃").json["watches"][0]["expression"] == "☃"


def test_an_argument_that_is_no_text_is_refused(shell: Shell) -> None:
    words = [LAZYDAP, "watch", "add", b"caf\xe9"]
    ended = subprocess.run(words, cwd=shell.folder, env=shell.environ, capture_output=True, check=False)
    assert ended.returncode == 2
    assert json.loads(ended.stderr)["details"]["kind"] == "InvalidUtf8"


def test_the_project_may_lie_in_a_folder_of_any_name(shell: Shell) -> None:
    folder = shell.folder / "snö 'x' \"y\""
    (folder / ".lazydap").mkdir(parents=True)
    inner = Shell(folder, shell.environ)
    status = inner("status").json
    assert status["root"] == str(folder)
    assert inner("shutdown").json["shutting_down"] is True


def test_a_first_command_reads_the_protocol_while_the_daemon_starts_and_not_before(shell: Shell) -> None:
    code = (
        "import os, subprocess, sys, lazydap_cli.main, lazydap_cli.running as m\n"
        "start = subprocess.Popen\n"
        "def starting(*words, **more):\n"
        "    print('lazydap_core.protocol.codec' in sys.modules, file=sys.stderr)\n"
        "    return start(*words, **more)\n"
        "subprocess.Popen = starting\n"
        "sys.exit(m.run(['status'], os.environ))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=shell.folder,
        env=shell.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=FAST * 3,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "False\n")
    assert json.loads(done.stdout)["session"] is None


def test_common_commands_load_neither_anyio_nor_tomlkit(shell: Shell) -> None:
    shell("status")
    shell.write("a.py", "x = 1\n")
    code = (
        "import sys, os, lazydap_cli.main, lazydap_cli.running as m\n"
        "m.run(sys.argv[1:], os.environ)\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    heavy = {
        "anyio",
        "asyncio",
        "tomlkit",
        "platformdirs",
        "difflib",
        "subprocess",
        "shtab",
        "pynvim",
        "lazydap_daemon",
    }
    for words in (("status",), ("break", "a.py:1"), ("break", "--list"), ("watch", "list"), ("threads",)):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=shell.folder,
            env=shell.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        loaded = set(done.stderr.split())
        assert "lazydap_core.client.blocking" in loaded
        assert not heavy & loaded, words
