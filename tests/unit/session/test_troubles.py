"""Which breakpoint an adapter's complaint about a condition belongs to, in whatever order it is told."""

from collections.abc import Sequence

import pytest

from lazydap_daemon.adapters.codelldb import CodelldbDriver
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.session.troubles import Troubles

LLDB = [
    'error: stopped due to an error evaluating condition of breakpoint 1.1: "nosuch > 1"\n',
    "Couldn't parse conditional expression:\n",
    "Expression evaluation in pure C not supported. Ran expression as 'ISO C++'.\n",
    "error: <user expression 0>:1:1: use of undeclared identifier 'nosuch'\n",
    "    1 | nosuch > 1\n",
]
PYTHON = (
    "pydevd: Error while evaluating expression in conditional breakpoint: nosuch > 1\n"
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
    "NameError: name 'nosuch' is not defined\n\n"
)


class Told:
    """What was told of which breakpoints."""

    def __init__(self, driver: CodelldbDriver | DebugpyDriver | LldbDapDriver) -> None:
        self.words: list[tuple[Sequence[int], str]] = []
        self.troubles = Troubles(driver.condition_trouble, lambda ids, words: self.words.append((ids, words)))


def test_words_that_come_line_by_line_behind_the_stop_are_those_of_its_breakpoint() -> None:
    told = Told(LldbDapDriver(executable=("lldb-dap",)))
    told.troubles.met((4,))
    for line in LLDB:
        told.troubles.narrated(line)
    assert set(told.words[-1:]) == {((4,), "the condition cannot be tried: use of undeclared identifier 'nosuch'")}


@pytest.mark.parametrize("line", LLDB[:3])
def test_the_beginning_of_what_lldb_says_is_no_reason_yet(line: str) -> None:
    assert LldbDapDriver(executable=("lldb-dap",)).condition_trouble(line) is None


def test_words_before_the_stop_are_those_of_the_breakpoint_that_stops() -> None:
    told = Told(DebugpyDriver(interpreter=None))
    told.troubles.narrated(PYTHON)
    assert told.words == []
    told.troubles.met((0,))
    assert told.words == [((0,), "the condition cannot be tried: NameError: name 'nosuch' is not defined")]


def test_words_about_what_is_being_set_are_those_of_what_was_set() -> None:
    told = Told(CodelldbDriver(executable=("codelldb",)))
    told.troubles.narrated("Could not parse breakpoint condition: unexpected end\n")
    told.troubles.met((7,))
    assert told.words == [((7,), "the condition cannot be tried: unexpected end")]


def test_what_was_said_of_one_stop_is_forgotten_when_the_program_goes_on() -> None:
    told = Told(DebugpyDriver(interpreter=None))
    told.troubles.narrated(PYTHON)
    told.troubles.begin()
    told.troubles.met((1,))
    assert told.words == []


def test_the_reason_of_a_stop_is_no_trouble() -> None:
    assert CodelldbDriver(executable=("codelldb",)).condition_trouble("Stop reason: signal SIGSTOP\n") is None
