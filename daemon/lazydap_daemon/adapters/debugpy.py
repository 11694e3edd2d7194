"""Owns everything peculiar to debugpy; knows nothing of sessions.

The adapter runs under our own interpreter, which ships debugpy, the program under the one that was found for it.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lazydap_core.domain.words import pause_reason
from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_daemon.adapters import debugpy_folders as folders
from lazydap_daemon.adapters.debugpy_logpoints import forgiving
from lazydap_daemon.adapters.hits import read_hit_condition
from lazydap_daemon.adapters.ordinary import Ordinary, is_relayed, relay_command
from lazydap_daemon.adapters.plan import (
    AttachTarget,
    LaunchPlan,
    Normalised,
    split_environment,
)
from lazydap_daemon.dap.messages import Capabilities, ExceptionFilter, StackFrame, StoppedBody, Variable

ADAPTER: Final = Path(__file__).with_name("debugpy_adapter.py")
"""Never imported here: it would load debugpy into the daemon."""

WITHHELD: Final = frozenset({"DEBUGPY_ADAPTER_ENDPOINTS"})
"""Variables that the adapter would take for its own: a terminal inside another editor's debug session sets them."""

UNCAUGHT: Final = "uncaught"

_POLLUTION: Final = re.compile(r"\s+\(note: full exception trace is shown but execution is paused at: .*", re.DOTALL)
_DEBUGGER_OUTPUT: Final = re.compile(r"\d+\.\d+s - Debugger warning: |Attaching to PID: \d+ \(elapsed")
_CONDITION_TROUBLE: Final = re.compile(
    r"pydevd: Error while evaluating expression in conditional breakpoint: .*^(?P<why>\S[^\n]*)\n*\Z",
    re.DOTALL | re.MULTILINE,
)


class DebugpyDriver(Ordinary):
    """The driver of `debugpy.adapter`; `interpreter` runs the program, our own where it is None."""

    program: str = "debugpy"
    adapter_id: str = "debugpy"
    pages_variables: bool = False
    first_threads_are_old: bool = False
    has_launcher: bool = True
    injects: bool = True
    jumps_blindly: bool = True
    default_filters: frozenset[str] = frozenset({UNCAUGHT})
    known_filters: tuple[ExceptionFilter, ...] = (
        ExceptionFilter(
            filter="raised", label="Raised Exceptions", description="Break whenever any exception is raised."
        ),
        ExceptionFilter(
            filter=UNCAUGHT,
            label="Uncaught Exceptions",
            description="Break when the process is exiting due to unhandled exception.",
        ),
        ExceptionFilter(
            filter="userUnhandled",
            label="User Uncaught Exceptions",
            description="Break when exception escapes into library code.",
        ),
    )
    # By itself it takes a condition that fails for one that does not hold, and tells of it only sometimes.
    settings: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("setDebuggerProperty", {"skipSuspendOnBreakpointException": (), "skipPrintBreakpointException": ()}),
    )

    def __init__(self, *, interpreter: str | None) -> None:
        self._interpreter = interpreter or sys.executable

    @property
    def adapter_command(self) -> str:
        """See `Driver.adapter_command`: the program's interpreter."""
        return self._interpreter

    def check(self, plan: LaunchPlan) -> None:
        """A missing program is no error to debugpy: it launches, and the traceback comes as the program's output."""
        if plan.options.module is None and not Path(plan.cwd, plan.program).is_file():
            raise InvalidLaunchConfig(
                f"{plan.program} is no file: give the path of a Python program", path=plan.program
            )

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """See `Driver.command`: by way of `debugpy_adapter`, ignoring `PYTHON*` and the files beside the script."""
        if plan.target is not None and is_relayed(plan):
            return relay_command(plan.target)
        return (sys.executable, "-E", "-P", str(ADAPTER))

    def environment(self, plan: LaunchPlan) -> dict[str, str]:
        """See `Driver.environment`."""
        return split_environment(plan, WITHHELD)[0]

    def launch_arguments(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Driver.launch_arguments`."""
        options = plan.options
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "python",
            "request": "launch",
            "python": [self._interpreter],
            "args": list(plan.args),
            "env": split_environment(plan, WITHHELD)[1],
            "console": "internalConsole" if plan.terminal is None else "integratedTerminal",
            "stopOnEntry": plan.stop_on_entry,
            "justMyCode": bool(options.just_my_code),
            # A child process would wait for ever for somebody to attach to it.
            "subProcess": False,
            "redirectOutput": plan.terminal is None,
            "showReturnValue": True,
            # Ending a program is no failure of it, whatever the code: `sys.exit(3)` is not to stop as uncaught.
            "breakOnSystemExit": [],
        }
        if options.module is None:
            arguments["program"] = plan.program
        else:
            arguments["module"] = options.module
        if plan.cwd:
            arguments["cwd"] = plan.cwd
        if options.source_map:
            arguments["pathMappings"] = _path_mappings(options.source_map)
        return arguments

    def exception_words(self, text: str) -> str:
        """Without the remark on an uncaught exception that is really told after the fact."""
        return _POLLUTION.sub("", text).strip()

    def attach_arguments(self, plan: LaunchPlan, target: AttachTarget) -> dict[str, Any]:
        """See `Driver.attach_arguments`: into a process with the help of gdb, or to one that listens for us."""
        if target.wait_for is not None:
            raise Unsupported("debugpy cannot wait for a process by its name: attach by its id", adapter=self.program)
        if plan.stop_on_entry:
            raise Unsupported("debugpy cannot stop a program when it attaches: pause it then", adapter=self.program)
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "python",
            "request": "attach",
            "justMyCode": bool(plan.options.just_my_code),
            "subProcess": False,
            "redirectOutput": True,
            "showReturnValue": True,
        }
        if target.pid is not None:
            arguments["processId"] = target.pid
        else:
            arguments["connect"] = {"host": target.host, "port": target.port}
        if plan.options.source_map:
            arguments["pathMappings"] = _path_mappings(plan.options.source_map)
        return arguments

    def normalise_stop(
        self,
        body: StoppedBody,
        *,
        entry_expected: bool,
        pause_outstanding: bool,
        step_thread: int | None,
    ) -> Normalised:
        """debugpy's words are lazydap's; only an exception's text needs work."""
        del entry_expected, pause_outstanding, step_thread
        return Normalised(
            reason=pause_reason(body.reason),
            thread_id=body.thread_id,
            text=_exception_text(body) if body.reason == "exception" else None,
            hit_ids=body.hit_breakpoint_ids or (),
            # What Python cannot read, or find, never began.
            may_be_placeless=body.reason == "exception",
        )

    def hit_condition(self, text: str, *, is_conditional: bool = False) -> str | None:
        """Always with an operator: a bare N would mean exactly the Nth hit. Beside a condition either would do."""
        wanted = read_hit_condition(text)
        if is_conditional and wanted.is_always:
            return None
        if is_conditional:
            raise Unsupported(f"debugpy cannot count {text!r} beside a condition: keep one of the two")
        return f"{wanted.comparison}{wanted.count}"

    def log_message(self, text: str) -> str:
        """An expression that fails would be told in place of the whole text."""
        return forgiving(text)

    def condition_trouble(self, narration: str) -> str | None:
        """The last line of a traceback."""
        told = _CONDITION_TROUBLE.search(narration)
        return told["why"] if told else None

    def is_folder(self, row: Variable) -> bool:
        """See `Driver.is_folder`."""
        return folders.is_folder(row)

    def holds_values(self, folder: Variable, rows: Sequence[Variable], locals_of: StackFrame | None) -> bool:
        """See `Driver.holds_values`."""
        return folders.holds_values(folder, rows, locals_of)

    def with_values(
        self, rows: Sequence[Variable], held: Sequence[Variable], locals_of: StackFrame | None
    ) -> tuple[Variable, ...]:
        """See `Driver.with_values`."""
        return folders.with_values(rows, held, is_local=locals_of is not None)

    def is_program_output(self, category: str | None, text: str) -> bool:
        """Its two streams, without what the debugger itself writes to them."""
        return category in {"stdout", "stderr"} and _DEBUGGER_OUTPUT.match(text) is None

    def pid_in_output(self, text: str) -> int | None:
        """A `process` event tells it."""
        del text

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """References live until the program moves."""
        del capabilities
        return False

    def keeps_debuggee(self, capabilities: Capabilities, *, is_attached: bool) -> bool:
        """Never a launched one: its launcher kills it, and `terminateDebuggee: false` is not answered."""
        del capabilities
        return is_attached


def _exception_text(body: StoppedBody) -> str | None:
    parts = [_POLLUTION.sub("", part).strip() for part in (body.text, body.description) if part]
    return ": ".join(part for part in parts if part) or None


def _path_mappings(source_map: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"remoteRoot": remote, "localRoot": local} for remote, local in source_map.items()]
