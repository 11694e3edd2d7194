"""Owns everything peculiar to codelldb but its log points; knows nothing of sessions (doc/adapters.md, "codelldb")."""

import re
from pathlib import Path
from typing import Any, Final

from lazydap_core.domain.words import pause_reason
from lazydap_daemon.adapters.hits import read_hit_condition
from lazydap_daemon.adapters.lldb import Lldb
from lazydap_daemon.adapters.logpoints import harmless
from lazydap_daemon.adapters.plan import (
    LLDB_INTERRUPT_KEY,
    AttachTarget,
    LaunchPlan,
    Normalised,
    client_environment,
    start_directory,
)
from lazydap_daemon.adapters.reaching import CallsBack, Listens, StandardStreams, Transport
from lazydap_daemon.adapters.rust_programs import is_rust
from lazydap_daemon.dap.messages import Capabilities, ExceptionFilter, Module, StackFrame, StoppedBody, Variable

EXIT_GRACE: Final = 0.5
"""It ends within 0.15 s of the end of its stream, or never: then only a signal helps."""

WITHHELD: Final = frozenset({"CODELLDB_STARTUP", "LLDB_DEBUGSERVER_PATH", "RUST_LOG", "COLUMNS", "LINES"})
"""Variables that the adapter would take for its own, beside every one of Python, which is embedded in it."""

WITHHELD_PREFIX: Final = "PYTHON"

PREPARATION: Final = (
    # The program gets the environment that the launch names, whole, and not what the adapter makes of its own.
    "settings set target.inherit-env false",
    # Switching it off needs a system call that containers commonly forbid; the launch would fail.
    "settings set target.disable-aslr false",
)
"""LLDB commands that run before the program is looked at."""

AFTERTHOUGHT: Final = ("settings set target.process.interrupt-timeout 3",)
"""LLDB commands that run when there is a process, and fail no launch where they fail.

A program that is interrupted (a pause, or a breakpoint set while it runs) in the moment in which it meets a breakpoint
is waited for in vain, by itself for 20 s: longer than an answer is waited for here.
"""

LONGEST_READING: Final = 30.0
"""It gives all rows, whatever is asked: 100,000 of Rust's take 20 s."""

TIMED_OUT: Final = "[timed out]"
"""What stands in place of the rows that took it too long."""

PANIC_FILTER: Final = "rust_panic"

_USAGE: Final = frozenset({1, 2})
_LAUNCHED: Final = re.compile(r"(?:Launched process|Attached to process) (\d+)\b")
_NATIVE: Final = re.compile(r"\s*/nat\b")
_STOP_REASON: Final = "Stop reason: "
_UNREADABLE: Final = "Could not parse breakpoint condition: "
_SYMBOLS: Final = {"Source debug info": True, "Public symbols only": False}
_PLAIN_STOPS: Final = frozenset({"breakpoint", "step", "entry", "pause", "goto"})


class CodelldbDriver(Lldb):
    """The driver of codelldb; `executable` is how it is started."""

    program: str = "codelldb"
    adapter_id: str = "lldb"
    pages_variables: bool = False
    first_threads_are_old: bool = False
    # Never standard streams where something better is known: any script that prints would print into the conversation.
    transports: tuple[Transport, ...] = (
        CallsBack(("--connect", "{port}", "--auth-token", "{token}")),
        Listens(("--port", "0")),
        StandardStreams(),
    )
    exit_grace: float | None = EXIT_GRACE
    hangs_unlaunched: bool = True
    answers_in_turn: bool = True
    loses_events: bool = True
    longest_reading: float | None = LONGEST_READING
    # With 0, and with a start but no count, the answer is empty.
    all_levels: int = 2**31 - 1
    no_thread: int | None = 0
    expensive_scopes: frozenset[str] = frozenset({"Global", "Registers"})
    # No signal tells of a panic; an uncaught C++ exception stops the program by itself.
    default_filters: frozenset[str] = frozenset({PANIC_FILTER})
    known_filters: tuple[ExceptionFilter, ...] = (
        ExceptionFilter(filter="cpp_throw", label="C++: on throw", supports_condition=True),
        ExceptionFilter(filter="cpp_catch", label="C++: on catch", supports_condition=True),
        ExceptionFilter(filter=PANIC_FILTER, label="Rust: on panic", supports_condition=True),
    )

    def __init__(self, *, executable: tuple[str, ...]) -> None:
        self._executable = executable

    @property
    def adapter_command(self) -> str:
        """See `Driver.adapter_command`."""
        return self._executable[0]

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """See `Driver.command`."""
        del plan
        return self._executable

    def lacks(self, transport: Transport, status: int, stderr: str) -> bool:
        """It exits with the usage of its options, and names the one that it does not know."""
        match transport:
            case CallsBack(arguments) | Listens(arguments):
                return status in _USAGE and any(word in stderr for word in arguments if word.startswith("--"))
            case StandardStreams():
                return False

    def is_chatter(self, line: str) -> bool:
        """The advice that Rust prints below each panic."""
        return line.startswith("note: ")

    def environment(self, plan: LaunchPlan) -> dict[str, str]:
        """See `Driver.environment`: without what it would take for its own, and without what it would choke on."""
        return {
            name: value
            for name, value in client_environment(plan).items()
            if name not in WITHHELD and not name.startswith(WITHHELD_PREFIX) and _is_unicode(name + value)
        }

    def directory(self, plan: LaunchPlan) -> str:
        """See `Driver.directory`: the project, which also decides which Rust toolchain is asked for its formatters."""
        return plan.root if plan.root and Path(plan.root).is_dir() else start_directory(plan)

    def launch_arguments(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Driver.launch_arguments`."""
        environment = client_environment(plan) | dict(plan.env)
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "lldb",
            "request": "launch",
            "program": plan.program,
            "args": list(plan.args),
            "env": {name: value for name, value in environment.items() if _is_unicode(name + value)},
            "stopOnEntry": plan.stop_on_entry,
            # The device, which needs no helper and no request.
            "terminal": "console" if plan.terminal is None else plan.terminal.path,
            "relativePathBase": plan.root or start_directory(plan),
            "sourceLanguages": _languages(plan),
            "initCommands": list(PREPARATION),
            "postRunCommands": [*AFTERTHOUGHT, *([] if plan.terminal is None else [LLDB_INTERRUPT_KEY])],
            # Only where this key is present does LLDB confirm its own questions.
            "_adapterSettings": {"consoleMode": "evaluate"},
        }
        if plan.cwd:
            arguments["cwd"] = plan.cwd
        if plan.options.source_map:
            arguments["sourceMap"] = dict(plan.options.source_map)
        return arguments

    def attach_settings(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Lldb.attach_settings`."""
        arguments: dict[str, Any] = {
            "relativePathBase": plan.root or start_directory(plan),
            "sourceLanguages": _languages(plan),
            "initCommands": list(PREPARATION),
            "postRunCommands": list(AFTERTHOUGHT),
            "_adapterSettings": {"consoleMode": "evaluate"},
        }
        if plan.options.source_map:
            arguments["sourceMap"] = dict(plan.options.source_map)
        return arguments

    def behind_port(self, target: AttachTarget) -> dict[str, Any]:
        """See `Lldb.behind_port`; without any name LLDB refuses a target, what runs there tells its own."""
        return {
            "targetCreateCommands": ['target create ""'],
            "processCreateCommands": [f"gdb-remote {target.host}:{target.port}"],
        }

    def thrown_type(self, frame: StackFrame) -> str | None:
        """See `Driver.thrown_type`: by LLDB's own parser."""
        expression = super().thrown_type(frame)
        return None if expression is None else f"/nat {expression}"

    def normalise_stop(
        self,
        body: StoppedBody,
        *,
        entry_expected: bool,
        pause_outstanding: bool,
        step_thread: int | None,
    ) -> Normalised:
        """A signal stands for entry, pause and the end of a step; only the requests tell them apart."""
        own, description = pause_reason(body.reason), body.description or ""
        reason = own
        if self.is_stopped_by_signal(body):
            reason = "pause" if pause_outstanding else "entry" if entry_expected else own
        elif own == "exception" and description.startswith("signal SIGTRAP") and step_thread is not None:
            reason = "step"
        elif own == "step" and step_thread is None and pause_outstanding:
            # A step that a breakpoint had interrupted came to its end before the pause; it is the pause's end as well.
            reason = "pause"
        thread_id = step_thread if reason == "step" and step_thread is not None else body.thread_id
        return Normalised(
            reason=reason,
            raw_reason=body.reason if reason != own else None,
            thread_id=thread_id,
            adapter_thread_id=body.thread_id if body.thread_id != thread_id else None,
            text=description or None if reason not in _PLAIN_STOPS else None,
            hit_ids=body.hit_breakpoint_ids or (),
            is_refresh=not body.reason,
        )

    def is_stopped_by_signal(self, body: StoppedBody) -> bool:
        """As it describes the stop, whoever has sent the signal."""
        return body.reason == "exception" and (body.description or "").startswith("signal SIGSTOP")

    def hidden_error(self, value: str) -> str | None:
        """Only this one mark: other texts in angle brackets are values (`<null>`, `<read memory from … failed>`)."""
        return value if value.startswith("<error:") and value.endswith(">") else None

    def is_cut(self, row: Variable) -> bool:
        """See `Driver.is_cut`."""
        return TIMED_OUT in (row.name, row.value) and not row.variables_reference

    def assignment(self, expression: str, value: str) -> str | None:
        """See `Driver.assignment`: by LLDB's own parser, the others only read."""
        return f"/nat {expression.removeprefix('/nat ')} = {value}"

    def hit_condition(self, text: str, *, is_conditional: bool = False) -> str:
        """It counts all that lazydap counts, and takes anything else for "always"."""
        del is_conditional
        wanted = read_hit_condition(text)
        return f"{wanted.comparison}{wanted.count}"

    def log_message(self, text: str) -> str:
        """An expression that its parser refuses ends the adapter, and the program with it."""
        return harmless(text)

    def condition_trouble(self, narration: str) -> str | None:
        """Whatever it complains of: a condition that it cannot read when it is set, one that fails before the stop."""
        told = [line for line in narration.splitlines() if line.strip() and not line.startswith(_STOP_REASON)]
        return told[-1].removeprefix(_UNREADABLE) if told else None

    def condition_sticks(self, condition: str | None) -> bool:
        """LLDB's own conditions stay until the breakpoint is taken away."""
        return condition is not None and _NATIVE.match(condition) is not None

    def has_debug_info(self, module: Module) -> bool | None:
        """As it says in words."""
        return _SYMBOLS.get(module.symbol_status or "")

    def pid_in_output(self, text: str) -> int | None:
        """There is no `process` event, only the narration of the launch."""
        told = _LAUNCHED.match(text)
        return int(told[1]) if told else None

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """References live until the program moves."""
        del capabilities
        return False


def _languages(plan: LaunchPlan) -> list[str]:
    """Rust's formatters only where there is Rust: without a toolchain, asking for them brings a complaint."""
    return ["rust", "cpp"] if is_rust(plan) else ["cpp"]


def _is_unicode(text: str) -> bool:
    """Whether Rust takes it for text: it panics over an environment that holds anything else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
