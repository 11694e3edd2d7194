"""The scripted adapter as the player of one conversation, step by step (`tests.fakes.scripted` writes the steps)."""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.fakes.adapter_wire import Child, Json, Wire, response, sleep

SURPRISE = 70
"""Exit status after a request that the script does not expect."""

TOO_LATE = 71
"""Exit status when a request that the script expects does not come in time."""


class ScriptPlayer:
    """Plays the steps one after another; then answers what has a standing answer until its input ends."""

    def __init__(self, wire: Wire, steps: list[Json]) -> None:
        self._wire = wire
        self._steps = steps
        self._standing: dict[str, Json] = {}
        self._swallowed: set[str] = set()
        self._swallows_all = False
        self._seen: dict[str, Json] = {}
        self._last: Json = {}
        self._allowed: set[str] | None = None
        self._child: Child | None = None
        self._child_pid: int | None = None

    def play(self) -> int:
        """The exit status."""
        for step in self._steps:
            play: Callable[[Json], None] = getattr(self, "_do_" + step["do"])
            play(step)
        while (request := self._wire.next_request(None)) is not None:
            self._answer_by_rule(request)
        return 0

    def _do_expect(self, step: Json) -> None:
        deadline = time.monotonic() + step["within"]
        while True:
            request = self._wire.next_request(deadline)
            if request is None:
                self._wire.note({"missing": step["command"]})
                sys.exit(TOO_LATE)
            if request["type"] == "request" and request["command"] == step["command"]:
                self._check_allowed(request)
                self._seen[request["command"]] = self._last = request
                return
            self._answer_by_rule(request)

    def _answer_by_rule(self, request: Json) -> None:
        if request["type"] == "response":
            return
        command = request["command"]
        self._check_allowed(request)
        if self._swallows_all or command in self._swallowed:
            return
        if command in self._standing:
            self._wire.send(response(request, **self._standing[command]))
            return
        self._wire.note({"surprise": command})
        sys.exit(SURPRISE)

    def _check_allowed(self, request: Json) -> None:
        if self._allowed is not None and request["command"] not in self._allowed:
            self._wire.note({"undeclared": request["command"]})
            sys.exit(SURPRISE)

    def _do_reply(self, step: Json) -> None:
        self._wire.send(self._message(step), delay=step["delay"])

    def _do_event(self, step: Json) -> None:
        self._wire.send(self._message(step), delay=step["delay"])

    def _message(self, step: Json) -> Json:
        if step["do"] == "event":
            return {"type": "event", "event": step["name"], "body": self._filled(step["body"])}
        request = self._seen[step["to"]] if step["to"] else self._last
        answer = response(request, ok=step["ok"], body=self._filled(step["body"]), message=step["message"])
        if step["error_body"] is not None:
            answer["body"] = {"error": step["error_body"]}
        if step["empty_command"]:
            answer["command"] = ""
        return answer

    def _filled(self, body: Any) -> Any:
        """`"{child}"` stands for the pid of the child, or of what the client has started."""
        if self._child_pid is None or body is None:
            return body
        return json.loads(json.dumps(body).replace('"{child}"', str(self._child_pid)))

    def _do_batch(self, step: Json) -> None:
        self._wire.send(*(self._message(each) for each in step["messages"]))

    def _do_reverse(self, step: Json) -> None:
        self._wire.send({"type": "request", "command": step["command"], "arguments": step["arguments"]})
        deadline = time.monotonic() + step["within"]
        meanwhile: list[Json] = []
        while (message := self._wire.next_request(deadline)) is not None:
            if message["type"] == "response":
                self._child_pid = message.get("body", {}).get("processId", self._child_pid)
                self._wire.put_back(meanwhile)
                return
            meanwhile.append(message)
        self._wire.note({"missing": f"an answer to {step['command']}"})
        sys.exit(TOO_LATE)

    def _do_answers(self, step: Json) -> None:
        self._standing.update(step["table"])

    def _do_swallow(self, step: Json) -> None:
        self._swallowed.add(step["command"])

    def _do_swallow_everything(self, step: Json) -> None:
        del step
        self._swallows_all = True

    def _do_only(self, step: Json) -> None:
        self._allowed = set(step["commands"])

    def _do_split(self, step: Json) -> None:
        self._wire.bytes_per_write, self._wire.pause = step["bytes"], step["pause"]

    def _do_raw(self, step: Json) -> None:
        self._wire.write(step["text"].encode("latin-1") * step["times"], 2 if step["stream"] == "stderr" else 1)

    def _do_sleep(self, step: Json) -> None:
        sleep(step["seconds"])

    def _do_spawn_child(self, step: Json) -> None:
        self._child = Child(step["argv"])
        self._child_pid = self._child.pid

    def _do_close(self, step: Json) -> None:
        del step
        os.close(1)

    def _do_exit(self, step: Json) -> None:
        os._exit(step["status"])
