"""What commands do in each state, without a daemon: what is sent, what is said."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lazydap_core.protocol import requests
from lazydap_nvim.actions import receive
from lazydap_nvim.breaking import standing
from lazydap_nvim.editor import MESSAGE, Editor
from lazydap_nvim.host import Host
from lazydap_nvim.model import Project
from tests.unit.host.building import (
    FILE,
    ROOT,
    Clock,
    breakpoint_at,
    detail_event,
    page,
    project,
    session,
    stop,
    stopped_event,
)


class Bench:
    """A host whose jobs are noted instead of done."""

    def __init__(self, start: Project) -> None:
        self.clock = Clock()
        self.lines: list[str] = []
        self.jobs: list[tuple[str, tuple[object, ...]]] = []
        self.host = Host(Editor(self.send, self.clock), self.clock, {"HOME": "/nowhere"})
        self.host.jobs.post = self.post
        self.host.model = self.host.model.with_project(start)
        self.link = _Link()
        self.host.link_to = lambda _start: self.link  # type: ignore[assignment]

    def post(
        self,
        name: str,
        work: Callable[..., Awaitable[object]],
        *arguments: object,
        is_quiet: bool = False,
        is_change: bool = False,
    ) -> None:
        del work, is_quiet, is_change
        self.jobs.append((name, arguments))

    def send(self, code: str, *arguments: Any) -> None:
        if code == MESSAGE:
            self.lines.append(arguments[0])

    def say(self, verb: str, **keys: Any) -> None:
        receive(self.host, json.dumps({"verb": verb, "where": {"file": FILE, "line": 1, "cwd": ROOT}, **keys}))

    def sent(self) -> list[requests.Step | requests.Continue]:
        return self.link.movements

    def hear(self, *happened: Any) -> None:
        for event in happened:
            self.host.heard(self.link, event)  # type: ignore[arg-type]


class _Link:
    root = ROOT

    def __init__(self) -> None:
        self.movements: list[requests.Step | requests.Continue] = []

    def post_movement(self, request: requests.Step | requests.Continue) -> object:
        self.movements.append(request)
        return object()


def paused() -> Project:
    return project(session=session(state="paused", stop=stop(1), seen=1), is_following=True)


def test_a_step_is_sent_at_once() -> None:
    bench = Bench(paused())
    bench.say("step", kind="in", count=1)
    [sent] = bench.sent()
    assert isinstance(sent, requests.Step)
    assert sent.kind == "in"
    assert bench.lines == []


def test_one_step_is_typed_ahead_and_the_rest_forgotten() -> None:
    bench = Bench(paused())
    for _ in range(20):
        bench.say("step")
    assert len(bench.sent()) == 1
    bench.hear(stopped_event())
    assert len(bench.sent()) == 2
    bench.hear(stopped_event(), detail_event(stop(3)))
    assert len(bench.sent()) == 2
    assert bench.lines == []


def test_a_step_of_a_program_that_runs_for_a_while_is_refused() -> None:
    bench = Bench(paused())
    bench.say("step")
    bench.clock.advance(0.5)
    bench.say("step")
    assert len(bench.sent()) == 1
    assert bench.lines == ["the program is running: :LazydapPause stops it"]


def test_a_counted_step_is_sent_as_often_as_it_was_counted() -> None:
    bench = Bench(paused())
    bench.say("step", count=3)
    for _ in range(5):
        bench.hear(stopped_event())
    assert len(bench.sent()) == 3


@pytest.mark.parametrize(
    ("start", "verb", "line"),
    [
        (project(session=session()), "step", "the program is running: :LazydapPause stops it"),
        (project(session=session()), "continue", "the program is running: :LazydapPause stops it"),
        (paused(), "pause", "the program is stopped already: :LazydapHere goes there"),
        (
            project(session=session(state="initialising")),
            "step",
            "the program is still being launched: give it a moment",
        ),
    ],
)
def test_what_cannot_be_done_now_is_said_in_one_line(start: Project, verb: str, line: str) -> None:
    bench = Bench(start)
    bench.say(verb)
    assert bench.lines == [line]
    assert bench.jobs == []


def test_a_movement_without_anything_live_is_left_to_a_task() -> None:
    bench = Bench(project())
    bench.say("step")
    assert [name for name, _ in bench.jobs] == ["the command"]


def test_the_program_that_moves_is_drawn_as_running_after_a_moment() -> None:
    bench = Bench(paused())
    bench.say("continue")
    bench.clock.advance(0.05)
    assert bench.host.project(ROOT).live == session(state="running", stop=stop(1), seen=1, floor=1, moving=1)
    bench.clock.advance(0.05)
    live = bench.host.project(ROOT).live
    assert live is not None
    assert live.stop is None


def test_a_stop_makes_the_project_the_one_that_commands_go_to() -> None:
    bench = Bench(project(session=session(), is_following=True))
    bench.hear(stopped_event(), detail_event(stop(1, locals=page(x="1"))))
    assert bench.host.model.last == ROOT


def test_what_goes_wrong_is_one_line_and_the_host_goes_on() -> None:
    bench = Bench(paused())
    with bench.host.jobs.containing("drawing"):
        raise ZeroDivisionError("division by zero")
    assert bench.lines == ["drawing failed (ZeroDivisionError: division by zero): see :LazydapLog"]
    receive(bench.host, "nonsense")
    assert "does not understand" in bench.lines[-1]


def test_breakpoints_are_found_by_id_else_by_line_asked_for_or_moved_to() -> None:
    one = breakpoint_at(4, id=1, verified=True, adapter_line=6)
    two = breakpoint_at(9, id=2)
    other = breakpoint_at(4, id=3, path="/p/b.py")
    of = project(breakpoints=(one, two, other))
    assert standing(of, FILE, (1, 1), (2,)) == (two,)
    assert standing(of, FILE, (4, 4), ()) == ()
    assert standing(of, FILE, (4, 4), None) == (one,)
    assert standing(of, FILE, (6, 9), None) == (one, two)
