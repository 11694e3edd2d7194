"""Owns what a soak does: launch, step and look as an editor would, end the program, again and again."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lazydap_core.client.blocking import BlockingClient
from lazydap_core.domain.words import AdapterKind
from lazydap_core.protocol import objects, requests, responses

WAIT = objects.Wait(timeout_ms=20_000)
STOP_SECONDS = 20.0

T = TypeVar("T")


@dataclass(frozen=True)
class Target:
    """A program that loops for ever, and a line in its loop."""

    adapter: AdapterKind
    source: Path
    program: Path
    line: int


class Stepper:
    """Drives one daemon; `steps` and `launches` count what was done."""

    def __init__(self, client: BlockingClient, environ: Mapping[str, str]) -> None:
        self._client = client
        self._environ = dict(environ)
        self.steps = 0
        self.launches = 0

    def prepare(self, target: Target) -> None:
        """Put the breakpoint that each launch of the target stops at."""
        new = objects.NewBreakpoint(source=str(target.source), line=target.line, enabled=True)
        self._ask(requests.BreakpointAdd(breakpoint=new, dry_run=False), responses.Breakpoints)

    def run(self, target: Target, steps: int, deadline: float) -> None:
        """Launch the target, step it until `steps` are done or the clock reaches `deadline`, and end it.

        Raises DaemonError for a request that is refused, AssertionError for a program that does not stop.
        """
        session = self._launched(target)
        for _ in range(steps):
            if time.monotonic() > deadline:
                break
            self._step(session)
        self._ask(requests.Disconnect(session_id=session, terminate=True, dry_run=False), responses.Disconnected)

    def _launched(self, target: Target) -> objects.SessionId:
        request = requests.Launch(
            adapter=target.adapter,
            program=str(target.program),
            args=(),
            cwd=str(target.program.parent),
            env=self._environ,
            stop_on_entry=False,
        )
        session = self._ask(request, responses.Launched).session_id
        self.launches += 1
        deadline = time.monotonic() + STOP_SECONDS
        while (now := self._ask(requests.Status(), responses.Status).session) is not None and now.state != "paused":
            if time.monotonic() > deadline:
                raise AssertionError(f"{target.program.name} did not stop on line {target.line}: it is {now.state}")
            time.sleep(0.02)  # noqa: TID251  # the poll itself
        return session

    def _step(self, session: objects.SessionId) -> None:
        stepped = self._ask(requests.Step(session_id=session, kind="over", wait=WAIT), responses.Stepped)
        if stepped.state != "paused":
            raise AssertionError(f"a step ended as {stepped.state}")
        self.steps += 1
        trace = self._ask(requests.StackTrace(session_id=session), responses.StackTrace)
        scopes = self._ask(requests.Scopes(session_id=session, frame_id=trace.frames[0].id), responses.Scopes)
        reference = scopes.scopes[0].variables_reference
        variables = requests.Variables(session_id=session, variables_reference=reference, filter="all")
        self._ask(variables, responses.Variables)

    def _ask(self, request: requests.Request, kind: type[T]) -> T:
        answer = self._client.request(request)
        if not isinstance(answer, kind):
            raise TypeError(f"{type(request).__name__} was answered with {type(answer).__name__}")
        return answer
