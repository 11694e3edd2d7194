"""Short ways to write models, and events in the words of tests."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from lazydap_core.protocol import events, objects, responses
from lazydap_core.protocol.objects import BreakpointStatus, Locals, Source, StackFrame, Stop, Variable
from lazydap_nvim.model import Project, Session

ROOT = "/p"
FILE = "/p/a.py"
NOW = 1_800_000_000.0
SESSION = UUID("11111111-2222-4333-8444-555555555555")
OTHER_SESSION = UUID("99999999-2222-4333-8444-555555555555")
T = TypeVar("T")

DETAIL = frozenset({"stop_detail"})


def _made(kind: type[T], keys: dict[str, Any], more: dict[str, Any]) -> T:
    return kind(**{**keys, **more})


def breakpoint_at(line: int, id: int = 1, path: str = FILE, **more: Any) -> BreakpointStatus:  # noqa: A002
    return _made(BreakpointStatus, {"id": id, "source": path, "line": line, "enabled": True, "verified": False}, more)


def frame(line: int, name: str = "main", path: str | None = FILE, id: int = 1) -> StackFrame:  # noqa: A002
    return StackFrame(id=id, name=name, source=None if path is None else Source(path=path), line=line, column=1)


def variable(name: str, value: str, **more: Any) -> Variable:
    return _made(Variable, {"name": name, "value": value, "type_name": "int", "variables_reference": 0}, more)


def page(**values: str) -> Locals:
    return Locals(
        frame_id=1,
        variables_reference=7,
        variables=tuple(variable(name, value) for name, value in values.items()),
        truncated=False,
    )


def stop(generation: int, line: int = 4, **more: Any) -> Stop:
    return _made(Stop, {"generation": generation, "thread_id": 1, "reason": "step", "frame": frame(line)}, more)


def session(**more: Any) -> Session:
    return _made(Session, {"id": SESSION, "adapter": "debugpy", "program": FILE, "state": "running"}, more)


def project(**more: Any) -> Project:
    return _made(Project, {"root": ROOT, "is_connected": True, "features": DETAIL}, more)


def stopped_event(reason: str = "step", session_id: UUID = SESSION, by: str | None = None) -> events.Stopped:
    return events.Stopped(
        session_id=session_id, thread_id=1, reason=reason, all_threads_stopped=True, hit_breakpoint_ids=(), by=by
    )


def continued_event(session_id: UUID = SESSION, by: str | None = None) -> events.Continued:
    return events.Continued(session_id=session_id, thread_id=1, all_threads_continued=True, by=by)


def detail_event(told: Stop, session_id: UUID = SESSION) -> events.StopDetail:
    return events.StopDetail(session_id=session_id, stop=told)


def placed_event(generation: int, line: int) -> events.StopDetail:
    return detail_event(stop(generation, line))


def valued_event(generation: int, value: str) -> events.StopDetail:
    return detail_event(stop(generation, locals=page(x=value)))


def ended_event(reason: objects.EndReason, session_id: UUID = SESSION) -> events.SessionEnded:
    return events.SessionEnded(session_id=session_id, reason=reason)


def status(**session_keys: Any) -> responses.Status:
    """A daemon's status; without keys nothing is live."""
    live = {
        "session_id": SESSION,
        "adapter": "debugpy",
        "program": FILE,
        "state": "paused",
        "buffered_events": 0,
        "captured_output_chunks": 0,
        "dropped_events": 0,
        "uptime_ms": 1,
    }
    summary = _made(objects.SessionSummary, live, session_keys)
    return responses.Status(
        instance="p",
        daemon_pid=1,
        uptime_ms=1,
        protocol_version=10,
        lazydap_version="0",
        session=summary if session_keys else None,
        root=ROOT,
    )


def launched(state: str = "running", **more: Any) -> responses.Launched:
    capabilities = objects.Capabilities(
        supports_configuration_done_request=True,
        supports_function_breakpoints=False,
        supports_conditional_breakpoints=True,
        supports_variable_paging=False,
    )
    made = {"session_id": SESSION, "state": state, "capabilities": capabilities, "breakpoints": ()}
    return _made(responses.Launched, made, more)


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0
        self.calls: list[_Call] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object]) -> "_Call":
        call = _Call(self.now + delay, callback)
        self.calls.append(call)
        return call

    def advance(self, seconds: float) -> None:
        """Let time pass, and what was due happen in order."""
        end = self.now + seconds
        while due := [call for call in self.calls if call.when <= end and not call.is_over]:
            call = min(due, key=lambda one: one.when)
            call.is_over = True
            self.now = max(self.now, call.when)
            call.callback()
        self.now = end


class _Call:
    def __init__(self, when: float, callback: Callable[[], object]) -> None:
        self.when = when
        self.callback = callback
        self.is_over = False

    def cancel(self) -> None:
        self.is_over = True
