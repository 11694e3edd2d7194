"""Owns the list of drivers and what each of them must say; knows of an adapter only which driver speaks for it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from lazydap_core.discovery.finding import Found
from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.codelldb import CodelldbDriver
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.delve import DelveDriver
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.adapters.ordinary import is_relayed
from lazydap_daemon.adapters.plan import AttachTarget, LaunchPlan, Normalised
from lazydap_daemon.adapters.reaching import Transport
from lazydap_daemon.adapters.scratch import Scratch
from lazydap_daemon.dap.messages import (
    Capabilities,
    ExceptionFilter,
    Module,
    StackFrame,
    StackTraceBody,
    StoppedBody,
    Thread,
    Variable,
)

__all__ = ["DRIVERS", "Driver", "LaunchPlan", "Normalised", "driver_for"]


class Driver(Protocol):
    """Everything peculiar to one adapter. Nothing here waits or touches the adapter; all can be asked at any time."""

    @property
    def program(self) -> str:
        """`debugpy`, `lldb-dap`, `codelldb` or `delve`."""
        ...

    @property
    def adapter_id(self) -> str:
        """The `adapterID` of `initialize`."""
        ...

    @property
    def adapter_command(self) -> str:
        """What a launch's `adapter_command` names: the adapter, for debugpy the program's interpreter."""
        ...

    @property
    def pages_variables(self) -> bool:
        """Whether `start` and `count` of a `variables` request are honoured without a filter."""
        ...

    @property
    def pages_indexed(self) -> bool:
        """Whether `start` and `count` are honoured for the indexed rows alone, asked for by that filter."""
        ...

    @property
    def first_threads_are_old(self) -> bool:
        """Whether the first answer to `threads` tells of the moment of the launch, however late it is asked."""
        ...

    @property
    def transports(self) -> tuple[Transport, ...]:
        """How the adapter is talked to, best first; each after the first is for versions that lack the one before."""
        ...

    @property
    def exit_grace(self) -> float | None:
        """Seconds in which it ends by itself, if at all, once its stream is closed; None for the usual time."""
        ...

    @property
    def hangs_unlaunched(self) -> bool:
        """Whether it never ends by itself before its launch is finished."""
        ...

    @property
    def has_launcher(self) -> bool:
        """Whether a child of the adapter starts the program, and nobody tells when that comes to nothing."""
        ...

    @property
    def injects(self) -> bool:
        """Whether another program is at work in the process that is attached to, until it is in."""
        ...

    @property
    def answers_in_turn(self) -> bool:
        """Whether a request that is not answered in time means that none will be, ever."""
        ...

    @property
    def longest_reading(self) -> float | None:
        """Seconds that all rows of a container may take, where it tells no size beforehand; None for the usual time."""
        ...

    @property
    def loses_events(self) -> bool:
        """Whether the end of the program may never be told."""
        ...

    @property
    def all_levels(self) -> int:
        """The `levels` of a `stackTrace` that mean all frames; 0 for leaving them out."""
        ...

    @property
    def pauses_by_signal(self) -> bool:
        """Whether a program is better stopped by SIGSTOP than by a `pause`."""
        ...

    @property
    def no_thread(self) -> int | None:
        """A thread id that names no thread: told where the threads are not known, and good enough for a pause."""
        ...

    @property
    def settings(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Requests about the adapter's own manners, sent before the breakpoints: commands and arguments."""
        ...

    @property
    def expensive_scopes(self) -> frozenset[str]:
        """Names of scopes that are not to be read unasked, although the adapter calls them cheap."""
        ...

    @property
    def entry_function(self) -> str | None:
        """The function that a first step leads to, where a program has no stack at its entry; None where it has one."""
        ...

    @property
    def exit_code_comes_last(self) -> bool:
        """Whether the exit code may be told only in answer to `disconnect`, after the end of the program."""
        ...

    @property
    def noise_is_output(self) -> bool:
        """Whether what the adapter's process prints, beside its conversation, is printed by the program."""
        ...

    @property
    def jumps_blindly(self) -> bool:
        """Whether a jump goes to that line of the file in which the program stands, whatever file was named."""
        ...

    @property
    def leaves_as_it_stands(self) -> bool:
        """Whether a program that is left keeps its breakpoints, and stands on if it stood."""
        ...

    @property
    def shares_terminal(self) -> bool:
        """Whether the adapter's process itself is to be run on the program's terminal, which the program inherits."""
        ...

    @property
    def scratch(self) -> Scratch | None:
        """A folder of this launch alone: made before the adapter is started, removed when nothing of it is left."""
        ...

    def check(self, plan: LaunchPlan) -> None:
        """Raises InvalidLaunchConfig for what the adapter itself would not complain about."""
        ...

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """The adapter's argument list, without those of its transport."""
        ...

    def lacks(self, transport: Transport, status: int, stderr: str) -> bool:
        """Whether an adapter that exited before it was connected did so because it does not know that transport."""
        ...

    def is_chatter(self, line: str) -> bool:
        """Whether a line of the adapter's standard error says nothing about why it ended."""
        ...

    def environment(self, plan: LaunchPlan) -> dict[str, str]:
        """The whole environment of the adapter's process."""
        ...

    def directory(self, plan: LaunchPlan) -> str:
        """Where the adapter's process is started."""
        ...

    def initialize_arguments(self) -> dict[str, Any]:
        """What the adapter is told about us."""
        ...

    def launch_arguments(self, plan: LaunchPlan) -> dict[str, Any]:
        """The `launch` request's arguments."""
        ...

    @property
    def known_filters(self) -> tuple[ExceptionFilter, ...]:
        """The exception filters that versions of this adapter have, told before it has said so itself."""
        ...

    @property
    def default_filters(self) -> frozenset[str]:
        """The filters that are on where nobody has chosen: what is uncaught stops the program, and nothing else."""
        ...

    def exception_words(self, text: str) -> str:
        """What the adapter tells of an exception, without what it says about itself."""
        ...

    def thrown_type(self, frame: StackFrame) -> str | None:
        """The expression for the type of the exception that is thrown there, where the adapter does not tell it."""
        ...

    def type_told(self, value: str) -> str | None:
        """The type, from the value of that expression."""
        ...

    def attach_arguments(self, plan: LaunchPlan, target: AttachTarget) -> dict[str, Any]:
        """The `attach` request's arguments. Raises Unsupported for a way that the adapter does not know."""
        ...

    def normalise_stop(
        self,
        body: StoppedBody,
        *,
        entry_expected: bool,
        pause_outstanding: bool,
        step_thread: int | None,
    ) -> Normalised:
        """The stop in lazydap's words, told from what was asked of the program."""
        ...

    def is_machinery(self, frame: StackFrame) -> bool:
        """Whether a frame belongs to the language itself, so that a stop in it is told by the frame that called."""
        ...

    def frame_total(self, start: int, body: StackTraceBody) -> int | None:
        """How many frames the stack has, told from an answer that begins at `start`; None where that is not known."""
        ...

    def selected_thread(self, threads: Sequence[Thread]) -> int | None:
        """The thread of a stop that names none; None where there are no threads."""
        ...

    def is_stopped_by_signal(self, body: StoppedBody) -> bool:
        """Whether that stop is one by SIGSTOP."""
        ...

    def refuses_only_for_now(self, command: str, text: str) -> bool:
        """Whether a refusal of `command` with `text` passes within a moment: the same request is to be sent again."""
        ...

    def watched(self, expression: str) -> str:
        """How an expression whose value is to be watched is named to this adapter."""
        ...

    def hidden_error(self, value: str) -> str | None:
        """The error that a successful evaluation hides in its value; None for a real value."""
        ...

    def is_cut(self, row: Variable) -> bool:
        """Whether a row is none, but says that the rest of its container is left out."""
        ...

    def is_folder(self, row: Variable) -> bool:
        """Whether a row is no value, but a folder in which the adapter has put some rows of their container."""
        ...

    def holds_values(self, folder: Variable, rows: Sequence[Variable], locals_of: StackFrame | None) -> bool:
        """Whether values like any other may be in a folder of a container with `rows`, the locals of a frame or not."""
        ...

    def with_values(
        self, rows: Sequence[Variable], held: Sequence[Variable], locals_of: StackFrame | None
    ) -> tuple[Variable, ...]:
        """`rows` and the values among what a folder held, in their order."""
        ...

    def assignment(self, expression: str, value: str) -> str | None:
        """The expression whose evaluation assigns, for adapters that know no `setExpression`; None where none does."""
        ...

    def hit_condition(self, text: str, *, is_conditional: bool = False) -> str | None:
        """`text` as this adapter spells it, beside a condition or alone; None for each hit.

        Beside a condition only those hits count for which it holds. Raises Unsupported for what it cannot count.
        """
        ...

    def log_message(self, text: str) -> str:
        """A log point's text as this adapter spells it. Raises Unsupported for what it must not be sent."""
        ...

    def condition_trouble(self, narration: str) -> str | None:
        """Why a condition could not be tried, where the adapter's narration tells that."""
        ...

    def condition_sticks(self, condition: str | None) -> bool:
        """Whether a breakpoint keeps that condition when it is sent again with another, or with none."""
        ...

    def has_debug_info(self, module: Module) -> bool | None:
        """Whether a loaded program has the lines of its source with it; None where the adapter does not tell."""
        ...

    def is_program_output(self, category: str | None, text: str) -> bool:
        """Whether the program wrote `text`, and not the adapter."""
        ...

    def pid_in_output(self, text: str) -> int | None:
        """The program's pid, where the adapter tells it only in its narration."""
        ...

    def launch_failure(self, text: str) -> str | None:
        """Why a launch is about to fail, where the adapter's narration alone tells it."""
        ...

    def exit_code_in_output(self, text: str) -> int | None:
        """The program's exit code, where the adapter's narration alone tells it."""
        ...

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """True when the references of one frame's scopes die with the next `scopes` request."""
        ...

    def keeps_debuggee(self, capabilities: Capabilities, *, is_attached: bool) -> bool:
        """Whether a program that was launched, or attached to, can be left running."""
        ...


def driver_for(plan: LaunchPlan, found: Found) -> Driver:
    """The driver of the adapter that was found for `plan`. Raises Unsupported for a program without one."""
    drivers: dict[str, Callable[[Found], Driver]] = {
        "codelldb": lambda found: CodelldbDriver(executable=found.command),
        "debugpy": lambda found: DebugpyDriver(interpreter=found.interpreter),
        "delve": lambda found: DelveDriver(executable=found.command, is_relayed=is_relayed(plan)),
        "lldb-dap": lambda found: LldbDapDriver(executable=found.command, formatters=found.formatters),
    }
    driver = drivers.get(found.program)
    if driver is None:
        raise Unsupported(f"launches with {found.program} are not supported yet", adapter=plan.kind)
    return driver(found)


DRIVERS: Final = {driver.program: driver for driver in (CodelldbDriver, DebugpyDriver, DelveDriver, LldbDapDriver)}
"""Every driver by its adapter's program, for what is true of the adapter before it is started."""
