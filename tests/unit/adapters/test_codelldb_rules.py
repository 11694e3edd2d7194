"""codelldb's rules, without a codelldb: stops, launches, environments, what it must not be sent."""

from pathlib import Path
from typing import Any

import pytest

from lazydap_core.discovery.finding import Found
from lazydap_core.errors import Unsupported
from lazydap_core.protocol.objects import LaunchOptions
from lazydap_daemon.adapters.codelldb import CodelldbDriver
from lazydap_daemon.adapters.driver import Driver, LaunchPlan, Normalised, driver_for
from lazydap_daemon.adapters.logpoints import MAX_EXPRESSION, harmless
from lazydap_daemon.adapters.reaching import CallsBack, Listens, StandardStreams
from lazydap_daemon.dap.messages import StoppedBody

DRIVER = CodelldbDriver(executable=("/bin/codelldb",))


def plan(program: str = "/p/main", **more: Any) -> LaunchPlan:
    return LaunchPlan(kind="codelldb", program=program, **more)


def stop(
    reason: str,
    description: str | None = None,
    *,
    entry: bool = False,
    pause: bool = False,
    step: int | None = None,
    hit: tuple[int, ...] | None = None,
) -> Normalised:
    body = StoppedBody(reason=reason, description=description, thread_id=7, hit_breakpoint_ids=hit)
    return DRIVER.normalise_stop(body, entry_expected=entry, pause_outstanding=pause, step_thread=step)


def test_it_is_the_driver_of_what_was_found() -> None:
    driver: Driver = driver_for(plan(), Found("codelldb", "codelldb", ("/bin/codelldb",)))
    assert (driver.program, driver.adapter_id, driver.adapter_command) == ("codelldb", "lldb", "/bin/codelldb")


@pytest.mark.parametrize(
    ("entry", "pause", "reason"),
    [(False, False, "exception"), (True, False, "entry"), (False, True, "pause"), (True, True, "pause")],
)
def test_what_a_sigstop_means_is_told_from_what_was_asked(*, entry: bool, pause: bool, reason: str) -> None:
    told = stop("exception", "signal SIGSTOP", entry=entry, pause=pause)
    assert (told.reason, told.thread_id) == (reason, 7)
    assert told.raw_reason == (None if reason == "exception" else "exception")
    assert told.text == ("signal SIGSTOP" if reason == "exception" else None)


def test_it_tells_a_stop_by_signal_from_all_others() -> None:
    told = StoppedBody(reason="exception", description="signal SIGSTOP")
    assert DRIVER.is_stopped_by_signal(told)
    assert not DRIVER.is_stopped_by_signal(StoppedBody(reason="exception", description="signal SIGSEGV"))
    assert not DRIVER.is_stopped_by_signal(StoppedBody(reason="breakpoint"))


def test_other_signals_stay_what_they_are() -> None:
    for description in ("signal SIGSEGV: address not mapped to object (fault address=0x0)", "signal SIGTRAP"):
        told = stop("exception", description, entry=True, pause=True)
        assert (told.reason, told.raw_reason, told.text) == ("exception", None, description)


def test_a_step_ends_on_the_thread_that_was_stepped_whoever_is_named() -> None:
    told = stop("step", step=9)
    assert (told.reason, told.raw_reason, told.thread_id, told.adapter_thread_id) == ("step", None, 9, 7)
    assert stop("step", step=7).adapter_thread_id is None
    trapped = stop("exception", "signal SIGTRAP", step=9)
    assert (trapped.reason, trapped.raw_reason, trapped.thread_id, trapped.text) == ("step", "exception", 9, None)


def test_a_breakpoint_during_a_step_is_a_breakpoint_of_its_own_thread() -> None:
    told = stop("breakpoint", step=9, hit=(3,))
    assert (told.reason, told.thread_id, told.hit_ids) == ("breakpoint", 7, (3,))


def test_the_end_of_an_old_step_is_a_pause_where_one_is_waited_for() -> None:
    assert stop("step", pause=True).reason == "pause"
    assert stop("step", pause=True, step=7).reason == "step"


def test_no_reason_is_no_stop() -> None:
    assert stop("").is_refresh
    assert not stop("step").is_refresh


def test_its_words_become_lazydaps() -> None:
    assert stop("data breakpoint", hit=(1_000_001,)).reason == "data_breakpoint"
    told = stop("unknown", "exec")
    assert (told.reason, told.text) == ("unknown", "exec")


def test_the_launch_is_what_it_needs(tmp_path: Path) -> None:
    options = LaunchOptions(client_env={"A": "1", "B": "2"}, source_map={"/remote": "/local"})
    asked = plan(
        str(tmp_path / "main"),
        args=("a b", ""),
        cwd="/",
        env={"B": "3"},
        stop_on_entry=True,
        root=str(tmp_path),
        options=options,
    )
    assert DRIVER.launch_arguments(asked) == {
        "name": "lazydap",
        "type": "lldb",
        "request": "launch",
        "program": str(tmp_path / "main"),
        "args": ["a b", ""],
        "cwd": "/",
        "env": {"A": "1", "B": "3"},
        "stopOnEntry": True,
        "terminal": "console",
        "relativePathBase": str(tmp_path),
        "sourceLanguages": ["cpp"],
        "sourceMap": {"/remote": "/local"},
        "initCommands": ["settings set target.inherit-env false", "settings set target.disable-aslr false"],
        "postRunCommands": ["settings set target.process.interrupt-timeout 3"],
        "_adapterSettings": {"consoleMode": "evaluate"},
    }
    assert "cwd" not in DRIVER.launch_arguments(plan())
    assert DRIVER.directory(asked) == str(tmp_path)
    assert DRIVER.directory(plan(cwd="/")) == "/"


@pytest.mark.parametrize(
    ("file", "program"),
    [
        ("Cargo.toml", "target/debug/main"),
        ("member/Cargo.toml", "member/target/debug/main"),
        ("main.rs", "main"),
    ],
)
def test_rusts_formatters_are_asked_for_where_there_is_rust(tmp_path: Path, file: str, program: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    launch = DRIVER.launch_arguments(plan(str(tmp_path / program), root=str(tmp_path)))
    assert launch["sourceLanguages"] == ["rust", "cpp"]


def test_a_rust_project_above_this_one_is_another(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").touch()
    launch = DRIVER.launch_arguments(plan(str(tmp_path / "c" / "main"), root=str(tmp_path / "c")))
    assert launch["sourceLanguages"] == ["cpp"]


def test_what_would_disturb_it_reaches_only_the_program() -> None:
    client = {
        "PATH": "/bin",
        "PYTHONPATH": "/x",
        "PYTHONSTARTUP": "/y",
        "CODELLDB_STARTUP": "quit",
        "RUST_LOG": "trace",
        "LLDB_DEBUGSERVER_PATH": "/z",
        "COLUMNS": "9",
    }
    asked = plan(options=LaunchOptions(client_env=client))
    assert DRIVER.environment(asked) == {"PATH": "/bin"}
    assert DRIVER.launch_arguments(asked)["env"] == client


def test_what_is_no_text_is_left_out_because_rust_would_panic_over_it() -> None:
    client = {"PATH": "/bin", "ODD": "caf\udce9"}
    asked = plan(options=LaunchOptions(client_env=client))
    assert DRIVER.environment(asked) == DRIVER.launch_arguments(asked)["env"] == {"PATH": "/bin"}


def test_it_is_asked_to_call_back_and_otherwise_as_its_version_can() -> None:
    back, listening, standard = DRIVER.transports
    assert isinstance(back, CallsBack)
    assert isinstance(listening, Listens)
    assert standard == StandardStreams()
    usage = "error: unexpected argument '--connect' found"
    assert DRIVER.lacks(back, 2, usage)
    assert DRIVER.lacks(back, 1, "error: Found argument '--connect' which wasn't expected")
    assert not DRIVER.lacks(back, 101, "thread 'main' panicked: --connect")
    assert not DRIVER.lacks(listening, 2, usage)
    assert not DRIVER.lacks(standard, 2, usage)


def test_advice_of_rust_is_no_reason() -> None:
    assert DRIVER.is_chatter("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace")
    assert not DRIVER.is_chatter("liblldb.so: cannot open shared object file")


@pytest.mark.parametrize(
    ("text", "pid"),
    [
        ("Launched process 40001 from '/proj/loop'\n", 40001),
        ("Attached to process 40001\n", 40001),
        ("Launching: /proj/loop\n", None),
        ("he said Launched process 1 from\n", None),
    ],
)
def test_the_pid_is_in_what_it_narrates(text: str, pid: int | None) -> None:
    assert DRIVER.pid_in_output(text) == pid


def test_only_one_mark_in_a_value_is_an_error() -> None:
    assert DRIVER.hidden_error("<error: invalid value object>") == "<error: invalid value object>"
    for value in ("<parent is NULL>", "<null>", "<read memory from 0x1 failed (0 of 4 bytes read)>", "<error: x> y"):
        assert DRIVER.hidden_error(value) is None


def test_it_counts_hits_as_lazydap_does() -> None:
    counts = [DRIVER.hit_condition(text) for text in ("3", "= 3", ">2", "%2", "<=4")]
    assert counts == [">=3", "==3", ">2", "%2", "<=4"]
    with pytest.raises(Unsupported, match="write a number"):
        DRIVER.hit_condition("zzz")


def test_panics_of_rust_are_the_only_filter_that_is_set_unasked() -> None:
    assert {one.filter for one in DRIVER.known_filters} & DRIVER.default_filters == {"rust_panic"}


def test_only_lldbs_own_conditions_stay() -> None:
    assert DRIVER.condition_sticks("/nat i == 7")
    assert not DRIVER.condition_sticks("i == 7")
    assert not DRIVER.condition_sticks(None)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "",
        "log i={i} total={total} p={p.x,x} {/nat i*2} {nosuch} tail",
        "{items[0].name} {arr,[3]} {p,x[10]} {*s} {1/0} {i == 4} {k3.1[2]} {a[b[c]+1].d}",
        "a brace that is not closed {i",
        "a brace that was not opened x } y",
        "{/nat i +}",
        "{/py $a + ${b}}",
        "{/se i + 1}",
    ],
)
def test_a_log_text_that_it_reads_is_sent_as_it_is(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("{ i }", "{i}"),
        ("{p->x}", "{/nat p->x}"),
        ("n={v.size()}!", "n={/nat v.size()}!"),
        ("{a % b},{(a + b) * 2}", "{/nat a % b},{/nat (a + b) * 2}"),
        ("{a . b}", "{/nat a . b}"),
        ("{a < b < c}", "{/nat a < b < c}"),
        ("{x,q}", "{/nat x,q}"),
        ("{größe}", "{/nat größe}"),
    ],
)
def test_what_only_lldb_may_read_is_given_to_lldb(text: str, sent: str) -> None:
    assert harmless(text) == sent


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{i +}", "{i +}"),
        ("x {} y", "{}"),
        ("{ }", "{ }"),
        ("{{x}}", "{{x}}"),
        ("{a {b}", "{a {b}"),
        ("{f(x}", "{f(x}"),
        ('{"open}', '{"open}'),
        ("{a.}", "{a.}"),
        ("{/nat }", "{/nat }"),
        ("{/py 1 +}", "{/py 1 +}"),
        ("{/se f(x)}", "{/se f(x)}"),
        ("{/what x}", "{/what x}"),
        ("{" + "a" * (MAX_EXPRESSION + 1) + "}", "aaa…"),
    ],
)
def test_a_log_text_that_would_end_it_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(Unsupported) as refused:
        harmless(text)
    assert named in refused.value.message
    assert "\n" not in refused.value.message


def test_no_text_is_too_much_for_the_check() -> None:
    for text in ("{" * 5000, "{" + "a[" * 150 + "]" * 150 + "}", "{/py " + "(" * 300 + "}", "{" + "*" * 399 + "}"):
        try:
            harmless(text)
        except Unsupported as refused:
            assert refused.message  # noqa: PT017
