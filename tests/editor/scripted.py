"""Owns what a scripted daemon says of one stopped program, in the words of the protocol."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editor.editor import Editor
from tests.fakes.daemon import FakeDaemon

SESSION = "11111111-2222-4333-8444-555555555555"
PROGRAM = "total = 0\nfor i in range(3):\n    total += i\nprint(total)\n"
CAPABILITIES = {
    "supports_configuration_done_request": True,
    "supports_function_breakpoints": False,
    "supports_conditional_breakpoints": True,
    "supports_variable_paging": False,
}

Json = dict[str, Any]
StartDaemon = Callable[..., FakeDaemon]
StartEditor = Callable[..., Editor]


def summary(program: Path, **more: Any) -> Json:
    return {
        "session_id": SESSION,
        "adapter": "debugpy",
        "program": str(program),
        "state": "paused",
        "exit_code": None,
        "buffered_events": 0,
        "captured_output_chunks": 0,
        "dropped_events": 0,
        "uptime_ms": 1,
        **more,
    }


def status(session: Json | None) -> Json:
    return {
        "Status": {
            "instance": "fake",
            "daemon_pid": 1,
            "uptime_ms": 1,
            "protocol_version": 10,
            "lazydap_version": "0",
            "session": session,
        }
    }


def stop(program: Path, line: int, generation: int, **values: str) -> Json:
    page = {
        "frame_id": generation,
        "variables_reference": 9,
        "variables": [
            {"name": name, "value": value, "type_name": "int", "variables_reference": 0}
            for name, value in values.items()
        ],
        "truncated": False,
    }
    return {
        "generation": generation,
        "thread_id": 1,
        "reason": "step",
        "text": None,
        "frame": {"id": generation, "name": "<module>", "source": {"path": str(program)}, "line": line, "column": 1},
        "locals": page if values else None,
    }


def stopped(reason: str = "step") -> Json:
    return {
        "Stopped": {
            "session_id": SESSION,
            "thread_id": 1,
            "reason": reason,
            "raw_reason": None,
            "all_threads_stopped": True,
            "hit_breakpoint_ids": [],
        }
    }


def detail(told: Json) -> Json:
    return {"StopDetail": {"session_id": SESSION, "stop": told}}


def breakpoint_at(program: Path, line: int, **more: Any) -> Json:
    return {"id": 1, "source": str(program), "line": line, "enabled": True, "verified": False, **more}


def report(action: str, *breakpoints: Json) -> Json:
    return {
        "Breakpoints": {
            "action": action,
            "dry_run": False,
            "breakpoints": list(breakpoints),
            "not_found": [],
            "applied_to_session": True,
        }
    }


def accepted() -> Json:
    return {"reply": {"Continued": {"session_id": SESSION, "thread_id": 1, "already_running": False}}}


def stepping_to(program: Path, line: int, generation: int, **values: str) -> list[Json]:
    """What a daemon says to a step: accepted, stopped, where, and with which values."""
    return [
        accepted(),
        {"broadcast": stopped()},
        {"broadcast": detail(stop(program, line, generation))},
        {"broadcast": detail(stop(program, line, generation, **values))},
    ]


def live_script(program: Path, line: int = 1, **answers: Any) -> Json:
    """A daemon whose program stands at `line`."""
    told = [{"reply": status(summary(program, stop=stop(program, line, 1, total="0")))}]
    return {"answers": {"Subscribe": [told], "Status": [told], **answers}}
