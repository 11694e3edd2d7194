"""The test's side of the scripted adapter: steps to write, drivers that run it, and its record to read."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lazydap_daemon.adapters.codelldb import CodelldbDriver
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.driver import LaunchPlan
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.adapters.reaching import StandardStreams, Transport
from tests.fakes.program import ProgramSpec

Step = dict[str, Any]
Script = Sequence[Step]

ADAPTER = Path(__file__).with_name("adapter.py")


class _Scripted:
    """Runs the scripted adapter in place of the real one; `folder` gets its script and its record."""

    # The program is simulated: the process that stands for it must not be stopped.
    pauses_by_signal: bool = False

    def __init__(self, script: Script | ProgramSpec, folder: Path) -> None:
        self._script_file = folder / "script.json"
        self._record_file = folder / "record.jsonl"
        content: dict[str, Any] = {"record": str(self._record_file)}
        if isinstance(script, ProgramSpec):
            content["program"] = asdict(script)
        else:
            content["steps"] = list(script)
        self._script_file.write_text(json.dumps(content), encoding="utf-8")

    def check(self, plan: LaunchPlan) -> None:
        """The program is simulated, it need not exist."""

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """Without `site`, so that it starts in a few milliseconds."""
        del plan
        return (sys.executable, "-S", "-E", str(ADAPTER), str(self._script_file))

    def record(self) -> list[dict[str, Any]]:
        """What the adapter received and noted, in order: requests have `command`, `arguments` and `time`."""
        if not self._record_file.exists():
            return []
        return [json.loads(line) for line in self._record_file.read_text(encoding="utf-8").splitlines()]

    def requests(self) -> list[str]:
        """The commands of the requests, in order."""
        return [entry["command"] for entry in self.record() if entry.get("type") == "request"]


class ScriptedLldb(_Scripted, LldbDapDriver):
    """With lldb-dap's rules."""

    def __init__(self, script: Script | ProgramSpec, folder: Path) -> None:
        _Scripted.__init__(self, script, folder)
        LldbDapDriver.__init__(self, executable=("lldb-dap",))


class ScriptedDebugpy(_Scripted, DebugpyDriver):
    """With debugpy's rules."""

    def __init__(self, script: Script | ProgramSpec, folder: Path) -> None:
        _Scripted.__init__(self, script, folder)
        DebugpyDriver.__init__(self, interpreter=sys.executable)


class ScriptedCodelldb(_Scripted, CodelldbDriver):
    """With codelldb's rules, but over standard streams; for orders that its fake is not asked for."""

    transports: tuple[Transport, ...] = (StandardStreams(),)

    def __init__(self, script: Script | ProgramSpec, folder: Path) -> None:
        _Scripted.__init__(self, script, folder)
        CodelldbDriver.__init__(self, executable=("codelldb",))


class ScriptedDelve(_Scripted, DelveDriver):
    """With delve's rules, but over standard streams."""

    transports: tuple[Transport, ...] = (StandardStreams(),)

    def __init__(self, script: Script | ProgramSpec, folder: Path) -> None:
        _Scripted.__init__(self, script, folder)
        DelveDriver.__init__(self, executable=("dlv",))


def expect(command: str, *, within: float = 10.0) -> Step:
    """Wait for that request; others must have a standing answer, or be swallowed."""
    return {"do": "expect", "command": command, "within": within}


def reply(
    body: Any = None,
    *,
    to: str | None = None,
    ok: bool = True,
    message: str | None = None,
    error_body: Mapping[str, Any] | None = None,
    empty_command: bool = False,
    delay: float = 0.0,
) -> Step:
    """Answer the last request that was expected, or the last one of the command `to`."""
    return {
        "do": "reply",
        "body": body,
        "to": to,
        "ok": ok,
        "message": message,
        "error_body": error_body,
        "empty_command": empty_command,
        "delay": delay,
    }


def refuse(message: str | None = None, *, to: str | None = None, error_body: Mapping[str, Any] | None = None) -> Step:
    """Answer `success: false`."""
    return reply(to=to, ok=False, message=message, error_body=error_body)


def event(name: str, body: Any = None, *, delay: float = 0.0) -> Step:
    """Emit an event, `delay` seconds later while the script goes on."""
    return {"do": "event", "name": name, "body": body, "delay": delay}


def batch(*messages: Step) -> Step:
    """Replies and events in one write."""
    return {"do": "batch", "messages": list(messages)}


def reverse(command: str, arguments: Any = None, *, within: float = 5.0) -> Step:
    """A request to the client, which must answer in time; `"{child}"` in later bodies is the pid it then tells."""
    return {"do": "reverse", "command": command, "arguments": arguments, "within": within}


def answers(table: Mapping[str, Any]) -> Step:
    """Standing answers, command to body, for requests that no step expects."""
    return {"do": "answers", "table": {command: {"body": body} for command, body in table.items()}}


def swallow(command: str | None = None) -> Step:
    """Never answer that command; without one, nothing any more."""
    return {"do": "swallow_everything"} if command is None else {"do": "swallow", "command": command}


def only(*commands: str) -> Step:
    """Go away on any other request, as lldb-dap up to 21 does on unknown ones."""
    return {"do": "only", "commands": list(commands)}


def split(size: int, *, pause: float = 0.0) -> Step:
    """From now on write so many bytes at a time."""
    return {"do": "split", "bytes": size, "pause": pause}


def raw(data: bytes, *, stream: str = "stdout", times: int = 1) -> Step:
    """Write bytes as they are: noise, or a broken message."""
    return {"do": "raw", "text": data.decode("latin-1"), "stream": stream, "times": times}


def sleep(seconds: float) -> Step:
    """Read nothing for so long."""
    return {"do": "sleep", "seconds": seconds}


def spawn_child(*argv: str) -> Step:
    """Start a process that stands for the program; `"{child}"` in later bodies is its pid."""
    return {"do": "spawn_child", "argv": list(argv)}


def close() -> Step:
    """Close the adapter's output, and live on."""
    return {"do": "close"}


def leave(status: int) -> Step:
    """Exit at once."""
    return {"do": "exit", "status": status}
