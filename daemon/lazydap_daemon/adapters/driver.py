"""Owns the list of drivers and what each of them must say; knows of an adapter only which driver speaks for it."""

from collections.abc import Callable
from typing import Any, Protocol

from lazydap_core.discovery.finding import Found
from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from lazydap_daemon.adapters.plan import LaunchPlan, Normalised
from lazydap_daemon.dap.messages import Capabilities, StoppedBody

__all__ = ["Driver", "LaunchPlan", "Normalised", "driver_for"]


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
    def first_threads_are_old(self) -> bool:
        """Whether the first answer to `threads` tells of the moment of the launch, however late it is asked."""
        ...

    def check(self, plan: LaunchPlan) -> None:
        """Raises InvalidLaunchConfig for what the adapter itself would not complain about."""
        ...

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """The adapter's argument list."""
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

    def exception_filters(self, capabilities: Capabilities) -> tuple[str, ...]:
        """The filters to set where nobody has chosen any."""
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

    def refuses_only_for_now(self, command: str, text: str) -> bool:
        """Whether a refusal of `command` with `text` passes within a moment: the same request is to be sent again."""
        ...

    def hidden_error(self, value: str) -> str | None:
        """The error that a successful evaluation hides in its value; None for a real value."""
        ...

    def hit_condition(self, text: str) -> str:
        """`text` as this adapter spells it. Raises Unsupported for what it cannot count."""
        ...

    def is_program_output(self, category: str | None, text: str) -> bool:
        """Whether the program wrote `text`, and not the adapter."""
        ...

    def pid_in_output(self, text: str) -> int | None:
        """The program's pid, where the adapter tells it only in its narration."""
        ...

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """True when the references of one frame's scopes die with the next `scopes` request."""
        ...

    def keeps_debuggee(self, capabilities: Capabilities) -> bool:
        """Whether a launched program can be left running."""
        ...


def driver_for(plan: LaunchPlan, found: Found) -> Driver:
    """The driver of the adapter that was found for `plan`. Raises Unsupported for a program without one."""
    drivers: dict[str, Callable[[Found], Driver]] = {
        "debugpy": lambda found: DebugpyDriver(interpreter=found.interpreter),
        "lldb-dap": lambda found: LldbDapDriver(executable=found.command),
    }
    driver = drivers.get(found.program)
    if driver is None:
        raise Unsupported(f"launches with {found.program} are not supported yet", adapter=plan.kind)
    return driver(found)
