"""Owns everything peculiar to lldb-dap (lldb-vscode before LLVM 18); knows nothing of sessions."""

import re
import sys
from typing import Any, Final

from lazydap_core.discovery.rust import COMMANDS, SCRIPT
from lazydap_core.domain.words import pause_reason
from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.hits import read_hit_condition
from lazydap_daemon.adapters.lldb import Lldb
from lazydap_daemon.adapters.plan import (
    LLDB_INTERRUPT_KEY,
    AttachTarget,
    LaunchPlan,
    Normalised,
    split_environment,
)
from lazydap_daemon.dap.messages import Capabilities, ExceptionFilter, Module, StoppedBody

SCREEN: Final = ("COLUMNS", "LINES")
"""Variables that LLDB gives to every program, whatever its client has."""

WITHHELD: Final = frozenset({"PYTHONHOME", "PYTHONPATH", "LLDB_DEBUGSERVER_PATH", *SCREEN})
"""Variables that reach the program by way of the launch alone: those that would disturb the Python inside LLDB or
choose another lldb-server, and those that LLDB overwrites."""

INTERRUPT_SECONDS: Final = 3
"""How long LLDB waits for a program that it has interrupted. One that meets a breakpoint in that very moment is waited
for in vain, by itself for 20 s, and lldb-dap answers nothing meanwhile."""

FIRST_WITH_LASTING_SCOPES: Final = 22
"""The LLVM version from which references of scopes are not used again within a stop."""

_VERSION: Final = re.compile(r"(?:lldb(?:-\w+)?|LLDB) version (\d+)\.")
_LOCATION: Final = re.compile(r"(?<![-.\d])(\d+)\.\d+\b")
_CONDITION_TROUBLE: Final = re.compile(
    r"stopped due to an error evaluating condition of breakpoint .*^error: (?:<[^>\n]*>:\d+:\d+: )?(?P<why>[^\n]+)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
# A pause that meets LLDB at work (loading libraries, stepping over a breakpoint of its own) is reported as that.
_INTERNAL_STEP: Final = "trace"
_TOO_EARLY: Final = ("Process is not running", "Halt timed out")
_PLAIN_STOPS: Final = frozenset({"breakpoint", "step", "entry", "pause", "goto"})


class LldbDapDriver(Lldb):
    """The driver of lldb-dap over standard input and output.

    `executable` is how it is started, `formatters` the folder of what shows the types of the program's language.
    """

    program: str = "lldb-dap"
    adapter_id: str = "lldb-dap"
    pages_variables: bool = True
    first_threads_are_old: bool = True
    # Crashes stop the program without any.
    default_filters: frozenset[str] = frozenset()
    known_filters: tuple[ExceptionFilter, ...] = (
        ExceptionFilter(filter="cpp_catch", label="C++ Catch", supports_condition=True),
        ExceptionFilter(filter="cpp_throw", label="C++ Throw", supports_condition=True),
    )

    def __init__(self, *, executable: tuple[str, ...], formatters: str | None = None) -> None:
        self._executable = executable
        self._formatters = formatters

    @property
    def adapter_command(self) -> str:
        """See `Driver.adapter_command`."""
        return self._executable[0]

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """See `Driver.command`: without the user's `~/.lldbinit`; up to 21 that option is not known, and read over."""
        del plan
        return (*self._executable, "--no-lldbinit")

    def environment(self, plan: LaunchPlan) -> dict[str, str]:
        """See `Driver.environment`."""
        return split_environment(plan, WITHHELD)[0]

    def launch_arguments(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Driver.launch_arguments`."""
        added = split_environment(plan, WITHHELD)[1]
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "lldb-dap",
            "request": "launch",
            "program": plan.program,
            "args": list(plan.args),
            # The list form: up to 19 an object is read over without a word.
            "env": [f"{name}={value}" for name, value in added.items()],
            "stopOnEntry": plan.stop_on_entry,
            # Switching it off needs a system call that containers commonly forbid; the launch would fail.
            "disableASLR": False,
        }
        settings: list[str] = []
        if unwanted := [name for name in SCREEN if name not in added]:
            settings.append("target.unset-env-vars " + " ".join(unwanted))
        if plan.terminal is None:
            # What nobody can type into is empty: a program that reads must not wait for ever.
            settings.append("target.input-path /dev/null")
        arguments["initCommands"] = [*_settings(*settings), *self._showing()]
        if plan.terminal is not None:
            arguments["runInTerminal"] = True
            arguments["postRunCommands"] = [f"?{LLDB_INTERRUPT_KEY}"]
        if plan.cwd:
            arguments["cwd"] = plan.cwd
        if plan.options.source_map:
            arguments["sourceMap"] = [[remote, local] for remote, local in plan.options.source_map.items()]
        return arguments

    def attach_settings(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Lldb.attach_settings`."""
        arguments: dict[str, Any] = {"initCommands": [*_settings(), *self._showing()]}
        if plan.options.source_map:
            arguments["sourceMap"] = [[remote, local] for remote, local in plan.options.source_map.items()]
        return arguments

    def behind_port(self, target: AttachTarget) -> dict[str, Any]:
        """See `Lldb.behind_port`."""
        return {"gdb-remote-hostname": target.host, "gdb-remote-port": target.port}

    def _showing(self) -> list[str]:
        if self._formatters is None:
            return []
        return [
            f'?command script import "{self._formatters}/{SCRIPT}"',
            f'?command source -s 1 "{self._formatters}/{COMMANDS}"',
        ]

    def normalise_stop(
        self,
        body: StoppedBody,
        *,
        entry_expected: bool,
        pause_outstanding: bool,
        step_thread: int | None,
    ) -> Normalised:
        """LLDB stops a program by SIGSTOP; whether that was a pause or the entry, only the requests tell."""
        del step_thread
        own, hit_ids = pause_reason(body.reason), _hit_ids(body)
        reason = own
        if own == "exception" and _is_sigstop(body.description):
            reason = "pause" if pause_outstanding else "entry" if entry_expected else own
        elif pause_outstanding and not hit_ids and (own == "breakpoint" or body.description == _INTERNAL_STEP):
            reason = "pause"
        return Normalised(
            reason=reason,
            raw_reason=body.reason if reason != own else None,
            thread_id=body.thread_id,
            text=body.description if reason not in _PLAIN_STOPS else None,
            hit_ids=hit_ids,
        )

    def is_stopped_by_signal(self, body: StoppedBody) -> bool:
        """As it describes the stop."""
        return body.reason == "exception" and _is_sigstop(body.description)

    def refuses_only_for_now(self, command: str, text: str) -> bool:
        """`continue` is answered before the program runs, and LLDB stops it for itself while libraries are loaded."""
        return command == "pause" and any(words in text for words in _TOO_EARLY)

    def watched(self, expression: str) -> str:
        """It watches what an expression points to."""
        return f"&({expression})"

    def assignment(self, expression: str, value: str) -> str | None:
        """See `Driver.assignment`: as the language has it."""
        return f"{expression} = {value}"

    def hit_condition(self, text: str, *, is_conditional: bool = False) -> str:
        """A bare integer, "from that hit on"; whatever else it is given it takes for "always"."""
        del is_conditional
        wanted = read_hit_condition(text)
        if wanted.comparison == ">=":
            return str(max(wanted.count, 1))
        if wanted.comparison == ">":
            return str(wanted.count + 1)
        raise Unsupported(f"lldb-dap cannot count {text!r}: it knows only a number and >= or > before one")

    def condition_trouble(self, narration: str) -> str | None:
        """The compiler's first complaint, which comes behind the stop, a line at a time."""
        told = _CONDITION_TROUBLE.search(narration)
        return told["why"] if told else None

    def has_debug_info(self, module: Module) -> bool | None:
        """Nothing but the size tells; on macOS the information lies in other files than the program."""
        return module.debug_info_size is not None if sys.platform == "linux" else None

    def pid_in_output(self, text: str) -> int | None:
        """A `process` event tells it."""
        del text

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """Up to 21 there is one set of references, for whichever frame was asked last."""
        version = major_version(capabilities)
        return version is None or version < FIRST_WITH_LASTING_SCOPES


def _settings(*more: str) -> list[str]:
    # The question mark keeps a command that succeeds out of the output.
    settings = (f"target.process.interrupt-timeout {INTERRUPT_SECONDS}", *more)
    return [f"?settings set {setting}" for setting in settings]


def major_version(capabilities: Capabilities) -> int | None:
    """The LLVM version that the adapter names in its answer to `initialize`; None where it names none."""
    match capabilities.lldb_version or capabilities.old_lldb_version:
        case {"version": str(text)} | str(text):
            found = _VERSION.search(text)
            return int(found[1]) if found else None
        case _:
            return None


def _is_sigstop(description: str | None) -> bool:
    # LLVM 14 gives no description at all, and stops so for nothing else that has none.
    return description is None or "SIGSTOP" in description


def _hit_ids(body: StoppedBody) -> tuple[int, ...]:
    # LLDB counts breakpoints of its own, at which it loads libraries, downwards from -1.
    if body.hit_breakpoint_ids is not None:
        return tuple(number for number in body.hit_breakpoint_ids if number >= 0)
    if body.reason != "breakpoint" or body.description is None:
        return ()
    # Up to 16 the ids stand only in the text: "breakpoint 1.1 2.1".
    return tuple(int(number) for number in _LOCATION.findall(body.description))
