"""Owns what is true of most adapters, so that a driver says only what is peculiar to its own."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lazydap_daemon.adapters.plan import INITIALIZE_ARGUMENTS, AttachTarget, LaunchPlan, start_directory
from lazydap_daemon.adapters.reaching import StandardStreams, Transport
from lazydap_daemon.adapters.scratch import Scratch
from lazydap_daemon.dap.messages import Module, StackFrame, StackTraceBody, StoppedBody, Thread, Variable

RELAY: Final = Path(__file__).with_name("relay.py")
"""Never imported here."""


def is_relayed(plan: LaunchPlan) -> bool:
    """Whether the adapter of the program runs already, and is reached by its port."""
    return plan.target is not None and plan.target.port is not None


def relay_command(target: AttachTarget) -> tuple[str, ...]:
    """What is started in place of an adapter that runs already."""
    return (sys.executable, "-E", "-P", str(RELAY), target.host, str(target.port))


class Ordinary:
    """The answers of `Driver` for an adapter without that peculiarity."""

    adapter_id: str
    transports: tuple[Transport, ...] = (StandardStreams(),)
    exit_grace: float | None = None
    hangs_unlaunched: bool = False
    has_launcher: bool = False
    injects: bool = False
    answers_in_turn: bool = False
    longest_reading: float | None = None
    loses_events: bool = False
    all_levels: int = 0
    no_thread: int | None = None
    pauses_by_signal: bool = False
    settings: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    expensive_scopes: frozenset[str] = frozenset()
    scratch: Scratch | None = None
    pages_indexed: bool = False
    entry_function: str | None = None
    exit_code_comes_last: bool = False
    noise_is_output: bool = False
    shares_terminal: bool = False
    leaves_as_it_stands: bool = False
    jumps_blindly: bool = False

    def check(self, plan: LaunchPlan) -> None:
        """See `Driver.check`: the adapter says itself what is wrong with a launch."""
        del plan

    def directory(self, plan: LaunchPlan) -> str:
        """See `Driver.directory`."""
        return start_directory(plan)

    def initialize_arguments(self) -> dict[str, Any]:
        """See `Driver.initialize_arguments`."""
        return {**INITIALIZE_ARGUMENTS, "adapterID": self.adapter_id}

    def refuses_only_for_now(self, command: str, text: str) -> bool:
        """See `Driver.refuses_only_for_now`: what is refused goes on being refused."""
        del command, text
        return False

    def hidden_error(self, value: str) -> str | None:
        """See `Driver.hidden_error`: what fails is refused."""
        del value

    def lacks(self, transport: Transport, status: int, stderr: str) -> bool:
        """See `Driver.lacks`."""
        del transport, status, stderr
        return False

    def is_chatter(self, line: str) -> bool:
        """See `Driver.is_chatter`."""
        del line
        return False

    def is_stopped_by_signal(self, body: StoppedBody) -> bool:
        """See `Driver.is_stopped_by_signal`."""
        del body
        return False

    def is_cut(self, row: Variable) -> bool:
        """See `Driver.is_cut`."""
        del row
        return False

    def is_folder(self, row: Variable) -> bool:
        """See `Driver.is_folder`."""
        del row
        return False

    def holds_values(self, folder: Variable, rows: Sequence[Variable], locals_of: StackFrame | None) -> bool:
        """See `Driver.holds_values`: there are no folders."""
        del folder, rows, locals_of
        return False

    def with_values(
        self, rows: Sequence[Variable], held: Sequence[Variable], locals_of: StackFrame | None
    ) -> tuple[Variable, ...]:
        """See `Driver.with_values`."""
        del locals_of
        return (*rows, *held)

    def assignment(self, expression: str, value: str) -> str | None:
        """See `Driver.assignment`."""
        del expression, value

    def log_message(self, text: str) -> str:
        """See `Driver.log_message`."""
        return text

    def condition_trouble(self, narration: str) -> str | None:
        """See `Driver.condition_trouble`."""
        del narration

    def condition_sticks(self, condition: str | None) -> bool:
        """See `Driver.condition_sticks`."""
        del condition
        return False

    def watched(self, expression: str) -> str:
        """See `Driver.watched`."""
        return expression

    def exception_words(self, text: str) -> str:
        """See `Driver.exception_words`."""
        return text

    def thrown_type(self, frame: StackFrame) -> str | None:
        """See `Driver.thrown_type`."""
        del frame

    def type_told(self, value: str) -> str | None:
        """See `Driver.type_told`."""
        return value

    def has_debug_info(self, module: Module) -> bool | None:
        """See `Driver.has_debug_info`."""
        del module

    def launch_failure(self, text: str) -> str | None:
        """See `Driver.launch_failure`."""
        del text

    def exit_code_in_output(self, text: str) -> int | None:
        """See `Driver.exit_code_in_output`."""
        del text

    def is_machinery(self, frame: StackFrame) -> bool:
        """See `Driver.is_machinery`."""
        del frame
        return False

    def frame_total(self, start: int, body: StackTraceBody) -> int | None:
        """See `Driver.frame_total`."""
        del start
        return body.total_frames

    def selected_thread(self, threads: Sequence[Thread]) -> int | None:
        """See `Driver.selected_thread`."""
        return threads[0].id if threads else None
