"""A simulated program with the manners of codelldb: its stops, its half-finished steps, its breakpoints and values.

What it says and in which words is taken from recorded conversations (`tests.fakes.recorded`).
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.fakes.codelldb_named import CodelldbNamed
from tests.fakes.program import Goal, Json, Line, Planted, ProgramSpec, Refusal, SimulatedProgram
from tests.fakes.recorded import recording

NO_SOURCE = "@"
"""The `path` of a line in a library without source."""

PIECE = 1024
ABORTED = 255
PANIC = "panic"
SIGNALS = {"SIGABRT": 6, "SIGKILL": 9, "SIGSEGV": 11, "SIGTERM": 15}
ENDED_BY_PANIC = 101


@dataclass(frozen=True, kw_only=True)
class CodelldbSpec:
    """A simulated program, and what this codelldb does with it.

    program             a `Line` that `raises` "signal SIGSEGV: …" crashes, one that raises "panic" is a Rust panic
    pace                recorded times are multiplied by this
    compiled_as         the spelling of the source's path in the debug information
    places              {line: places} for lines that LLDB resolves to several
    names_first_thread  each stop of a step is reported on the first thread
    traps               each step ends in a SIGTRAP of the first thread
    hidden              {expression: error text that is given as its value}
    rows_in_time        how many rows of a container it gives before it is timed out; None for all
    loses_ending        `exited` and `terminated` are dropped, as for a client that reads too slowly
    unknown_options     command line options that this version does not have
    calls_after         a file that must be there before it connects
    never_connects      it does not
    fails_to_start      what it prints to its standard error before it exits with 101
    prints              what a script of the user prints to its standard output, once the program runs
    """

    program: ProgramSpec
    pace: float = 0.3
    compiled_as: str | None = None
    places: Mapping[int, int] = field(default_factory=dict[int, int])
    names_first_thread: bool = False
    traps: bool = False
    hidden: Mapping[str, str] = field(default_factory=dict[str, str])
    rows_in_time: int | None = None
    loses_ending: bool = False
    unknown_options: Sequence[str] = ()
    calls_after: str = ""
    never_connects: bool = False
    fails_to_start: str = ""
    prints: str = ""

    @classmethod
    def read(cls, plain: Json) -> "CodelldbSpec":
        """From what `dataclasses.asdict` and JSON have made of one."""
        values = dict(plain)
        values["program"] = ProgramSpec.read(plain["program"])
        values["places"] = {int(line): places for line, places in plain["places"].items()}
        return cls(**values)


class CodelldbProgram(SimulatedProgram):
    """The program, between the adapter's requests; `die` is called for what the real adapter does not survive."""

    def __init__(self, spec: CodelldbSpec, emit: Callable[[Json], None], die: Callable[[int, str], None]) -> None:
        super().__init__(spec.program, emit)
        self.codelldb = spec
        self.state = "new"
        self.filters: dict[str, int] = {}
        self._die = die
        self._unfinished: list[Goal] = []
        self._next_id = 1
        self._named = self.named = CodelldbNamed({line.function: line.line for line in self.spec.trace}, self._claimed)
        self._places: list[int] = []
        self._native: dict[int, str] = {}
        self._has_arrived = False
        self._last_stop: Json = {}
        self._old_frames: frozenset[int] = frozenset()

    # Threads

    def thread_ids(self) -> dict[int, str]:
        """The threads as LLDB numbers and names them: the first one has the number of the process."""
        return {self._tid(n): f'{n}: tid={self._tid(n)} "{name}"' for n, name in self.spec.threads.items()}

    def _tid(self, thread: int) -> int:
        return (self.pid or 0) + thread - 1

    # Running

    def arrive(self) -> None:
        """Everything is loaded: the program is before its first line."""
        self.state, self._has_arrived = "running", True
        self._stopped_by_breakpoint()

    def run(self) -> float | None:
        """See SimulatedProgram; a panic that nobody has asked to see is no stop."""
        while True:
            seconds = super().run()
            if seconds is not None or self.state != "running":
                return seconds

    def end(self, code: int) -> None:
        """Console text, `exited`, `terminated`, in this order."""
        self.state = "ended"
        for event in ending(code):
            if not self.codelldb.loses_ending:
                self._emit(event)

    def _execute(self, line: Line) -> None:
        if self._crashed and line.raises is not None:
            signal = re.match(r"signal (\w+)", line.raises)
            self.end(SIGNALS.get(signal[1], 0) if signal else ENDED_BY_PANIC)
            return
        # Both streams of the program are one terminal.
        super()._execute(replace(line, output=line.output.replace("\n", "\r\n")))

    def pause(self) -> None:
        """SIGSTOP, as every stop that no one in the program has caused."""
        self._stop("exception", description="signal SIGSTOP")

    def repeat_stop(self) -> None:
        """What a pause of a stopped program does."""
        if self._last_stop.get("description"):
            self._emit(output("stderr", f"Stop reason: {self._last_stop['description']}\n"))
        self._emit({"type": "event", "event": "stopped", "body": self._last_stop})

    def move(self, command: str) -> None:
        """Continue, or step; a continue first completes the steps that something has interrupted."""
        if command != "continue":
            self._unfinished.append(self._goal_of(command))
        self._goal = self._unfinished[-1] if self._unfinished else _never
        self.state = "running" if self._has_arrived else "loading"
        self._emit(continued(0))
        if command != "continue" and not self._has_arrived:
            # One instruction of the loader.
            self._stop("step")

    def step_to(self, target: int) -> None:
        """Into one call of the line; there is no word of its running."""
        function = self.calls()[target]
        self._unfinished.append(lambda line: line.function == function)
        self._goal, self.state = self._unfinished[-1], "running"
        self.run()

    def calls(self) -> list[str]:
        """The functions that the line calls, in order."""
        depth = self.here.depth
        names: dict[str, None] = {}
        for line in self.spec.trace[self._position + 1 :]:
            if line.depth <= depth:
                break
            names[line.function] = None
        return list(names)

    def offer_place(self, line: int) -> Json:
        """The answer to `gotoTargets`."""
        if line not in {each.line for each in self.spec.trace}:
            return {"targets": []}
        self._places.append(line)
        return {"targets": [{"id": len(self._places), "label": f"line {line}", "line": line}]}

    def jump(self, target: int) -> None:
        """A stop without a reason, in front of which everything is told to be out of date."""
        self._position = [each.line for each in self.spec.trace].index(self._places[target - 1])
        self._emit({"type": "event", "event": "invalidated", "body": {"threadId": self._tid(self.here.thread)}})
        self._stop("")

    def why_stopped(self) -> Json:
        """The answer to `exceptionInfo`, which it has for every stop."""
        reason = self._last_stop["reason"]
        kinds = {"exception": "Signal", "step": "PlanComplete", "data breakpoint": "Watchpoint"}
        description = self._last_stop.get("description", reason)
        return {"breakMode": "always", "description": description, "exceptionId": kinds.get(reason, "Breakpoint")}

    def set_variable(self, reference: int, name: str, value: str) -> Json:
        """Scalars only."""
        values = self._values.get(reference)
        if values is None:
            raise Refusal(recording("c-tour").text(211))
        if name not in values:
            raise Refusal("Could not set variable value.")
        if not isinstance(values[name], int):
            raise Refusal("unable to write aggregate data type")
        if not value.lstrip("-").isdigit():
            raise Refusal(f"'{value}' is not a valid integer string value")
        return {"type": "int", **self._assign(values, name, value)}

    def source(self, reference: int) -> Json:
        """What the processor executes; a listing is known from the frame that it was told with."""
        if reference != _listing():
            raise Refusal("Internal debugger error: Invalid source reference")
        content = "; Symbol: __strcmp_evex\n7FFFF7F3C120: 89 F8                         movl   %edi, %eax\n"
        return {"content": content, "mimeType": "text/x-lldb.disassembly"}

    def _goal_of(self, command: str) -> Goal:
        start, goal = self.here, super()._goal_of(command)
        if command != "next":
            return goal
        return lambda line: goal(line) and (line.depth < start.depth or line.line != start.line)

    def _stopped_by_breakpoint(self) -> bool:
        here = self.here
        variables = self._locals(here)
        for planted in self._planted.get(here.path or self._compiled_as, []):
            if planted.line != here.line:
                continue
            if planted.condition is not None and (why := _untried(planted.condition, variables)):
                self._emit(output("stderr", f"{why}\n"))
                self._stop("breakpoint", hit=[planted.id])
                return True
            if not planted.stops(variables):
                # LLDB has stopped, looked, and gone on.
                self._emit(continued(self._tid(here.thread)))
            elif planted.log_message is not None:
                self._emit(output("console", self._logged(planted.log_message, variables) + "\n"))
                self._emit(continued(self._tid(here.thread)))
            else:
                self._stop("breakpoint", hit=[planted.id])
                return True
        return self._stopped_by_name()

    def _stop(
        self, reason: str, *, description: str | None = None, text: str | None = None, hit: Sequence[int] = ()
    ) -> None:
        del text
        if reason == "function breakpoint":
            reason = "breakpoint"
        if reason == "data breakpoint":
            before = self.spec.trace[self._position - 1].locals
            self._emit(output("console", self.named.told_of_hit(hit[0], before, self.here.locals)))
        if description is not None and description.startswith(PANIC):
            if "rust_panic" not in self.filters:
                return
            reason, description, hit = "breakpoint", None, [self.filters["rust_panic"]]
        self.state = "stopped"
        self._thread = thread = self.here.thread
        if reason == "step":
            self._unfinished.pop()
            if self.codelldb.traps:
                reason, description = "exception", "signal SIGTRAP"
            if self.codelldb.names_first_thread or self.codelldb.traps:
                thread = 1
        # Numbers begin again, and those of the last stop are refused until somebody has asked for frames.
        self._old_frames, self._next_reference = frozenset(self._frames), 1001
        self._frames.clear()
        self._values.clear()
        body: Json = {"allThreadsStopped": True, "reason": reason, "threadId": self._tid(thread)}
        if description is not None:
            body["description"] = description
        if hit:
            body["hitBreakpointIds"] = list(hit)
        self._last_stop = body
        self.repeat_stop()

    def _logged(self, message: str, variables: Json) -> str:
        """The text with its values; an expression that the adapter cannot read is the end of it."""
        parts: list[str] = []
        for literal, expression in bracketed(message):
            parts.append(literal)
            if expression is None:
                continue
            if not expression.startswith("/nat ") and not is_simple(expression):
                self._die(ABORTED, f"the log text's {{{expression}}} cannot be read")
            bare = expression.removeprefix("/nat ").partition(",")[0]
            try:
                parts.append(repr(eval(bare, {}, dict(variables))))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is printed
                parts.append(f"{{Error: error: {error}\n}}")
        return "".join(parts)

    # Breakpoints

    @property
    def _compiled_as(self) -> str:
        return self.codelldb.compiled_as or self.spec.path

    def set_breakpoints(self, path: str, asked: Sequence[Json]) -> tuple[list[Json], list[Json]]:
        """The answers, and the `output` events that come before them."""
        before = {planted.line: planted for planted in self._planted.get(path, [])}
        lines = {line.line for line in self.spec.trace if (line.path or self._compiled_as) == path}
        complaints: list[Json] = []
        answers: list[Json] = []
        planted: list[Planted] = []
        for entry in asked:
            line = self.spec.moves.get(entry["line"], entry["line"])
            old = before.get(line)
            identity = old.id if old else self._new_id()
            if line not in lines:
                answers.append(self._unresolved(identity, path, line, complaints))
                continue
            planted.append(
                Planted(
                    id=identity,
                    line=line,
                    condition=self._condition(identity, _readable(entry.get("condition"), complaints)),
                    hit_condition=entry.get("hitCondition"),
                    log_message=entry.get("logMessage"),
                )
            )
            answers.append(self.told(planted[-1]))
        self._planted[path] = planted
        return answers, complaints

    def _condition(self, identity: int, asked: str | None) -> str | None:
        """What has to be true: LLDB's own condition is not taken away by another list."""
        if asked is not None and asked.startswith("/nat "):
            self._native[identity], asked = asked.removeprefix("/nat "), None
        return " and ".join(f"({part})" for part in (self._native.get(identity), asked) if part) or None

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _unresolved(self, identity: int, path: str, line: int, complaints: list[Json]) -> Json:
        known = self._compiled_as
        text = "Resolved locations: 0"
        if path != known and Path(path).name == Path(known).name and any(one.line == line for one in self.spec.trace):
            # Looking for the other spelling takes a breakpoint as well.
            self._new_id()
            text = recording("symlink").said(5)["body"]["breakpoints"][0]["message"]
            text = text.replace("/proj/real/loop2.c:29", f"{path}:{line}")
            text = text.replace("/proj/link/loop2.c:29", f"{known}:{line}")
            complaints.append(output("console", text + "\n"))
        return {"id": identity, "message": text, "verified": False}

    def told(self, planted: Planted) -> Json:
        """A breakpoint as answers and events have it: no place is resolved before there is a process."""
        places = self.codelldb.places.get(planted.line, 1) if self.pid else 0
        return {
            "id": planted.id,
            "line": planted.line,
            "message": f"Resolved locations: {places}",
            "verified": True,
        }

    def changed_breakpoints(self, path: str | None = None, but: frozenset[int] = frozenset()) -> list[Json]:
        """A `breakpoint` event for each place of each breakpoint (of a file, but those), the filters' included."""
        planted = self._planted.get(path, []) if path else [one for each in self._planted.values() for one in each]
        events = [
            changed(self.told(one))
            for one in planted
            if one.id not in but
            for _ in range(self.codelldb.places.get(one.line, 1))
        ]
        if path is None:
            events += [changed(one) for one in self.named.functions_told() if one["verified"]]
        if path is None and (panic := self.filters.get("rust_panic")) is not None:
            events.append(changed({"id": panic, "message": "Resolved locations: 1", "verified": True}))
        return events

    def set_filter(self, name: str) -> int:
        """An exception filter is one more breakpoint; its id."""
        self.filters[name] = self._new_id()
        return self.filters[name]

    def planted_in(self, path: str) -> list[Planted]:
        """The breakpoints of that file."""
        return self._planted.get(path, [])

    # Looking

    def stack(self, thread_id: int, start: int, levels: int) -> Json:
        """Frames; the numbers of an earlier stop are good again from here on, for other frames."""
        if thread_id not in self.thread_ids():
            raise Refusal(recording("c-tour").text(32))
        self._old_frames = frozenset()
        frames: list[Json] = []
        lines = self._stack_lines()
        for line in lines[start : start + levels]:
            frame = self._frame_body(line)
            frame["id"] = self._number()
            self._frames[frame["id"]] = line
            frames.append(frame)
        callers: list[Json] = recording("stepping").body(40)["stackFrames"][1:] if self._has_arrived else []
        for shape in callers[max(0, start - len(lines)) :]:
            if len(frames) < levels:
                frames.append({**shape, "id": self._number()})
                self._frames[frames[-1]["id"]] = lines[-1]
        return {"stackFrames": frames}

    def _stack_lines(self) -> list[Line]:
        return super()._stack_lines() if self._has_arrived else [Line(line=3, function="_start", path=NO_SOURCE)]

    def _frame_body(self, line: Line) -> Json:
        if line.path == NO_SOURCE:
            shape = recording("stop-on-entry").body(16)["stackFrames"][0]
            return {**shape, "name": line.function, "line": line.line, "source": {**shape["source"]}}
        path = line.path or self._compiled_as
        return {
            **recording("launch-breakpoint").body(19)["stackFrames"][0],
            "name": line.function,
            "line": line.line,
            "source": {"name": Path(path).name, "path": path},
        }

    def scopes(self, frame_id: int) -> Json:
        """Always the same four, all called cheap."""
        frame = self._frame(frame_id)
        scopes = recording("c-tour").body(37)["scopes"]
        values: list[Json] = [self._locals(frame), {"s_hidden": 11}, {"g_counter": 7}, {"rax": 0}]
        for scope, value in zip(scopes, values, strict=True):
            scope["variablesReference"] = self._mint(value)
        return {"scopes": scopes}

    def _frame(self, number: int) -> Line:
        if number not in self._frames:
            raise Refusal(recording("c-tour").text(210).replace("424242", str(number)))
        return self._frames[number]

    def rows(self, reference: int) -> Json:
        """All of them, whatever was asked for."""
        if reference not in self._values:
            raise Refusal(recording("c-tour").text(211))
        told = self._variables({"variablesReference": reference})
        limit = self.codelldb.rows_in_time
        if limit is None or len(told["variables"]) <= limit:
            return told
        return {
            "variables": [*told["variables"][:limit], {"name": "[timed out]", "value": "", "variablesReference": 0}]
        }

    def _row(self, name: str, value: Any) -> Json:
        row = super()._row(name, value)
        # It counts nothing beforehand.
        return {key: item for key, item in row.items() if key not in {"indexedVariables", "namedVariables"}}

    def evaluate(self, frame_id: int | None, expression: str) -> Json:
        """A value, or an error that looks like one."""
        if frame_id is None or frame_id not in self._frames:
            raise Refusal(recording("c-tour").text(208))
        if expression in self.codelldb.hidden:
            return {"result": self.codelldb.hidden[expression], "variablesReference": 0}
        if assigned := re.fullmatch(r"/nat (\w+) = (-?\d+)", expression):
            value = self._assign(self.here.locals, *assigned.groups())["value"]
            return {"result": value, "type": "int", "variablesReference": 0}
        if not expression.startswith("/nat ") and not is_simple(expression):
            raise Refusal(f"Syntax error: {expression}\n              ^")
        row = self._evaluate({"frameId": frame_id, "expression": expression.removeprefix("/nat ").partition(",")[0]})
        return {key: row[key] for key in ("result", "type", "variablesReference")}

    def is_forgotten(self, frame_id: Any) -> bool:
        """Whether a frame's number is of an earlier stop."""
        return frame_id in self._old_frames


def joined(events: Sequence[Json]) -> list[Json]:
    """What the program has written in one go comes in pieces of at most `PIECE` bytes."""
    result: list[Json] = []
    for event in events:
        last: Json = result[-1].get("body", {}) if result else {}
        if event["event"] == "output" and event["body"]["category"] == last.get("category") == "stdout":
            text = last["output"] + event["body"]["output"]
            if len(text.encode()) <= PIECE:
                result[-1] = output("stdout", text)
                continue
        result.append(event)
    return result


def bracketed(text: str) -> list[tuple[str, str | None]]:
    """Literal text and the expression in braces behind it; a brace that is never closed is text."""
    parts: list[tuple[str, str | None]] = []
    start = depth = opened = 0
    for position, character in enumerate(text):
        if character == "{":
            opened = position if depth == 0 else opened
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                parts.append((text[start:opened], text[opened + 1 : position]))
                start = position + 1
    return [*parts, (text[start:], None)]


def is_simple(expression: str) -> bool:
    """Whether the adapter's own parser reads it: Python's syntax without calls, but with `*` before a name."""
    try:
        tree = ast.parse(re.sub(r"^\*+", "", expression.partition(",")[0]).replace("$", ""), mode="eval")
    except SyntaxError:
        return False
    return not any(isinstance(node, ast.Call | ast.Set | ast.Dict) for node in ast.walk(tree))


def ending(code: int) -> list[Json]:
    """The last events of a program."""
    text = recording("stepping").text(57).replace("3", str(code))
    return [
        output("console", text),
        {"type": "event", "event": "exited", "body": {"exitCode": code}},
        {"type": "event", "event": "terminated", "body": {}},
    ]


def output(category: str, text: str) -> Json:
    """An `output` event."""
    return {"type": "event", "event": "output", "body": {"category": category, "output": text}}


def continued(thread_id: int) -> Json:
    """A `continued` event; the thread is 0 unless it is the adapter's own doing."""
    return {"type": "event", "event": "continued", "body": {"allThreadsContinued": True, "threadId": thread_id}}


def _readable(condition: str | None, complaints: list[Json]) -> str | None:
    """The condition, none where its parser refuses it: such a breakpoint stops always."""
    if condition is None or condition.startswith("/") or is_simple(condition):
        return condition
    complaints.append(output("stderr", f"Could not parse breakpoint condition: {condition}\n"))
    return None


def _untried(condition: str, variables: Mapping[str, Any]) -> str | None:
    """What it complains of when a condition fails."""
    try:
        eval(condition, {}, dict(variables))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        return f"error: {error}"
    return None


def changed(told: Json) -> Json:
    """A `breakpoint` event."""
    return {"type": "event", "event": "breakpoint", "body": {"breakpoint": told, "reason": "changed"}}


def _listing() -> int:
    return recording("stop-on-entry").body(16)["stackFrames"][0]["source"]["sourceReference"]


def _never(_line: Line) -> bool:
    return False
