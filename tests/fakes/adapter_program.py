"""The scripted adapter as the server of a simulated program (`tests.fakes.program`)."""

import os
import time

from tests.fakes.adapter_script import SURPRISE
from tests.fakes.adapter_wire import Child, Json, Wire, response
from tests.fakes.program import (
    ALWAYS_SUPPORTED,
    NEEDED_CAPABILITY,
    ProgramSpec,
    Refusal,
    SimulatedProgram,
)


class ProgramHost:
    """Serves a simulated program."""

    def __init__(self, wire: Wire, spec: ProgramSpec) -> None:
        self._wire = wire
        self._spec = spec
        self._events: list[Json] = []
        self._child: Child | None = None
        self._launch: Json | None = None
        self._program = SimulatedProgram(spec, self._events.append)

    def serve(self) -> int:
        """The exit status."""
        while True:
            pause = self._program.run()
            self._flush()
            request = self._wire.next_request(None if pause is None else time.monotonic() + pause)
            if request is not None and request["type"] == "request":
                self._receive(request)
            elif request is None and not self._wire.is_open:
                self._end_child()
                return 0

    def _receive(self, request: Json) -> None:
        command = request["command"]
        if self._spec.only_capable and not self._is_capable(command):
            self._wire.note({"undeclared": command})
            os._exit(SURPRISE)
        if command in self._spec.dies_on:
            os._exit(self._spec.dies_on[command])
        if self._spec.wedges_when_running and self._program.state == "running" and command in _MOVES:
            self._wire.note({"wedged": command})
            while self._wire.next_request(None) is not None:
                pass
            os._exit(0)
        match command:
            case "launch" | "attach":
                self._begin_launch(request)
            case "configurationDone":
                self._finish_launch(request)
            case "disconnect":
                self._disconnect(request)
            case _:
                self._answer(request)

    def _is_capable(self, command: str) -> bool:
        if command in ALWAYS_SUPPORTED:
            return True
        flags = self._program.handle("initialize", {})
        return bool(flags.get(NEEDED_CAPABILITY.get(command, "")))

    def _answer(self, request: Json) -> None:
        command = request["command"]
        try:
            answer = response(request, body=self._body(command, request.get("arguments") or {}))
        except Refusal as error:
            answer = response(request, ok=False, message=str(error))
        self._reply(answer)
        if command == "setBreakpoints":
            for delay, event in self._program.late_breakpoints():
                self._wire.send(event, delay=delay)

    def _body(self, command: str, arguments: Json) -> Json:
        if command in self._spec.refuses:
            raise Refusal(self._spec.refuses[command])
        return self._program.handle(command, arguments)

    def _reply(self, answer: Json) -> None:
        command = answer["command"]
        answers = [] if command in self._spec.swallows else [answer]
        events = self._taken_events()
        delay = self._spec.delays.get(command, 0.0)
        if delay:
            self._wire.send(*answers, delay=delay)
            self._wire.send(*events)
        else:
            self._wire.send(*(events + answers if self._spec.events_first else answers + events))

    def _taken_events(self) -> list[Json]:
        events = self._events[:]
        self._events.clear()
        return events

    def _flush(self) -> None:
        if self._events:
            self._wire.send(*self._taken_events())

    def _begin_launch(self, request: Json) -> None:
        self._launch = request
        command = request["command"]
        if command in self._spec.refuses:
            self._reply(response(request, ok=False, message=self._spec.refuses[command]))
            return
        if self._spec.child:
            self._child = Child(self._spec.child)
        self._program.stop_on_entry = bool(request["arguments"].get("stopOnEntry"))
        if self._spec.launch_answer == "early":
            self._reply(response(request))
        self._wire.send({"type": "event", "event": "initialized"})

    def _finish_launch(self, request: Json) -> None:
        attached = (self._launch or {}).get("arguments", {}).get("pid")
        self._program.pid = self._child.pid if self._child else attached or os.getpid()
        if "configurationDone" in self._spec.refuses:
            self._reply(response(request, ok=False, message=self._spec.refuses["configurationDone"]))
            return
        if self._spec.launch_answer == "last":
            self._program.start()
            self._flush()
        self._reply(response(request))
        if self._spec.launch_answer != "early" and self._launch is not None:
            self._reply(response(self._launch))
        if self._spec.launch_answer != "last":
            self._program.start()

    def _disconnect(self, request: Json) -> None:
        arguments: Json = request.get("arguments") or {}
        keeps = arguments.get("terminateDebuggee") is False
        if self._program.state != "ended" and not keeps:
            self._program.end(9)
            self._end_child()
        if keeps:
            self._child = None
        self._reply(response(request))

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


_MOVES = frozenset({"continue", "next", "stepIn", "stepOut"})
