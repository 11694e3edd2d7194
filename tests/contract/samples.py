"""Owns one sample of every message, shown in doc/protocol.md and read back by the tests."""

from typing import Any, Final
from uuid import UUID

from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.additions import exceptions, moving, muting, named, sources, values
from lazydap_core.protocol.additions.following import BreakpointMove, BreakpointPlace
from lazydap_core.protocol.additions.state_file import StateFile
from lazydap_core.protocol.dialect import FEATURES, NEWEST

SESSION: Final = UUID("0b7e3c52-6f0e-4a57-9a51-2f3f5f0f7c11")
_SOURCE: Final = objects.Source(name="app.py", path="/home/ana/shop/app.py")
_FRAME: Final = objects.StackFrame(id=12, name="total", source=_SOURCE, line=7, column=1)
_VARIABLE: Final = objects.Variable(
    name="prices", value="[3, 5]", type_name="list", evaluate_name="prices", variables_reference=14, indexed_variables=2
)
_LOCALS: Final = objects.Locals(frame_id=12, variables_reference=13, variables=(_VARIABLE,), truncated=False)
_CHUNK: Final = objects.OutputChunk(category="stdout", output="naïve ☃\n", timestamp_ms=1785500000123)
_STOP: Final = objects.Stop(generation=3, thread_id=1, reason="step", frame=_FRAME, locals=_LOCALS)
_BREAKPOINT: Final = objects.BreakpointStatus(
    id=2, source="/home/ana/shop/app.py", line=6, condition="n > 1", enabled=True, verified=True, adapter_line=7
)
_SUMMARY: Final = objects.SessionSummary(
    session_id=SESSION,
    adapter="debugpy",
    program="/home/ana/shop/app.py",
    state="paused",
    buffered_events=12,
    captured_output_chunks=3,
    dropped_events=0,
    uptime_ms=1500,
    adapter_command="/home/ana/shop/.venv/bin/python",
    stop=_STOP,
)

_FUNCTION: Final = named.FunctionBreakpointStatus(
    id=4, name="total", condition="n > 1", enabled=True, verified=True, source="/home/ana/shop/app.py", line=6
)
_DATA: Final = named.DataBreakpointStatus(
    id=5, name="count", description="4 bytes at 0x7ffc", access="write", enabled=True, verified=True
)
_FILTER: Final = exceptions.ExceptionFilter(
    adapter="debugpy",
    filter="raised",
    label="Raised Exceptions",
    description="Break whenever any exception is raised.",
    default=False,
    enabled=True,
    chosen=True,
    supports_condition=False,
)

REQUESTS: Final[tuple[requests.Request, ...]] = (
    requests.Ping(),
    requests.Status(),
    requests.Shutdown(),
    requests.Version(),
    requests.Doctor(),
    requests.Launch(
        adapter="debugpy",
        program="/home/ana/shop/app.py",
        args=("--fast", "two words"),
        cwd="/home/ana/shop",
        env={"DEBUG": "1"},
        stop_on_entry=True,
        options={"just_my_code": False},
    ),
    requests.Attach(adapter="codelldb", pid=4711, stop_on_entry=False),
    requests.Attach(adapter="debugpy", host="127.0.0.1", port=5678, stop_on_entry=False),
    requests.Restart(session_id=SESSION),
    requests.CancelLaunch(),
    requests.Disconnect(session_id=SESSION, terminate=True, dry_run=False),
    requests.Continue(session_id=SESSION, wait=objects.Wait(), all_threads=False),
    requests.Step(session_id=SESSION, kind="over", wait=objects.NoWait()),
    requests.Step(session_id=SESSION, thread_id=1, kind="in", wait=objects.Wait(timeout_ms=5000)),
    requests.Pause(session_id=SESSION, wait=objects.NoWait()),
    requests.Threads(session_id=SESSION),
    requests.StackTrace(session_id=SESSION, levels=20),
    requests.Scopes(session_id=SESSION, frame_id=12),
    requests.Variables(session_id=SESSION, variables_reference=14, filter="all", max=100),
    requests.Eval(session_id=SESSION, expression="sum(prices)", frame_id=12, context="watch"),
    requests.Output(session_id=SESSION),
    requests.BreakpointList(),
    requests.BreakpointAdd(
        breakpoint=objects.NewBreakpoint(source="/home/ana/shop/app.py", line=6, condition="n > 1", enabled=True),
        dry_run=False,
    ),
    requests.BreakpointRemove(selector=objects.ByIds(ids=(2, 5)), dry_run=False),
    requests.BreakpointRemove(
        selector=objects.ByLocation(location=objects.Location(source="/home/ana/shop/app.py", line=6)), dry_run=True
    ),
    requests.BreakpointToggle(selector=objects.BySource(source="/home/ana/shop/app.py"), dry_run=False),
    requests.BreakpointToggle(selector=objects.Everything(), dry_run=False),
    BreakpointMove(
        moves=(
            BreakpointPlace(id=2, line=9, anchor="def total(prices):\nreturn sum(prices)\nprint(total([3, 5]))"),
            BreakpointPlace(id=5, line=12, source="/home/ana/shop/bill.py"),
        ),
        dry_run=False,
    ),
    requests.Subscribe(channels=("stopped", "continued", "session_ended")),
    requests.AwaitStop(session_id=SESSION, timeout_ms=5000),
    requests.RunTo(session_id=SESSION, source="/home/ana/shop/app.py", line=9, wait=objects.Wait()),
    requests.GotoTargets(session_id=SESSION, source="/home/ana/shop/app.py", line=4),
    requests.Goto(session_id=SESSION, source="/home/ana/shop/app.py", line=4, wait=objects.Wait()),
    requests.StepInTargets(session_id=SESSION),
    requests.Source(session_id=SESSION, source_reference=18),
    requests.SetVariable(session_id=SESSION, variables_reference=13, name="total", value="0"),
    requests.SetExpression(session_id=SESSION, expression="prices[0]", value="4"),
    requests.Complete(session_id=SESSION, text="pri", column=4),
    requests.TerminalRead(session_id=SESSION),
    requests.TerminalRead(session_id=SESSION, after_seq=6),
    requests.TerminalWrite(session_id=SESSION, data=b"ana\r"),
    requests.TerminalResize(session_id=SESSION, columns=80, rows=24),
    requests.WatchList(),
    requests.WatchAdd(watch=objects.NewWatch(expression="len(prices)", label="how many"), dry_run=False),
    requests.WatchRemove(selector=objects.ByExpression(expression="len(prices)"), dry_run=False),
    exceptions.ExceptionFilterList(),
    exceptions.ExceptionFilterList(adapter="debugpy"),
    exceptions.ExceptionFilterSet(
        filters=(
            exceptions.FilterChange(filter="raised", enabled=True),
            exceptions.FilterChange(filter="uncaught"),
        ),
        dry_run=False,
    ),
    exceptions.ExceptionFilterSet(
        adapter="lldb-dap",
        filters=(exceptions.FilterChange(filter="cpp_throw", enabled=True, condition="n > 3"),),
        dry_run=True,
    ),
    exceptions.ExceptionInfo(session_id=SESSION),
    muting.Mute(muted=True),
    named.FunctionBreakpointList(),
    named.FunctionBreakpointAdd(
        breakpoint=named.NewFunctionBreakpoint(name="total", condition="n > 1", enabled=True), dry_run=False
    ),
    named.FunctionBreakpointRemove(selector=objects.ByName(name="total"), dry_run=False),
    named.FunctionBreakpointToggle(selector=objects.ByIds(ids=(4,)), dry_run=False),
    named.DataBreakpointList(),
    named.DataBreakpointAdd(
        session_id=SESSION,
        breakpoint=named.NewDataBreakpoint(name="count", access="write", enabled=True),
        dry_run=False,
    ),
    named.DataBreakpointRemove(selector=objects.Everything(), dry_run=False),
    named.DataBreakpointToggle(selector=objects.ByName(name="count"), dry_run=False),
)

RESPONSES: Final[tuple[responses.Response, ...]] = (
    responses.Pong(version=NEWEST, instance="shop-0123456789ab", uptime_ms=12, features=FEATURES),
    responses.Status(
        instance="shop-0123456789ab",
        daemon_pid=4242,
        uptime_ms=1500,
        protocol_version=NEWEST,
        lazydap_version="0.1.0",
        root="/home/ana/shop",
    ),
    responses.Status(
        instance="shop-0123456789ab",
        daemon_pid=4242,
        uptime_ms=1500,
        protocol_version=NEWEST,
        lazydap_version="0.1.0",
        session=_SUMMARY,
        root="/home/ana/shop",
    ),
    responses.Version(lazydap="0.1.0", protocol=NEWEST),
    responses.Doctor(ok=True, checks=(objects.Check(name="adapter debugpy", ok=True, detail="debugpy 1.8.22"),)),
    responses.Launched(
        session_id=SESSION,
        state="paused",
        reason="entry",
        thread_id=1,
        capabilities=objects.Capabilities(
            supports_configuration_done_request=True,
            supports_function_breakpoints=True,
            supports_conditional_breakpoints=True,
            supports_variable_paging=False,
        ),
        breakpoints=(_BREAKPOINT,),
        adapter_command="/home/ana/shop/.venv/bin/python",
        stop=objects.Stop(generation=1, thread_id=1, reason="entry"),
    ),
    responses.Disconnected(session_id=SESSION, dry_run=False, terminated_debuggee=True),
    responses.LaunchCancelled(cancelled=True),
    responses.ShuttingDown(sessions=()),
    responses.Continued(session_id=SESSION, thread_id=1, already_running=False),
    responses.Stepped(
        state="paused",
        reason="step",
        thread_id=1,
        all_threads_stopped=True,
        additional_stopped_threads=(),
        hit_breakpoint_ids=(),
        frame=_FRAME,
        locals=_LOCALS,
        captured_output=(_CHUNK,),
        output_truncated=False,
        dropped_events=0,
        breakpoint_updates=(),
        thread_updates=(),
        elapsed_ms=4,
    ),
    responses.Threads(threads=(objects.ThreadInfo(id=1, name="MainThread"), objects.ThreadInfo(id=2))),
    responses.StackTrace(frames=(_FRAME,), total=4),
    responses.Scopes(scopes=(objects.Scope(name="Locals", variables_reference=13, expensive=False),)),
    responses.Variables(variables=(_VARIABLE,), truncated=False),
    responses.Evaluated(value="8", type_name="int", variables_reference=0),
    responses.GotoTargetList(targets=(moving.GotoTarget(id=15, label="app.py:4", line=4),)),
    sources.SourceText(
        text="0x4011a0 <+0>: endbr64\n0x4011a4 <+4>: xorl %ebp, %ebp\n", mime_type="text/x-lldb.disassembly"
    ),
    responses.StepInTargetList(
        targets=(moving.StepInTarget(id=16, label="price"), moving.StepInTarget(id=17, label="total"))
    ),
    responses.VariableSet(value="4", type_name="int", variables_reference=0),
    responses.TerminalShown(session_id=SESSION, seq=0, data=b"name? ", dropped=0, columns=80, rows=24, is_open=True),
    responses.Completed(items=(values.Completion(label="prices", text="prices", start=1, length=3, kind="variable"),)),
    responses.Output(chunks=(_CHUNK,), dropped=0),
    responses.Breakpoints(
        action="added", dry_run=False, breakpoints=(_BREAKPOINT,), not_found=(), applied_to_session=True
    ),
    responses.Watches(
        action="listed",
        dry_run=False,
        watches=(objects.WatchStatus(id=1, expression="len(prices)", label="how many"),),
        not_found=(),
    ),
    muting.Muted(muted=True, applied_to_session=True),
    named.FunctionBreakpoints(
        action="added", dry_run=False, breakpoints=(_FUNCTION,), not_found=(), applied_to_session=True
    ),
    named.DataBreakpoints(action="added", dry_run=False, breakpoints=(_DATA,), not_found=(), applied_to_session=True),
    exceptions.ExceptionFilters(action="changed", dry_run=False, filters=(_FILTER,), applied_to_session=True),
    exceptions.ExceptionDetails(
        thread_id=1,
        type_name="ValueError",
        message="nothing here",
        break_mode="unhandled",
        stack_trace='  File "/home/ana/shop/app.py", line 7, in total',
    ),
)

EVENTS: Final[tuple[events.Event, ...]] = (
    events.SessionStarted(session_id=SESSION, adapter="debugpy"),
    events.SessionEnded(session_id=SESSION, reason="disconnected"),
    events.SessionEnded(session_id=SESSION, reason=objects.Exited(exit_code=0)),
    events.SessionEnded(session_id=SESSION, reason=objects.AdapterDied(detail="end of stream")),
    events.Stopped(
        session_id=SESSION,
        thread_id=1,
        reason="breakpoint",
        all_threads_stopped=True,
        hit_breakpoint_ids=(2,),
        by="command line",
    ),
    events.Continued(session_id=SESSION, thread_id=1, all_threads_continued=True),
    events.Output(session_id=SESSION, chunk=_CHUNK),
    events.BreakpointUpdated(
        session_id=SESSION, breakpoint=objects.AdapterBreakpoint(id=2, adapter_id=0, verified=True, line=7)
    ),
    events.BreakpointUpdated(breakpoint=objects.AdapterBreakpoint(id=2, verified=False, line=6)),
    events.ThreadChanged(session_id=SESSION, update=objects.ThreadUpdate(thread_id=2, kind="started")),
    events.WatchUpdated(watch_id=1),
    StateFile(not_saved="breakpoints and watches are not saved: /home/ana/shop/.lazydap/state.toml is malformed: …"),
    StateFile(overruled="an edit of state.toml gave way to what the daemon had: watch 1"),
    events.StopDetail(session_id=SESSION, stop=objects.Stop(generation=3, thread_id=1, reason="step", frame=_FRAME)),
    events.StopDetail(session_id=SESSION, stop=_STOP),
    exceptions.ExceptionFiltersChanged(adapter="debugpy"),
    events.Terminal(session_id=SESSION, seq=6, data=b"name? ", columns=80, rows=24),
    muting.MuteChanged(muted=True),
    named.FunctionBreakpointUpdated(
        session_id=SESSION, breakpoint=objects.AdapterBreakpoint(id=4, adapter_id=3, verified=True, line=6)
    ),
    named.DataBreakpointUpdated(breakpoint=objects.AdapterBreakpoint(id=5, verified=False)),
)

ERRORS: Final[tuple[responses.Error, ...]] = (
    responses.Error(
        code="SessionNotFound",
        message="there is no such session: launch a program",
        details={"session_id": str(SESSION)},
    ),
    responses.Error(
        code="VersionMismatch",
        message="this daemon speaks versions 4 to 10: update the older side",
        details={"client_version": 11, "daemon_version": 10},
    ),
)


def of(struct: type[Any]) -> list[Any]:
    """The samples of one message, in the order in which they are shown."""
    return [sample for sample in (*REQUESTS, *RESPONSES, *EVENTS, *ERRORS) if type(sample) is struct]
