"""A simulated debuggee behind the debug adapter protocol: what it answers and what it emits, without any I/O.

The program is a list of lines in the order of their execution (a trace), so stepping needs no interpreter. It imports
only the standard library, because it runs in a process that must start in milliseconds.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from tests.fakes.program_named import NamedBreakpoints

Json = dict[str, Any]
Emit = Callable[[Json], None]

NUMERIC_OPERATORS: Mapping[str, Callable[[int, int], bool]] = {
    "<": lambda hits, count: hits < count,
    "<=": lambda hits, count: hits <= count,
    "==": lambda hits, count: hits == count,
    ">=": lambda hits, count: hits >= count,
    ">": lambda hits, count: hits > count,
    "%": lambda hits, count: hits % count == 0,
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the trace. Stopped at it, it has not been executed yet.

    `output` is printed and `seconds` are spent when it is executed; `raises` makes it a crash: the program stops there
    with an exception, and ends with code 1 when it is continued.
    """

    line: int
    function: str = "main"
    depth: int = 0
    thread: int = 1
    locals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    output: str = ""
    seconds: float = 0.0
    raises: str | None = None
    path: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProgramSpec:
    """The simulated program, and the manners of its adapter.

    path, trace, loops, exit_code, threads, extra_frames  the program; `loops` repeats the trace for ever
    moves, late                         breakpoints that land elsewhere {asked: actual}, and {line: seconds} for those
                                        that are verified only by an event that much later
    launch_answer                       "early" before `initialized`, "late" after configurationDone, "last" after the
                                        first stop
    sigstop                             entry and pause are reported as `exception`, `signal SIGSTOP` (LLDB)
    continued, hit_ids, first_id        `continued` events; `hitBreakpointIds`; the first breakpoint's id
    reuses_ids                          frames and variables are numbered from 1000 again at each stop
    stops_per_stop                      so many `stopped` events for one stop, one a thread
    events_first                        what a request sets off is reported before its answer
    ending                              the order of the last two events, `[]` for none
    delays, refuses, swallows           per command: seconds before the answer, the text of a refusal, no answer
    dies_on                             per command: the exit status with which the adapter goes away instead
    wedges_when_running                 an execution request to a running program is the last thing it reads (debugpy)
    only_capable                        any request beyond the capabilities ends the adapter (lldb-dap up to 21)
    silent_jump                         the stop that ends a jump has no reason (codelldb)
    offers_from                         the number of the first column where offers name the piece they replace
    named_paths                         rows have the name under which they can be evaluated (delve)
    capabilities                        on top of the defaults
    child                               a real process that is started with the launch; its pid goes into `process`
    """

    path: str
    trace: Sequence[Line]
    loops: bool = False
    exit_code: int = 0
    threads: Mapping[int, str] = field(default_factory=lambda: {1: "main"})
    extra_frames: int = 0
    moves: Mapping[int, int] = field(default_factory=dict[int, int])
    late: Mapping[int, float] = field(default_factory=dict[int, float])
    launch_answer: str = "late"
    sigstop: bool = False
    continued: bool = True
    hit_ids: bool = True
    first_id: int = 0
    reuses_ids: bool = False
    stops_per_stop: int = 1
    events_first: bool = False
    ending: Sequence[str] = ("exited", "terminated")
    delays: Mapping[str, float] = field(default_factory=dict[str, float])
    refuses: Mapping[str, str] = field(default_factory=dict[str, str])
    swallows: Sequence[str] = ()
    dies_on: Mapping[str, int] = field(default_factory=dict[str, int])
    wedges_when_running: bool = False
    only_capable: bool = False
    silent_jump: bool = False
    offers_from: int | None = None
    named_paths: bool = False
    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])
    child: Sequence[str] = ()

    @classmethod
    def read(cls, plain: Json) -> "ProgramSpec":
        """From what `dataclasses.asdict` and JSON have made of one (keys of JSON objects are texts)."""
        values = dict(plain)
        values["trace"] = [Line(**line) for line in plain["trace"]]
        for name in ("threads", "moves", "late"):
            values[name] = {int(key): value for key, value in plain[name].items()}
        return cls(**values)


CAPABILITIES: Json = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsEvaluateForHovers": True,
    "supportsSetVariable": True,
    "supportTerminateDebuggee": True,
}

ALWAYS_SUPPORTED = frozenset(
    {
        "initialize",
        "launch",
        "attach",
        "setBreakpoints",
        "setExceptionBreakpoints",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "continue",
        "next",
        "stepIn",
        "stepOut",
        "pause",
        "disconnect",
    }
)
NEEDED_CAPABILITY: Mapping[str, str] = {
    "configurationDone": "supportsConfigurationDoneRequest",
    "setVariable": "supportsSetVariable",
    "setExpression": "supportsSetExpression",
    "gotoTargets": "supportsGotoTargetsRequest",
    "goto": "supportsGotoTargetsRequest",
    "stepInTargets": "supportsStepInTargetsRequest",
    "completions": "supportsCompletionsRequest",
    "setFunctionBreakpoints": "supportsFunctionBreakpoints",
    "setDataBreakpoints": "supportsDataBreakpoints",
    "dataBreakpointInfo": "supportsDataBreakpoints",
    "exceptionInfo": "supportsExceptionInfoRequest",
    "terminate": "supportsTerminateRequest",
    "cancel": "supportsCancelRequest",
}

Goal = Callable[[Line], bool]


class Refusal(Exception):  # noqa: N818
    """A request that is answered with `success: false`."""


@dataclass(kw_only=True)
class Planted:
    """A breakpoint as the program knows it."""

    id: int
    line: int
    condition: str | None
    hit_condition: str | None
    log_message: str | None
    hits: int = 0

    def stops(self, variables: Json) -> bool:
        """Counts the hit, and says whether the program stops for it."""
        if self.condition is not None:
            try:
                if not eval(self.condition, {}, dict(variables)):
                    return False
            except NameError:
                return False
        self.hits += 1
        if self.hit_condition is None:
            return True
        match = re.fullmatch(r"(<=|>=|==|<|>|%)?(\d+)", self.hit_condition.replace(" ", ""))
        if match is None:
            return True
        return NUMERIC_OPERATORS[match[1] or ">="](self.hits, int(match[2]))


class SimulatedProgram:
    """Answers requests (`handle`) and goes on by itself (`run`); `emit` takes each event."""

    def __init__(self, spec: ProgramSpec, emit: Emit, *, pid: int | None = None) -> None:
        self.spec = spec
        self.state = "new"
        self._emit = emit
        self.pid = pid
        self._position = 0
        self._planted: dict[str, list[Planted]] = {}
        self._next_id = spec.first_id
        # Where delve has its entry, there is a function of the name that it is led to.
        first_lines = {line.function: line.line for line in reversed(spec.trace)} | {"main.main": spec.trace[0].line}
        self._named = NamedBreakpoints(first_lines, self._claimed)
        self._goal: Goal = _never
        self._was_paused = False
        self._thread = 1
        self._executed = 0
        self._crashed = False
        self._next_reference = 1000
        self._frames: dict[int, Line] = {}
        self._values: dict[int, Any] = {}
        self._paths: dict[int, str] = {}
        self.stop_on_entry = False

    # Running

    @property
    def here(self) -> Line:
        """The line that is executed next."""
        return self.spec.trace[self._position]

    def start(self) -> None:
        """The program begins: at its entry, or running."""
        self._emit(_event("process", {"name": self.spec.path, "systemProcessId": self.pid, "isLocalProcess": True}))
        self._emit(_event("thread", {"reason": "started", "threadId": 1}))
        if self.stop_on_entry:
            self._stop("entry")
        elif not self._stopped_by_breakpoint():
            self.state = "running"

    def run(self) -> float | None:
        """Go on until the next line that takes time: the seconds it takes; None when the program does not run."""
        while self.state == "running":
            line = self.here
            if line.raises is not None and not self._crashed:
                self._crashed = True
                self._stop("exception", description=line.raises, text=line.raises.partition(":")[0])
                break
            if line.seconds and not self._was_paused:
                self._was_paused = True
                return line.seconds
            self._was_paused = False
            self._execute(line)
        return None

    def _execute(self, line: Line) -> None:
        if line.output:
            self._emit(_event("output", {"category": "stdout", "output": line.output}))
        self._executed += 1
        self._position += 1
        if self._position == len(self.spec.trace) and self.spec.loops:
            self._position = 0
        if self._position == len(self.spec.trace) or self._crashed:
            self.end(1 if self._crashed else self.spec.exit_code)
        elif not self._stopped_by_breakpoint() and self._goal(self.here):
            self._stop("step")

    def end(self, code: int) -> None:
        """The program is gone."""
        self.state = "ended"
        for name in self.spec.ending:
            self._emit(_event(name, {"exitCode": code} if name == "exited" else {}))

    def _stopped_by_breakpoint(self) -> bool:
        here = self.here
        hit: list[int] = []
        for planted in self._planted.get(here.path or self.spec.path, []):
            if planted.line != here.line or not planted.stops(self._locals(here)):
                continue
            if planted.log_message is not None:
                self._emit(_event("output", {"category": "console", "output": planted.log_message + "\n"}))
            else:
                hit.append(planted.id)
        if hit:
            self._stop("breakpoint", hit=hit)
        return bool(hit) or self._stopped_by_name()

    def _stopped_by_name(self) -> bool:
        before = self.spec.trace[self._position - 1] if self._position else None
        changed = self._named.changed(before.locals, self.here.locals) if before else []
        is_entry = before is None or before.function != self.here.function
        entered = self._named.entered(self.here.function, self.here.locals) if is_entry else []
        if changed or entered:
            self._stop("data breakpoint" if changed else "function breakpoint", hit=changed or entered)
        return bool(changed or entered)

    def _stop(
        self, reason: str, *, description: str | None = None, text: str | None = None, hit: Sequence[int] = ()
    ) -> None:
        self.state = "stopped"
        self._thread = self.here.thread
        if self.spec.sigstop and reason in {"entry", "pause"}:
            reason, description = "exception", "signal SIGSTOP"
        if self.spec.reuses_ids:
            self._next_reference = 1000
        self._frames.clear()
        self._values.clear()
        body: Json = {"reason": reason, "threadId": self._thread, "allThreadsStopped": True}
        for key, value in (("description", description), ("text", text)):
            if value is not None:
                body[key] = value
        if hit and self.spec.hit_ids:
            body["hitBreakpointIds"] = list(hit)
        for number, thread in zip(range(self.spec.stops_per_stop), self._threads_from(self._thread), strict=False):
            self._emit(_event("stopped", {**body, "threadId": thread, "preserveFocusHint": number > 0}))

    def _threads_from(self, first: int) -> list[int]:
        return [first, *(thread for thread in self.spec.threads if thread != first)]

    def _resume(self, goal: Goal) -> None:
        if self.state == "ended":
            raise Refusal("the program has ended")
        if self.state != "stopped":
            raise Refusal("the program is running")
        self._goal = goal
        self.state = "running"
        if self.spec.continued:
            self._emit(_event("continued", {"threadId": self._thread, "allThreadsContinued": True}))

    # Requests

    def handle(self, command: str, arguments: Json) -> Json:  # noqa: C901, PLR0911 - one case a request
        """The body of the answer. Raises Refusal."""
        match command:
            case "initialize":
                return {**CAPABILITIES, **self.spec.capabilities}
            case "setBreakpoints":
                return self._set_breakpoints(arguments)
            case "setFunctionBreakpoints":
                return self._named.set_functions(arguments["breakpoints"])
            case "setDataBreakpoints":
                return self._named.set_data(arguments["breakpoints"])
            case "dataBreakpointInfo":
                return self._named.info(arguments, self.here.locals)
            case "threads":
                return {"threads": [{"id": key, "name": name} for key, name in self.spec.threads.items()]}
            case "gotoTargets":
                known = sorted({line.line for line in self.spec.trace} & {arguments["line"]})
                return {"targets": [{"id": line, "label": f"line {line}", "line": line} for line in known]}
            case "goto":
                return self._jump(arguments["targetId"])
            case "stepInTargets":
                return {
                    "targets": [{"id": line.line, "label": line.function} for line in self.spec.trace if line.depth]
                }
            case "continue" | "next" | "stepIn" | "stepOut" | "pause":
                return self._move(command)
            case (
                "exceptionInfo"
                | "stackTrace"
                | "scopes"
                | "variables"
                | "evaluate"
                | "setVariable"
                | "setExpression"
                | "completions"
            ):
                return self._inspect(command, arguments)
            case _:
                return {}

    def _jump(self, line: int) -> Json:
        self._position = [each.line for each in self.spec.trace].index(line)
        self._stop("" if self.spec.silent_jump else "goto")
        return {}

    def _exception(self) -> Json:
        name, _, message = (self.here.raises or "").partition(": ")
        details = {"typeName": name, "message": message, "stackTrace": f"in {self.here.function}"}
        return {"exceptionId": name, "description": message, "breakMode": "unhandled", "details": details}

    def _move(self, command: str) -> Json:
        if command != "pause":
            self._resume(self._goal_of(command))
        elif self.state == "running" and "pause" not in self.spec.swallows:
            self._stop("pause")
        return {}

    def _goal_of(self, command: str) -> Goal:
        depth, thread = self.here.depth, self.here.thread
        match command:
            case "next":
                return lambda line: line.thread == thread and line.depth <= depth
            case "stepIn":
                return lambda line: line.thread == thread
            case "stepOut":
                return lambda line: line.thread == thread and line.depth < depth
            case _:
                return _never

    def _claimed(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _set_breakpoints(self, arguments: Json) -> Json:
        path = cast("str", arguments["source"]["path"])
        known = {line.line for line in self.spec.trace if (line.path or self.spec.path) == path}
        planted: list[Planted] = []
        answers: list[Json] = []
        for asked in cast("list[Json]", arguments.get("breakpoints", [])):
            identity = self._next_id
            self._next_id += 1
            line = self.spec.moves.get(asked["line"], asked["line"])
            if line not in known:
                answers.append({"id": identity, "verified": False, "message": "no code on this line"})
                continue
            planted.append(
                Planted(
                    id=identity,
                    line=line,
                    condition=asked.get("condition"),
                    hit_condition=asked.get("hitCondition"),
                    log_message=asked.get("logMessage"),
                )
            )
            answers.append({"id": identity, "verified": line not in self.spec.late, "line": line})
        self._planted[path] = planted
        return {"breakpoints": answers}

    def late_breakpoints(self) -> list[tuple[float, Json]]:
        """The events that verify what the last answer left open, each with the seconds after it."""
        return [
            (
                self.spec.late[planted.line],
                _event("breakpoint", {"reason": "changed", "breakpoint": _verified(planted)}),
            )
            for each in self._planted.values()
            for planted in each
            if planted.line in self.spec.late
        ]

    def _inspect(self, command: str, arguments: Json) -> Json:  # noqa: PLR0911 - one case a request
        if self.state != "stopped":
            raise Refusal("the program is running")
        match command:
            case "exceptionInfo":
                return self._exception()
            case "stackTrace":
                return self._stack(arguments.get("startFrame") or 0, arguments.get("levels") or 0)
            case "scopes":
                frame = self._frame(arguments["frameId"])
                reference = self._mint(self._locals(frame))
                return {"scopes": [{"name": "Locals", "variablesReference": reference, "expensive": False}]}
            case "variables":
                return self._variables(arguments)
            case "evaluate":
                return self._evaluate(arguments)
            case "setExpression":
                return self._assign(self._here_locals(), arguments["expression"], arguments["value"])
            case "completions":
                return self._complete(arguments["text"][: arguments["column"] - 1])
            case _:
                return self._assign(
                    self._values[arguments["variablesReference"]], arguments["name"], arguments["value"]
                )

    def _stack(self, start: int, levels: int) -> Json:
        lines = self._stack_lines()
        wanted = lines[start : start + levels] if levels else lines[start:]
        frames: list[Json] = []
        for line in wanted:
            number = self._number()
            self._frames[number] = line
            source = {"name": "fake", "path": line.path or self.spec.path}
            frames.append({"id": number, "name": line.function, "line": line.line, "column": 1, "source": source})
        return {"stackFrames": frames, "totalFrames": len(lines)}

    def _stack_lines(self) -> list[Line]:
        lines = [self.here]
        for line in reversed(self.spec.trace[: self._position]):
            if line.thread == self.here.thread and line.depth < lines[-1].depth:
                lines.append(line)
        return lines + [lines[-1]] * self.spec.extra_frames

    def _frame(self, number: int) -> Line:
        if number not in self._frames:
            raise Refusal(f"no frame {number} at this stop")
        return self._frames[number]

    def _locals(self, line: Line) -> Json:
        return {"executed": self._executed, **line.locals}

    def _number(self) -> int:
        self._next_reference += 1
        return self._next_reference - 1

    def _mint(self, value: Any) -> int:
        number = self._number()
        self._values[number] = value
        return number

    def _row(self, name: str, value: Any) -> Json:
        row: Json = {"name": name, "value": repr(value), "type": type(value).__name__, "variablesReference": 0}
        if isinstance(value, dict | list):
            row["variablesReference"] = self._mint(value)
            row["indexedVariables" if isinstance(value, list) else "namedVariables"] = len(cast("list[Any]", value))
        return row

    def _variables(self, arguments: Json) -> Json:
        reference = arguments["variablesReference"]
        if reference not in self._values:
            raise Refusal(f"no variables {reference} at this stop")
        start, count = arguments.get("start") or 0, arguments.get("count") or 0
        pairs = _pairs(self._values[reference])
        wanted = pairs[start : start + count] if count else pairs[start:]
        rows = [self._row(name, item) for name, item in wanted]
        return {"variables": [self._with_path(row, reference) for row in rows] if self.spec.named_paths else rows}

    def _with_path(self, row: Json, container: int) -> Json:
        parent, name = self._paths.get(container), row["name"]
        path = name if parent is None else parent + (name if name.startswith("[") else f".{name}")
        self._paths[row["variablesReference"]] = path
        return {**row, "evaluateName": path}

    def _evaluate(self, arguments: Json) -> Json:
        number = arguments.get("frameId")
        variables = self._locals(self.here if number is None else self._frame(number))
        try:
            row = self._row("", eval(arguments["expression"], {}, variables))
        except Exception as error:
            raise Refusal(f"{type(error).__name__}: {error}") from error
        return {"result": row["value"], "type": row["type"], "variablesReference": row["variablesReference"]}

    def _here_locals(self) -> Json:
        return cast("Json", self.here.locals)

    def _assign(self, values: Any, name: str, value: str) -> Json:
        new = eval(value, {}, {})
        values[int(name[1:-1]) if isinstance(values, list) else name] = new
        # The scope is a copy of what the line has; a row of it is a variable all the same.
        if name in self.here.locals:
            self._here_locals()[name] = new
        return {"value": repr(new)}

    def _complete(self, before: str) -> Json:
        word = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyz")) :]
        names = [name for name in self.here.locals if name.startswith(word)]
        piece: Json = {}
        if self.spec.offers_from is not None:
            piece = {"start": len(before) - len(word) + self.spec.offers_from, "length": len(word)}
        return {"targets": [{"label": name, "type": "variable", **piece} for name in names]}


def _never(_line: Line) -> bool:
    return False


def _pairs(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(cast("Json", value).items())
    return [(f"[{index}]", item) for index, item in enumerate(cast("list[Any]", value))]


def _verified(planted: Planted) -> Json:
    return {"id": planted.id, "verified": True, "line": planted.line}


def _event(name: str, body: Json) -> Json:
    return {"type": "event", "event": name, "body": body}
