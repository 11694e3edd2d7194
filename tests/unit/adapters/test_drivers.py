"""The drivers' rules, without an adapter: stops, environments, launches, counts of hits."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lazydap_core.discovery.finding import Found
from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.driver import Driver, LaunchPlan, Normalised, driver_for
from lazydap_daemon.adapters.hits import HitCondition, read_hit_condition
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver, major_version
from lazydap_daemon.adapters.plan import AttachTarget
from lazydap_daemon.dap.messages import Capabilities, Source, StoppedBody

DEBUGPY = DebugpyDriver(interpreter="/env/bin/python")
LLDB = LldbDapDriver(executable=("/bin/lldb-dap",))
DELVE = DelveDriver(executable=("/bin/dlv",))
SIGSTOP = StoppedBody(reason="exception", description="signal SIGSTOP", thread_id=7)


def plan(**more: Any) -> LaunchPlan:
    return LaunchPlan(kind="debugpy", program="/p/main.py", cwd="/", **more)


def stop(driver: Driver, body: StoppedBody, *, entry: bool = False, pause: bool = False) -> Normalised:
    return driver.normalise_stop(body, entry_expected=entry, pause_outstanding=pause, step_thread=None)


@pytest.mark.parametrize(
    ("entry", "pause", "reason", "raw"),
    [
        (False, False, "exception", None),
        (True, False, "entry", "exception"),
        (False, True, "pause", "exception"),
        (True, True, "pause", "exception"),
    ],
)
def test_what_a_sigstop_means_is_told_from_what_was_asked(*, entry: bool, pause: bool, reason: str, raw: str) -> None:
    told = stop(LLDB, SIGSTOP, entry=entry, pause=pause)
    assert (told.reason, told.raw_reason, told.thread_id) == (reason, raw, 7)
    assert told.text == (None if raw else "signal SIGSTOP")


def test_llvm_14_gives_its_sigstop_no_description() -> None:
    assert stop(LLDB, StoppedBody(reason="exception"), entry=True).reason == "entry"


def test_a_crash_during_a_pause_or_at_the_entry_stays_a_crash() -> None:
    told = stop(
        LLDB, StoppedBody(reason="exception", description="signal SIGSEGV: address 0x0"), entry=True, pause=True
    )
    assert (told.reason, told.raw_reason, told.text) == ("exception", None, "signal SIGSEGV: address 0x0")


@pytest.mark.parametrize(
    ("reason", "description", "pause", "told"),
    [
        ("step", "trace", True, "pause"),
        ("breakpoint", "shared-library-event", True, "pause"),
        ("breakpoint", "breakpoint 1.1", True, "breakpoint"),
        ("step", "step over", True, "step"),
        ("step", "trace", False, "step"),
    ],
)
def test_a_pause_that_meets_lldb_at_work_is_a_pause(*, reason: str, description: str, pause: bool, told: str) -> None:
    assert stop(LLDB, StoppedBody(reason=reason, description=description), pause=pause).reason == told


def test_lldbs_breakpoint_ids_are_taken_from_the_list_or_from_the_words() -> None:
    words = "breakpoint 1.1 12.3"
    assert stop(LLDB, StoppedBody(reason="breakpoint", description=words)).hit_ids == (1, 12)
    assert stop(LLDB, StoppedBody(reason="breakpoint", description=words, hit_breakpoint_ids=(5,))).hit_ids == (5,)
    assert stop(LLDB, StoppedBody(reason="exception", description="address 1.1")).hit_ids == ()


@pytest.mark.parametrize("ids", [(-1,), None], ids=["in the list", "in the words"])
def test_lldbs_own_breakpoints_are_no_hits_and_a_pause_that_meets_one_is_a_pause(ids: tuple[int, ...] | None) -> None:
    words = "shared-library-event" if ids else "breakpoint -1.1"
    body = StoppedBody(reason="breakpoint", description=words, hit_breakpoint_ids=ids)
    assert stop(LLDB, body).hit_ids == ()
    paused = stop(LLDB, body, pause=True)
    assert (paused.reason, paused.raw_reason) == ("pause", "breakpoint")


def test_lldb_tells_a_stop_by_signal_from_all_others() -> None:
    assert LLDB.is_stopped_by_signal(StoppedBody(reason="exception", description="signal SIGSTOP"))
    assert not LLDB.is_stopped_by_signal(StoppedBody(reason="exception", description="signal SIGSEGV: no address"))
    assert not LLDB.is_stopped_by_signal(StoppedBody(reason="step", description="trace"))
    assert not LLDB.is_stopped_by_signal(StoppedBody(reason="breakpoint", description=None))


def test_lldbs_words_become_lazydaps() -> None:
    told = stop(LLDB, StoppedBody(reason="data breakpoint", description="watchpoint 1"))
    assert (told.reason, told.raw_reason, told.text) == ("data_breakpoint", None, "watchpoint 1")


def test_an_exception_of_debugpy_is_its_type_and_its_message_without_the_note() -> None:
    note = "       (note: full exception trace is shown but execution is paused at: <module>)"
    body = StoppedBody(reason="exception", text="ValueError" + note, description="no 3" + note, thread_id=1)
    assert stop(DEBUGPY, body).text == "ValueError: no 3"
    assert (
        stop(DEBUGPY, StoppedBody(reason="exception", text="KeyboardInterrupt", description="")).text
        == "KeyboardInterrupt"
    )
    assert stop(DEBUGPY, StoppedBody(reason="exception")).text is None
    assert stop(DEBUGPY, StoppedBody(reason="step", text="ignored")).text is None


def test_breakpoint_zero_is_a_breakpoint() -> None:
    assert stop(DEBUGPY, StoppedBody(reason="breakpoint", hit_breakpoint_ids=(0,))).hit_ids == (0,)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("3", (">=", 3)),
        (" >= 3 ", (">=", 3)),
        (">3", (">", 3)),
        ("=3", ("==", 3)),
        ("==3", ("==", 3)),
        ("%2", ("%", 2)),
        ("<= 4", ("<=", 4)),
        ("<4", ("<", 4)),
    ],
)
def test_a_hit_condition_is_a_comparison_and_a_count(text: str, read: tuple[Any, int]) -> None:
    assert read_hit_condition(text) == HitCondition(*read)


@pytest.mark.parametrize("text", ["", "three", "3 times", "!= 3", "-1", "%0", "1" * 12, "3;"])
def test_what_is_no_count_is_refused_with_what_would_be(text: str) -> None:
    for driver in (LLDB, DEBUGPY):
        with pytest.raises(Unsupported, match="write a number"):
            driver.hit_condition(text)


def test_lldb_counts_only_up_to_the_first_stop() -> None:
    assert [LLDB.hit_condition(text) for text in ("3", ">=3", ">3", "0")] == ["3", "3", "4", "1"]
    for text in ("==3", "<3", "<=3", "%3"):
        with pytest.raises(Unsupported, match="cannot count"):
            LLDB.hit_condition(text)


def test_debugpy_always_gets_an_operator() -> None:
    assert [DEBUGPY.hit_condition(text) for text in ("3", "=3", "% 2", "<3")] == [">=3", "==3", "%2", "<3"]


def test_the_clients_environment_is_the_programs_and_the_adapters_but_for_what_disturbs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DAEMON_ONLY", "1")
    client = {"PATH": "/bin", "PYTHONPATH": "/lib", "PYTHONHOME": "/home", "LLDB_DEBUGSERVER_PATH": "/x", "LINES": "9"}
    asked = plan(env={"PYTHONPATH": "/mine", "MINE": "1"}, options=LaunchOptions(client_env=client))
    assert LLDB.environment(asked) == {"PATH": "/bin"}
    launch = LLDB.launch_arguments(asked)
    assert sorted(launch["env"]) == [
        "LINES=9",
        "LLDB_DEBUGSERVER_PATH=/x",
        "MINE=1",
        "PYTHONHOME=/home",
        "PYTHONPATH=/mine",
    ]
    assert "?settings set target.unset-env-vars COLUMNS" in launch["initCommands"]
    assert DEBUGPY.environment(asked) == client
    assert DEBUGPY.launch_arguments(asked)["env"] == {"PYTHONPATH": "/mine", "MINE": "1"}


def test_without_a_clients_environment_the_daemons_own_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAEMON_ONLY", "1")
    assert DEBUGPY.environment(plan())["DAEMON_ONLY"] == "1"
    assert DEBUGPY.environment(plan(options=LaunchOptions(client_env={}))) == {}


def test_debugpys_launch_is_what_it_needs() -> None:
    launch = DEBUGPY.launch_arguments(plan(args=("a b", ""), stop_on_entry=True))
    assert launch["python"] == ["/env/bin/python"]
    assert (launch["program"], launch["args"], launch["cwd"]) == ("/p/main.py", ["a b", ""], "/")
    assert (launch["console"], launch["stopOnEntry"]) == ("internalConsole", True)
    assert (launch["justMyCode"], launch["subProcess"], launch["redirectOutput"]) == (False, False, True)


def test_the_options_of_a_launch_reach_debugpy() -> None:
    options = LaunchOptions(module="package.main", just_my_code=True, source_map={"/remote": "/local"})
    launch = DEBUGPY.launch_arguments(plan(options=options))
    assert (launch["module"], launch["justMyCode"]) == ("package.main", True)
    assert "program" not in launch
    assert launch["pathMappings"] == [{"remoteRoot": "/remote", "localRoot": "/local"}]


def test_debugpys_adapter_runs_under_our_interpreter_whatever_the_environment_says() -> None:
    command = DEBUGPY.command(plan())
    assert command[:3] == (sys.executable, "-E", "-P")
    assert Path(command[3]).name == "debugpy_adapter.py"


def test_lldbs_launch_is_what_it_needs() -> None:
    launch = LLDB.launch_arguments(plan(args=("a",), options=LaunchOptions(source_map={"/remote": "/local"})))
    assert (launch["program"], launch["args"], launch["stopOnEntry"]) == ("/p/main.py", ["a"], False)
    assert launch["sourceMap"] == [["/remote", "/local"]]
    assert "runInTerminal" not in launch
    assert LLDB.command(plan()) == ("/bin/lldb-dap", "--no-lldbinit")


@pytest.mark.parametrize("driver", [LLDB, DEBUGPY])
def test_nothing_is_announced_that_is_not_done(driver: Driver) -> None:
    told = driver.initialize_arguments()
    assert told["adapterID"] == driver.adapter_id
    assert (told["supportsRunInTerminalRequest"], told["supportsStartDebuggingRequest"]) == (False, False)
    assert told["supportsVariablePaging"]


def test_a_start_directory_that_is_missing_is_replaced_by_one_that_exists(tmp_path: Path) -> None:
    root = LaunchPlan(kind="codelldb", program="/p", cwd=str(tmp_path / "gone"), root=str(tmp_path))
    assert LLDB.directory(root) == str(tmp_path)
    assert LLDB.directory(LaunchPlan(kind="codelldb", program="/p")) == "/"


def test_a_relative_program_is_looked_for_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "main.py").touch()
    DEBUGPY.check(LaunchPlan(kind="debugpy", program="main.py", cwd=str(tmp_path)))
    with pytest.raises(InvalidLaunchConfig):
        DEBUGPY.check(LaunchPlan(kind="debugpy", program=str(tmp_path), cwd="/"))


def test_only_what_the_program_wrote_is_its_output() -> None:
    assert DEBUGPY.is_program_output("stderr", "Traceback")
    assert not DEBUGPY.is_program_output("stderr", "0.00s - Debugger warning: It seems that frozen modules")
    assert not DEBUGPY.is_program_output("telemetry", "debugpy")
    assert not DEBUGPY.is_program_output(None, "text")
    assert LLDB.is_program_output("stdout", "text")
    assert not LLDB.is_program_output("stderr", "PLEASE submit a bug report")


def test_a_program_is_kept_only_where_the_adapter_can() -> None:
    told, silent = Capabilities(support_terminate_debuggee=True), Capabilities()
    assert LLDB.keeps_debuggee(told, is_attached=False)
    assert not LLDB.keeps_debuggee(silent, is_attached=False)
    assert LLDB.keeps_debuggee(silent, is_attached=True)
    assert not DEBUGPY.keeps_debuggee(told, is_attached=False)
    assert DEBUGPY.keeps_debuggee(silent, is_attached=True)
    # Behind a port delve says whether it would end what it has launched before.
    assert DELVE.keeps_debuggee(told, is_attached=True)
    assert not DELVE.keeps_debuggee(silent, is_attached=True)


@pytest.mark.parametrize(
    ("body", "version", "one_at_a_time"),
    [
        ({"$__lldb_version": "lldb version 23.1.4 (https://x revision 395)\n  clang revision 3"}, 23, False),
        ({"$__lldb_version": "Karellen, Inc. (https://karellen.co) v23.1.4.post8 lldb version 23.1.4 (x)"}, 23, False),
        ({"__lldb": {"version": "lldb version 19.1.7"}}, 19, True),
        ({"__lldb": {"version": "lldb-1600.0.39.109\nApple Swift version 6.0"}}, None, True),
        ({"__lldb": 5}, None, True),
        ({}, None, True),
    ],
)
def test_scopes_are_asked_one_frame_at_a_time_up_to_21(body: Any, version: int | None, one_at_a_time: bool) -> None:
    capabilities = msgspec.convert(body, Capabilities)
    assert major_version(capabilities) == version
    assert LLDB.one_scope_transaction(capabilities) is one_at_a_time
    assert not DEBUGPY.one_scope_transaction(capabilities)


def test_capabilities_that_change_are_added_to_those_that_were() -> None:
    first = Capabilities(supports_restart_request=True, supports_log_points=True)
    changed = first.merged(Capabilities(supports_log_points=False, supports_step_back=True))
    assert (changed.supports_restart_request, changed.supports_log_points, changed.supports_step_back) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize(
    ("source", "file"),
    [
        (Source(path="/p/a.c"), "/p/a.c"),
        (Source(path="/p/a.py", source_reference=0), "/p/a.py"),
        (Source(path="/lib/ld.so`_start", source_reference=1), None),
        (Source(path="elf/rtld.c"), None),
        (Source(name="a.c"), None),
    ],
)
def test_only_an_absolute_path_without_a_reference_is_a_file(source: Source, file: str | None) -> None:
    assert source.file == file


def test_the_driver_is_that_of_the_program_that_was_found() -> None:
    assert driver_for(plan(), Found("codelldb", "lldb-dap", ("/bin/lldb-dap",))).program == "lldb-dap"
    python = driver_for(plan(), Found("debugpy", "debugpy", (), interpreter="/env/bin/python"))
    assert python.adapter_command == "/env/bin/python"
    assert driver_for(plan(), Found("delve", "delve", ("/bin/dlv",))).adapter_command == "/bin/dlv"


def test_the_daemon_never_loads_debugpy_itself() -> None:
    code = "import sys, lazydap_daemon.adapters.driver; sys.exit(any(m.startswith('debugpy') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_pause_that_comes_too_early_is_refused_only_for_now() -> None:
    assert LLDB.refuses_only_for_now("pause", "Process is not running.")
    assert LLDB.refuses_only_for_now("pause", "Halt timed out. State = running")
    assert not LLDB.refuses_only_for_now("pause", "no such thread")
    assert not LLDB.refuses_only_for_now("next", "Process is not running.")
    assert not DEBUGPY.refuses_only_for_now("pause", "Process is not running.")


@pytest.mark.parametrize(("reason", "may_be_placeless"), [("exception", True), ("breakpoint", False)])
def test_only_an_exception_may_stop_a_program_that_never_began(reason: str, *, may_be_placeless: bool) -> None:
    told = DebugpyDriver(interpreter=None).normalise_stop(
        StoppedBody(reason=reason, text="SyntaxError", description="invalid syntax (a.py, line 1)", thread_id=1),
        entry_expected=False,
        pause_outstanding=False,
        step_thread=None,
    )
    assert told.may_be_placeless is may_be_placeless


def test_lldb_dap_is_given_the_scripts_of_the_programs_language() -> None:
    driver = LldbDapDriver(executable=("lldb-dap",), formatters="/a toolchain/etc")
    wanted = [
        '?command script import "/a toolchain/etc/lldb_lookup.py"',
        '?command source -s 1 "/a toolchain/etc/lldb_commands"',
    ]
    assert driver.launch_arguments(plan())["initCommands"][-2:] == wanted
    assert driver.attach_arguments(plan(), AttachTarget(pid=1))["initCommands"][-2:] == wanted
    assert not any("command" in each for each in LLDB.launch_arguments(plan())["initCommands"])
