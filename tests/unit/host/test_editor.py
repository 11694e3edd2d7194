"""One batch on its way, the newest state next, and no floods of messages."""

import json
from typing import Any

from lazydap_nvim.editor import APPLY, CHOOSE, MESSAGE, Editor
from lazydap_nvim.model import Model
from tests.unit.host.building import Clock, breakpoint_at, project


class Screen:
    """An editor that notes what it is sent."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.sent: list[tuple[str, tuple[Any, ...]]] = []
        self.editor = Editor(self.send, self.clock)

    def send(self, code: str, *arguments: Any) -> None:
        assert all(isinstance(argument, str | int) for argument in arguments)
        self.sent.append((code, arguments))

    def batches(self) -> list[dict[str, Any]]:
        return [json.loads(arguments[0]) for code, arguments in self.sent if code == APPLY]

    def lines(self) -> list[tuple[str, str]]:
        return [(arguments[0], arguments[1]) for code, arguments in self.sent if code == MESSAGE]


def model_with(line: int) -> Model:
    one = project(breakpoints=(breakpoint_at(line),))
    return Model(projects={one.root: one})


def drawn_line(batch: dict[str, Any]) -> int:
    return batch["breakpoints"][0]["line"]


def test_the_first_batch_is_full_and_later_ones_hold_what_changed() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, None)
    screen.editor.show(model_with(2))
    first, second = screen.batches()
    assert set(first) >= {"projects", "stops", "values", "breakpoints", "lists"}
    assert set(second) == {"generation", "breakpoints"}


def test_while_a_batch_is_on_its_way_only_the_newest_state_is_kept() -> None:
    screen = Screen()
    for line in range(1, 50):
        screen.editor.show(model_with(line))
    assert len(screen.batches()) == 1
    screen.editor.acknowledged(1, None)
    assert [drawn_line(batch) for batch in screen.batches()] == [1, 49]
    screen.editor.acknowledged(2, None)
    assert len(screen.batches()) == 2


def test_nothing_is_sent_when_nothing_has_changed() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, None)
    screen.editor.show(model_with(1))
    assert len(screen.batches()) == 1


def test_a_state_that_came_back_to_what_is_drawn_is_not_sent() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.show(model_with(2))
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, None)
    assert len(screen.batches()) == 1


def test_an_acknowledgement_of_an_older_batch_changes_nothing() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, None)
    screen.editor.show(model_with(2))
    screen.editor.show(model_with(3))
    screen.editor.acknowledged(1, None)
    assert len(screen.batches()) == 2


def test_a_silent_editor_gets_the_next_change_in_full_and_is_waited_for_longer() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.show(model_with(2))
    screen.clock.advance(1.9)
    assert len(screen.batches()) == 1
    screen.clock.advance(0.2)
    assert len(screen.batches()) == 2
    assert "projects" in screen.batches()[1]
    screen.editor.show(model_with(3))
    screen.clock.advance(3.8)
    assert len(screen.batches()) == 2
    screen.clock.advance(0.3)
    assert [drawn_line(batch) for batch in screen.batches()] == [1, 2, 3]


def test_a_silent_editor_to_which_nothing_happens_is_sent_nothing() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.clock.advance(600)
    assert len(screen.batches()) == 1
    screen.editor.show(model_with(2))
    assert "projects" in screen.batches()[1]


def test_a_batch_that_failed_is_told_once_and_the_next_one_is_full() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, "E5108")
    assert screen.lines() == [("drawing failed: E5108", "error")]
    assert len(screen.batches()) == 1
    screen.editor.show(model_with(2))
    assert "projects" in screen.batches()[1]


def test_what_happened_while_a_batch_failed_is_sent_at_once() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.show(model_with(2))
    screen.editor.acknowledged(1, "E5108")
    assert [drawn_line(batch) for batch in screen.batches()] == [1, 2]


def test_after_something_was_lost_the_next_batch_is_full() -> None:
    screen = Screen()
    screen.editor.show(model_with(1))
    screen.editor.acknowledged(1, None)
    screen.editor.forget()
    screen.editor.show(model_with(2))
    assert "projects" in screen.batches()[1]


def test_a_message_is_one_line() -> None:
    screen = Screen()
    screen.editor.say("two\nlines\tand a tab ", "warn")
    assert screen.lines() == [("two⏎lines and a tab", "warn")]


def test_the_same_line_is_said_once_a_second() -> None:
    screen = Screen()
    for _ in range(5):
        screen.editor.say("the program is running")
    assert len(screen.lines()) == 1
    screen.clock.advance(1.1)
    screen.editor.say("the program is running")
    assert len(screen.lines()) == 2


def test_a_flood_of_lines_is_counted_and_its_last_is_said_when_there_is_time() -> None:
    screen = Screen()
    for number in range(100):
        screen.editor.say(f"line {number}")
    assert len(screen.lines()) == 6
    screen.clock.advance(4)
    assert screen.lines()[6:] == [("line 99 (and 93 more: see :LazydapLog)", "info")]


def test_an_error_behind_a_flood_of_lines_is_said() -> None:
    screen = Screen()
    for number in range(6):
        screen.editor.say(f"line {number}")
    screen.editor.say("nothing was launched", "error")
    screen.editor.say("and that is that")
    screen.clock.advance(4)
    assert screen.lines()[6:] == [("nothing was launched (and 1 more: see :LazydapLog)", "error")]


def test_a_choice_is_one_json_text() -> None:
    screen = Screen()
    screen.editor.choose(3, "Launch", ["a", "b\nc"])
    [(code, arguments)] = screen.sent
    assert code == CHOOSE
    assert json.loads(arguments[0]) == {"token": 3, "title": "Launch", "items": ["a", "b⏎c"]}
