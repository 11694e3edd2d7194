"""A program is stopped once for each pause, and by nothing that is left of one."""

import signal

import psutil
import pytest

from lazydap_daemon.adapters.process import Debuggee
from lazydap_daemon.session.interrupt import Interrupt


class Program(Debuggee):
    """Keeps the signals that it is sent."""

    def __init__(self) -> None:
        super().__init__(psutil.Process())
        self.is_there = True
        self.signals: list[int] = []

    def signal(self, number: int) -> bool:
        self.signals.append(number)
        return self.is_there


@pytest.fixture
def program() -> Program:
    return Program()


def test_a_stop_by_the_signal_leaves_nothing(program: Program) -> None:
    interrupt = Interrupt()
    assert interrupt.send(program)
    interrupt.answered(by_signal=True)
    assert program.signals == [signal.SIGSTOP]


def test_a_signal_that_another_stop_has_overtaken_is_taken_back(program: Program) -> None:
    interrupt = Interrupt()
    interrupt.send(program)
    interrupt.answered(by_signal=False)
    interrupt.answered(by_signal=False)
    assert program.signals == [signal.SIGSTOP, signal.SIGCONT]


def test_two_pauses_that_one_stop_answers_leave_no_second_one(program: Program) -> None:
    interrupt = Interrupt()
    interrupt.send(program)
    interrupt.send(program)
    interrupt.answered(by_signal=True)
    assert program.signals == [signal.SIGSTOP, signal.SIGSTOP, signal.SIGCONT]


def test_a_program_that_is_let_go_is_not_stopped_afterwards(program: Program) -> None:
    interrupt = Interrupt()
    interrupt.send(program)
    interrupt.withdraw()
    assert program.signals == [signal.SIGSTOP, signal.SIGCONT]


def test_a_program_that_is_gone_is_not_waited_for(program: Program) -> None:
    program.is_there = False
    interrupt = Interrupt()
    assert not interrupt.send(program)
    interrupt.withdraw()
    assert program.signals == [signal.SIGSTOP]
