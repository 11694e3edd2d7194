"""The fake codelldb's side of the conversation: what is answered, in which order and how fast, and what is a fault.

A fault is a request that the real one refuses, or dies of, or that makes it lie: it is answered as the real one does,
and noted in the record, for the test to fail (`tests.fakes.codelldb_driver`).
"""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from tests.fakes.adapter_wire import Json, Wire, response, sleep
from tests.fakes.codelldb_more import BEYOND, answered
from tests.fakes.codelldb_program import CodelldbProgram, CodelldbSpec, changed, continued, ending, joined, output
from tests.fakes.program import Refusal
from tests.fakes.recorded import recording

INHERIT = "settings set target.inherit-env "
SET = "settings set "
ENDLESS = "/py while"
GLANCE = 0.02
"""Seconds between two looks at what has become of the program's process."""

CLOSE = 0.14
"""Seconds from the end of the stream to the end of the adapter, with a program running."""

_launch = recording("launch-breakpoint")
_threads = recording("threads-pause")
_attach = recording("attach")


class CodelldbSession:
    """Serves one client. Everything waits behind the request that is being worked at."""

    def __init__(self, wire: Wire, spec: CodelldbSpec) -> None:
        self._wire = wire
        self._spec = spec
        self._events: list[Json] = []
        self._program = CodelldbProgram(spec, self._events.append, self._die)
        self._phase = "new"
        self._launch: Json = {}
        self._languages: list[str] = ["cpp"]
        self._lists: dict[str, list[Json]] = {}
        self._takes_terminals = False
        self._inherits = True
        self._loaded_at = 0.0
        self._child: int | None = None
        # A process that it has attached to is neither its child nor its own to end.
        self._guest: int | None = None

    def serve(self) -> int:
        """The exit status."""
        while True:
            pause = self._go_on()
            self._flush()
            request = self._next_request(None if pause is None else time.monotonic() + pause)
            if request is not None and request["type"] == "request":
                self._receive(request)
            elif request is None and not self._wire.is_open:
                return self._leave()

    def _next_request(self, deadline: float | None) -> Json | None:
        """The next one; None when the program is to go on, has been signalled, or the stream has ended."""
        while deadline is not None and self._program.state == "running":
            glance = min(deadline, time.monotonic() + GLANCE)
            request = self._wire.next_request(glance)
            if request is not None or not self._wire.is_open or glance == deadline:
                return request
            self._look_after_child()
            if self._program.state != "running":
                return None
        return self._wire.next_request(deadline)

    def _go_on(self) -> float | None:
        """Let the program run; the seconds until it can go on, None when it does not run."""
        self._look_after_child()
        if self._program.state == "loading":
            left = self._loaded_at - time.monotonic()
            if left > 0:
                return left
            self._events.append({"type": "event", "event": "module", "body": [*_launch.modules()][3]})
            if self._spec.prints:
                os.write(3, self._spec.prints.encode())
            self._program.arrive()
        return self._program.run()

    def _look_after_guest(self, pid: int) -> None:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        if state == "T":
            os.kill(pid, signal.SIGCONT)
            self._program.pause()

    def _look_after_child(self) -> None:
        """A program that somebody else has killed, or stopped by a signal."""
        if self._guest is not None and self._program.state == "running":
            self._look_after_guest(self._guest)
        if self._child is None or self._program.state != "running":
            return
        pid, status = os.waitpid(self._child, os.WNOHANG | os.WUNTRACED)
        if pid and os.WIFSTOPPED(status):
            # From here on the simulated program is what stands; the next signal is to be noticed as well.
            os.kill(pid, signal.SIGCONT)
            self._program.pause()
        elif pid:
            self._child = None
            self._program.end(os.WTERMSIG(status))

    def _leave(self) -> int:
        """What closing the stream does: nothing, before the launch is finished."""
        while self._phase in {"launching", "wedged"}:
            sleep(60)
        if self._child is not None:
            self._wait(CLOSE)
        self._kill_child()
        return 0

    def _wait(self, seconds: float) -> None:
        sleep(seconds * self._spec.pace)

    def _fault(self, text: str) -> None:
        self._wire.note({"fault": text})

    def _die(self, status: int, text: str) -> NoReturn:
        self._fault(text)
        self._flush()
        self._kill_child()
        os._exit(status)

    # Out

    def _send(self, *messages: Json) -> None:
        self._wire.send(*messages)

    def _flush(self) -> None:
        events = self._events[:]
        self._events.clear()
        self._send(*joined(events))

    def _answer(self, request: Json, body: Any = None) -> None:
        self._send(response(request, body=body))

    def _refuse(self, request: Json, text: str) -> None:
        self._send({**response(request, ok=False, message=text), "command": "", "show_user": True})

    # In

    def _receive(self, request: Json) -> None:
        command: str = request["command"]
        arguments: Json = request.get("arguments") or {}
        if self._phase == "disconnected":
            self._fault(f"{command} after disconnect")
        if self._phase in {"new", "initialized"} and command not in {
            "initialize",
            "launch",
            "attach",
            "threads",
            "disconnect",
        }:
            self._fault(f"{command} before launch")
            if command == "evaluate":
                os._exit(0)
        if command in {"configurationDone", "threads"} and "arguments" in request:
            self._fault(f"{command} with arguments, which it may call malformed")
        if command in self._spec.program.swallows:
            self._phase = "wedged"
            while self._wire.next_request(None) is not None:
                pass
            return
        try:
            self._handle(request, command, arguments)
        except Refusal as refusal:
            self._refuse(request, str(refusal))

    def _handle(self, request: Json, command: str, arguments: Json) -> None:
        match command:
            case "initialize" | "launch" | "attach" | "configurationDone" | "disconnect":
                getattr(self, f"_on_{command}")(request, arguments)
            case "setBreakpoints":
                self._on_set_breakpoints(request, arguments)
            case "setExceptionBreakpoints":
                self._on_set_filters(request, arguments)
            case "continue" | "next" | "stepIn" | "stepOut":
                self._on_move(request, command, arguments)
            case "pause":
                self._on_pause(request)
            case "threads":
                self._answer(request, {"threads": self._threads_told()})
            case "stackTrace" | "scopes" | "variables" | "evaluate":
                self._answer(request, self._looked(command, arguments))
            case _ if command in BEYOND:
                self._on_more(request, command, arguments)
            case _:
                self._misunderstand(command, arguments)

    def _misunderstand(self, command: str, arguments: Json) -> None:
        match command:
            case "restart" if not arguments.get("arguments"):
                self._die(0, "restart without the arguments of a launch")
            case "cancel":
                self._fault("cancel is never answered")
            case _:
                self._fault(f"{command} is not declared")
                raise Refusal(recording("c-tour").text(225))

    def _on_initialize(self, request: Json, arguments: Json) -> None:
        if "adapterID" not in arguments:
            self._fault("initialize without adapterID")
            raise Refusal(recording("c-tour").text(225))
        self._takes_terminals = arguments.get("supportsRunInTerminalRequest") is True
        self._phase = "initialized"
        self._answer(request, _launch.body(1))

    # Launching

    def _on_launch(self, request: Json, arguments: Json) -> None:
        if self._phase != "initialized":
            self._fault("a second launch")
        self._phase, self._launch = "failed", request
        wrong = next((value for value in arguments.get("env", {}).values() if not isinstance(value, str)), None)
        if wrong is not None:
            raise Refusal(recording("fail-args").text(2).replace("`1`", f"`{wrong}`"))
        if "_adapterSettings" not in arguments:
            self._fault("launch without _adapterSettings: the questions of LLDB would never be answered")
        if (terminal := arguments.get("terminal")) != "console" and not (
            self._takes_terminals and str(terminal).startswith("/")
        ):
            self._fault(f"terminal {terminal!r}: no console, nor a device that it has been told to take")
        self._learn_languages(arguments.get("sourceLanguages", ["cpp"]))
        self._send(_launch.said(2))
        program = arguments["program"]
        if not Path(program).exists():
            raise Refusal(recording("fail-program").text(3).replace("/proj/does-not-exist", program))
        if not os.access(program, os.X_OK):
            raise Refusal(f"'{program}' is not a valid executable")
        for line in arguments.get("initCommands", []):
            self._command(line)
        self._phase = "launching"
        self._send({"type": "event", "event": "initialized"})
        if "rust" in self._languages:
            self._send(recording("rust").said(4))

    def _on_attach(self, request: Json, arguments: Json) -> None:
        self._phase, self._launch = "failed", request
        if "_adapterSettings" not in arguments:
            self._fault("attach without _adapterSettings: the questions of LLDB would never be answered")
        self._learn_languages(arguments.get("sourceLanguages", ["cpp"]))
        self._send(_launch.said(2))
        for line in arguments.get("targetCreateCommands", []):
            if line == "target create":
                raise Refusal("error: 'target create' takes exactly one executable path argument")
        for line in arguments.get("initCommands", []):
            self._command(line)
        self._phase = "launching"
        self._send({"type": "event", "event": "initialized"})

    def _attach(self, asked: Json) -> None:
        """Into a process that was there before; where it is to stand, its stop comes before the answers."""
        self._wait(_attach.seconds((">", 4), 5))
        try:
            os.kill(asked["pid"], 0)
        except ProcessLookupError:
            self._phase = "failed"
            self._refuse(self._launch, f"Could not attach: no process found with process ID {asked['pid']}")
            return
        self._guest = self._program.pid = asked["pid"]
        self._phase, self._program.state = "launched", "loading"
        if asked.get("stopOnEntry"):
            self._program.pause()
            self._flush()
        self._send(output("console", f"Attached to process {self._guest}\n"))
        self._answer(self._launch)

    def _learn_languages(self, languages: list[str]) -> None:
        if languages == self._languages:
            return
        self._languages = languages
        known = recording("rust").body(1)["exceptionBreakpointFilters"]
        filters = [one for one in known if one["filter"].partition("_")[0] in languages]
        body = {"capabilities": {"exceptionBreakpointFilters": filters}}
        self._send({"type": "event", "event": "capabilities", "body": body})

    def _command(self, line: str) -> None:
        if not line.startswith(SET):
            self._send(output("stderr", f"error: '{line}' is not a valid command.\n"))
            raise Refusal(f"error: '{line}' is not a valid command.")
        if line.startswith(INHERIT):
            self._inherits = line.removeprefix(INHERIT) == "true"

    def _on_configurationDone(self, request: Json, arguments: Json) -> None:  # noqa: N802 - the request's name
        del arguments
        if self._phase != "launching":
            self._fault(f"configurationDone while {self._phase}")
            self._answer(request)
            return
        asked = self._launch["arguments"]
        if self._launch["command"] == "attach":
            self._attach(asked)
            self._answer(request)
            if self._guest is not None:
                self._begin_attached(stands=bool(asked.get("stopOnEntry")))
            return
        words = " ".join([asked["program"], *asked.get("args", [])])
        self._send(output("console", f"Launching: {words}\n"))
        self._wait(_launch.seconds(("<", 6), 7))
        if not Path(asked.get("cwd") or "/").is_dir():
            self._phase = "failed"
            self._refuse(self._launch, recording("fail-cwd").text(5).replace("/proj/loop", asked["program"]))
            self._answer(request)
            return
        if not Path(device := _device(asked)).exists():
            self._phase = "failed"
            self._refuse(self._launch, f"Cannot launch '{asked['program']}': DupDescriptor-open failed: {device}")
            self._answer(request)
            return
        self._start(asked)
        self._phase = "launched"
        self._send(output("console", f"Launched process {self._child} from '{asked['program']}'\n"))
        self._answer(self._launch)
        self._answer(request)
        self._begin(stop_on_entry=bool(asked.get("stopOnEntry")))

    def _start(self, asked: Json) -> None:
        environment = {**os.environ, "COLUMNS": "80", "LINES": "24"} if self._inherits else {}
        environment.update(asked.get("env", {}))
        argv = list(self._spec.program.child or ("sleep", "1000"))
        here = Path.cwd()
        os.chdir(asked.get("cwd") or "/")
        self._child = self._program.pid = _spawn(argv, environment, _device(asked))
        os.chdir(here)

    def _begin(self, *, stop_on_entry: bool) -> None:
        loader, vdso, program, _ = ({"type": "event", "event": "module", "body": each} for each in _launch.modules())
        self._send(loader, vdso, *self._program.changed_breakpoints(), program)
        self._program.state = "loading"
        self._loaded_at = time.monotonic() + recording("end-close-running").seconds(("<", 11), 13) * self._spec.pace
        if stop_on_entry:
            self._program.pause()
        else:
            self._send(continued(0))

    def _begin_attached(self, *, stands: bool) -> None:
        _, _, program, _ = ({"type": "event", "event": "module", "body": each} for each in _launch.modules())
        self._send(*self._program.changed_breakpoints(), program)
        if not stands:
            self._send(continued(0))
            self._program.arrive()

    # Breakpoints

    def _on_set_breakpoints(self, request: Json, arguments: Json) -> None:
        path, asked = arguments["source"]["path"], arguments.get("breakpoints", [])
        lines = [one["line"] for one in asked]
        if len(set(lines)) != len(lines):
            self._fault("two breakpoints on a line: one of them can never be taken away")
        if self._lists.get(path) == asked:
            self._fault("the same list again: it begins to count the hits anew")
        self._lists[path] = asked
        if self._is_running():
            self._wait(_threads.seconds((">", 40), 73))
        before = frozenset(one.id for one in self._program.planted_in(path))
        answers, complaints = self._program.set_breakpoints(path, asked)
        self._send(*complaints)
        self._answer(request, {"breakpoints": answers})
        if self._program.pid is not None:
            self._send(*self._program.changed_breakpoints(path, before))

    def _on_set_named(self, request: Json, command: str, asked: list[Json]) -> None:
        if self._is_running():
            self._wait(_threads.seconds((">", 40), 73))
        if command == "setDataBreakpoints":
            if self._program.pid is None:
                self._fault("watchpoints before there is a process")
            self._answer(request, self._program.named.set_data(asked))
            return
        names = [one["name"] for one in asked]
        if len(set(names)) != len(names):
            self._fault("two breakpoints on a function: the first of them can never be taken away")
        self._answer(request, self._program.named.set_functions(asked))
        if self._program.pid is not None:
            self._send(*(changed(one) for one in self._program.named.functions_told() if one["verified"]))

    def _on_set_filters(self, request: Json, arguments: Json) -> None:
        answers: list[Json] = []
        chosen = [*arguments["filters"], *(one["filterId"] for one in arguments.get("filterOptions", []))]
        for name in chosen:
            identity = self._program.set_filter(name)
            # Those of C++ are in a library that is not there yet.
            is_bound = name == "rust_panic"
            answers.append({"id": identity, "message": "Resolved locations: 0", "verified": is_bound})
        self._answer(request, {"breakpoints": answers} if answers else {})

    # Moving

    def _is_running(self) -> bool:
        return self._program.state in {"running", "loading"}

    def _on_move(self, request: Json, command: str, arguments: Json) -> None:
        if self._program.state == "ended":
            self._fault(f"{command} after the end of the program")
            sleep(5)
            raise Refusal(recording("stepping").text(62))
        if self._is_running():
            self._fault(f"{command} while the program runs")
            if command != "continue":
                raise Refusal(_threads.text(72))
            self._send(continued(0))
            self._answer(request, {"allThreadsContinued": True})
            return
        if command != "continue" and arguments.get("threadId") not in self._program.thread_ids():
            self._fault(f"{command} of a thread that there is not")
            raise Refusal(recording("c-tour").text(32))
        if command == "stepIn" and "targetId" in arguments:
            self._program.step_to(arguments["targetId"])
            self._flush()
            self._answer(request)
            return
        self._answer(request, {"allThreadsContinued": True} if command == "continue" else None)
        self._program.move(command)
        if self._program.state == "loading":
            self._loaded_at = time.monotonic() + recording("stop-on-entry").seconds(("<", 18), 19) * self._spec.pace

    def _on_pause(self, request: Json) -> None:
        if not self._is_running():
            self._program.repeat_stop()
            self._flush()
            self._answer(request)
            return
        self._wait(_threads.seconds((">", 9), 19))
        self._answer(request)
        self._program.pause()

    # Looking

    def _threads_told(self) -> list[Json]:
        if self._child is None and self._guest is None:
            return []
        if self._is_running():
            return _threads.body(14)["threads"]
        return [{"id": number, "name": name} for number, name in self._program.thread_ids().items()]

    def _looked(self, command: str, arguments: Json) -> Json:
        if command == "evaluate" and arguments["expression"].startswith(ENDLESS):
            self._phase = "wedged"
            while self._wire.next_request(None) is not None:
                pass
            raise Refusal("too late")
        self._check_stopped(command, arguments)
        match command:
            case "stackTrace":
                levels = arguments.get("levels", 0)
                if levels <= 0:
                    self._fault("stackTrace without a positive number of levels is answered with nothing")
                return self._program.stack(arguments["threadId"], arguments.get("startFrame", 0), max(0, levels))
            case "scopes":
                return self._program.scopes(arguments["frameId"])
            case "variables":
                rows = self._program.rows(arguments["variablesReference"])
                self._wait(0.00005 * len(rows["variables"]))
                return rows
            case _:
                return self._evaluated(arguments)

    def _check_stopped(self, command: str, arguments: Json) -> None:
        if self._is_running():
            self._fault(f"{command} while the program runs")
            raise Refusal(_threads.text(15))
        if self._program.is_forgotten(arguments.get("frameId")):
            self._fault(f"{command} in a frame of an earlier stop")

    def _on_more(self, request: Json, command: str, arguments: Json) -> None:
        if command in {"setFunctionBreakpoints", "setDataBreakpoints"}:
            self._on_set_named(request, command, arguments["breakpoints"])
            return
        self._check_stopped(command, arguments)
        body = answered(self._program, command, arguments)
        # A jump is told before it is answered.
        self._flush()
        self._answer(request, body)

    def _evaluated(self, arguments: Json) -> Json:
        expression = arguments["expression"]
        if arguments.get("frameId") is None:
            self._fault("evaluate without a frame is evaluated in whatever frame is selected")
        if arguments.get("context") == "repl" and expression.startswith(("`", "/cmd ")):
            self._events.append(output("console", "done\n"))
            return {"result": "", "variablesReference": 0}
        return self._program.evaluate(arguments.get("frameId"), expression)

    # Ending

    def _on_disconnect(self, request: Json, arguments: Json) -> None:
        if self._guest is not None:
            self._leave_guest(request, arguments)
            return
        keeps = arguments.get("terminateDebuggee") is False
        has_ended = self._program.state == "ended" or self._child is None
        if keeps and has_ended and self._phase == "launched":
            self._fault("disconnect from a program that has ended, as if it were to be kept")
        if self._phase not in {"launching", "failed", "initialized"}:
            self._phase = "disconnected"
        if has_ended:
            self._answer(request)
            return
        how = "keep" if keeps else "terminate"
        self._wait(_seconds_to_leave(how, is_running=self._is_running()))
        self._program.state = "ended"
        if keeps:
            self._child = None
        self._kill_child()
        self._answer(request)
        if not self._spec.loses_ending:
            self._send(*ending(-1 if keeps else 9))

    def _leave_guest(self, request: Json, arguments: Json) -> None:
        self._phase, self._program.state = "disconnected", "ended"
        if arguments.get("terminateDebuggee") is True and self._guest is not None:
            os.kill(self._guest, signal.SIGKILL)
        self._answer(request)
        terminated: Json = {"type": "event", "event": "terminated", "body": {}}
        self._send(output("console", "Detached from debuggee.\n"), terminated)

    def _kill_child(self) -> None:
        if self._child is not None:
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)
            self._child = None


def _seconds_to_leave(how: str, *, is_running: bool) -> float:
    match how:
        case "keep":
            name, asked, told = ("end-keep-running", 4, 14) if is_running else ("end-keep-paused", 5, 17)
        case _:
            name, asked, told = ("end-term-running", 4, 14) if is_running else ("launch-breakpoint", 8, 20)
    return recording(name).seconds((">", asked), told)


def _device(asked: Json) -> str:
    """What the program's streams are. In the console they are a terminal that nobody can type into."""
    terminal: str = asked["terminal"]
    return os.devnull if terminal == "console" else terminal


def _spawn(argv: list[str], environment: Mapping[str, str], device: str) -> int:
    """A process in a group of its own that stands for the program."""
    streams = os.open(device, os.O_RDWR | os.O_NOCTTY)
    actions = [(os.POSIX_SPAWN_DUP2, streams, number) for number in (0, 1, 2)]
    pid = os.posix_spawnp(argv[0], argv, dict(environment), file_actions=actions, setpgroup=0)
    os.close(streams)
    return pid
