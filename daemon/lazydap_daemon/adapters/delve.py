"""Owns everything peculiar to delve but what is built for it; knows nothing of sessions (doc/adapters.md, "delve")."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from lazydap_core.domain.words import pause_reason
from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_daemon.adapters import go_programs
from lazydap_daemon.adapters.hits import read_hit_condition
from lazydap_daemon.adapters.log_texts import UnclosedBraceError, parts
from lazydap_daemon.adapters.ordinary import Ordinary, is_relayed, relay_command
from lazydap_daemon.adapters.plan import (
    AttachTarget,
    LaunchPlan,
    Normalised,
    client_environment,
    start_directory,
)
from lazydap_daemon.adapters.reaching import CallsBack, Listens, StandardStreams, Transport
from lazydap_daemon.adapters.scratch import Scratch
from lazydap_daemon.dap.messages import Capabilities, ExceptionFilter, StackFrame, StackTraceBody, StoppedBody, Thread

DEEPEST: Final = 10_000
"""Frames that are told of one stack: delve makes room for as many as it is asked for, however many there are."""

LONGEST_STRING: Final = 4096
"""Bytes of a string that are shown, followed by the number of those that are not."""

_ENDS_OF_STEPS: Final = frozenset({"error", "function_breakpoint"})
_SELECTED: Final = "* "
_RUNTIME: Final = "/src/runtime/"
_BUILDING: Final = re.compile(r"Building (?:tests of )?/")
_BUILD_ERROR: Final = re.compile(r"Build Error: [^\n]*\n(?P<said>.*?)\s*\((?P<why>[^()\n]*)\)\s*", re.DOTALL)
_EXITED: Final = re.compile(r"Process \d+ has exited with status (-?\d+)\s*")
_LOG_POINT: Final = re.compile(r"> \[Go \d+\]: ")


class DelveDriver(Ordinary):
    """The driver of `dlv dap`, for one launch; `executable` is how dlv is started."""

    program: str = "delve"
    adapter_id: str = "go"
    pages_variables: bool = False
    pages_indexed: bool = True
    first_threads_are_old: bool = False
    transports: tuple[Transport, ...] = (
        CallsBack(("--client-addr=127.0.0.1:{port}",), shows_token=False),
        Listens(("--listen=127.0.0.1:0",)),
    )
    # It waits for the compiler and hears nothing meanwhile.
    hangs_unlaunched: bool = True
    all_levels: int = DEEPEST
    no_thread: int | None = -1
    # Up to 1.26 there are none, and both stop all the same.
    default_filters: frozenset[str] = frozenset({"unrecovered-panic", "runtime-fatal-throw"})
    known_filters: tuple[ExceptionFilter, ...] = (
        ExceptionFilter(filter="unrecovered-panic", label="Unrecovered Panics"),
        ExceptionFilter(filter="runtime-fatal-throw", label="Fatal Throws"),
    )
    entry_function: str | None = "main.main"
    # Up to 1.26 there is no event of that name, only a line that `disconnect` makes it print.
    exit_code_comes_last: bool = True
    # Before 1.21.1 that is where output goes; later nothing comes there.
    noise_is_output: bool = True
    # It asks for none, and gives the program what it has itself.
    shares_terminal: bool = True

    def __init__(self, *, executable: tuple[str, ...], is_relayed: bool = False) -> None:
        self._executable = executable
        self.scratch: Scratch | None = Scratch("delve")
        # Behind a port, where somebody may come back to it.
        self.leaves_as_it_stands: bool = is_relayed
        if is_relayed:
            self.transports = (StandardStreams(),)

    @property
    def adapter_command(self) -> str:
        """See `Driver.adapter_command`."""
        return self._executable[0]

    def check(self, plan: LaunchPlan) -> None:
        """delve looks far away for what is missing, and tries to run what is built of a library."""
        path = go_programs.program_path(plan)
        if not path.exists():
            raise InvalidLaunchConfig(
                f"there is no {path}: name a Go file, a package's folder or a program", path=str(path)
            )
        if go_programs.mode_of(plan) == "exec" and plan.cwd and not Path(plan.cwd).is_dir():
            raise InvalidLaunchConfig(f"there is no folder {plan.cwd} to run {path.name} in", path=plan.cwd)
        mode = go_programs.mode_of(plan)
        library = go_programs.library_of(go_programs.build_target(path, mode)) if mode == "debug" else None
        if library is not None:
            raise InvalidLaunchConfig(
                f"{path.name} belongs to the package {library}, which is no program: launch one, or its _test.go file",
                path=str(path),
            )

    def command(self, plan: LaunchPlan) -> tuple[str, ...]:
        """See `Driver.command`."""
        if plan.target is not None and is_relayed(plan):
            return relay_command(plan.target)
        return (*self._executable, "dap")

    def lacks(self, transport: Transport, status: int, stderr: str) -> bool:
        """It names the option that it does not know."""
        del status
        return isinstance(transport, CallsBack) and "unknown flag: --client-addr" in stderr

    def environment(self, plan: LaunchPlan) -> dict[str, str]:
        """See `Driver.environment`: Go believes PWD, and finds no module from a link that leads there."""
        return client_environment(plan) | {"PWD": self.directory(plan)}

    def directory(self, plan: LaunchPlan) -> str:
        """See `Driver.directory`: `go build` runs there, and finds the module by it."""
        if plan.target is not None or go_programs.mode_of(plan) == "exec":
            return start_directory(plan)
        return str(go_programs.module_root(go_programs.program_path(plan)))

    def launch_arguments(self, plan: LaunchPlan) -> dict[str, Any]:
        """See `Driver.launch_arguments`."""
        path, mode = go_programs.program_path(plan), go_programs.mode_of(plan)
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "go",
            "request": "launch",
            "mode": mode,
            "program": str(path),
            "args": list(plan.args),
            "env": dict(plan.env),
            "stopOnEntry": plan.stop_on_entry,
            "outputMode": "remote" if plan.terminal is None else "local",
            "stackTraceDepth": DEEPEST,
            "maxStringLen": LONGEST_STRING,
            "hideSystemGoroutines": True,
        }
        if plan.cwd:
            arguments["cwd"] = plan.cwd
        if mode != "exec":
            target = go_programs.build_target(path, mode)
            arguments["program"] = str(target)
            if self.scratch is not None:
                arguments["output"] = str(self.scratch.path / go_programs.binary_name(target, mode))
        if mode == "test":
            # Where `go test` runs it: tests read files beside them.
            arguments["cwd"] = str(go_programs.package_of(path))
        return arguments | _substitutions(plan)

    def attach_arguments(self, plan: LaunchPlan, target: AttachTarget) -> dict[str, Any]:
        """See `Driver.attach_arguments`; a port is that of a headless delve."""
        if target.wait_for is not None:
            raise Unsupported("delve cannot wait for a process by its name: attach by its id", adapter=self.program)
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": "go",
            "request": "attach",
            "mode": "remote" if target.pid is None else "local",
            "stopOnEntry": plan.stop_on_entry,
            "stackTraceDepth": DEEPEST,
            "hideSystemGoroutines": True,
        }
        if target.pid is not None:
            arguments["processId"] = target.pid
        return arguments | _substitutions(plan)

    def normalise_stop(
        self,
        body: StoppedBody,
        *,
        entry_expected: bool,
        pause_outstanding: bool,
        step_thread: int | None,
    ) -> Normalised:
        """delve's words are lazydap's, but for a step that could not begin or began at the entry; 0 is no goroutine."""
        del entry_expected, pause_outstanding
        own = pause_reason(body.reason)
        reason = "step" if own in _ENDS_OF_STEPS and step_thread is not None else own
        return Normalised(
            reason=reason,
            raw_reason=body.reason if reason != own else None,
            thread_id=body.thread_id or None,
            text=": ".join(_unquoted(part) for part in (body.description, body.text) if part) or None,
            hit_ids=body.hit_breakpoint_ids or (),
        )

    def is_machinery(self, frame: StackFrame) -> bool:
        """The runtime's own frames, in which a goroutine waits or panics; some bear the name of another package."""
        path = frame.source.path if frame.source is not None else None
        return frame.presentation_hint == "subtle" or (
            path is not None and _RUNTIME in path and not frame.name.startswith("main.")
        )

    def frame_total(self, start: int, body: StackTraceBody) -> int | None:
        """A number is added where there are more, so that it is right only where nothing is left."""
        reached = start + len(body.stack_frames)
        return reached if body.total_frames == reached else None

    def selected_thread(self, threads: Sequence[Thread]) -> int | None:
        """The one that is marked; none is while every goroutine waits."""
        marked = [thread.id for thread in threads if thread.name.startswith(_SELECTED)]
        return (marked or [thread.id for thread in threads] or [None])[0]

    def hit_condition(self, text: str, *, is_conditional: bool = False) -> str:
        """Always with an operator: a bare N would mean exactly the Nth hit."""
        del is_conditional
        wanted = read_hit_condition(text)
        return f"{wanted.comparison} {wanted.count}"

    def log_message(self, text: str) -> str:
        """It takes the text for a format, in which a bare `%` spoils all that follows."""
        told: list[str] = []
        try:
            for literal, expression in parts(text):
                told.append(literal.replace("%", "%%"))
                if expression is not None:
                    told.append(f"{{{expression}}}")
        except UnclosedBraceError as unclosed:
            # Which delve itself refuses in words.
            told.append(unclosed.rest)
        return "".join(told)

    def is_program_output(self, category: str | None, text: str) -> bool:
        """Its two streams, without what delve itself puts there."""
        if category == "stdout":
            return not (_BUILDING.match(text) or _LOG_POINT.match(text))
        return category == "stderr" and not _BUILD_ERROR.fullmatch(text)

    def pid_in_output(self, text: str) -> int | None:
        """A `process` event tells it."""
        del text

    def launch_failure(self, text: str) -> str | None:
        """What the compiler wrote, without command and status, else why it could not run: the answer says neither."""
        told = _BUILD_ERROR.fullmatch(text)
        return (told["said"].strip() or told["why"]) if told else None

    def exit_code_in_output(self, text: str) -> int | None:
        """A line of its own, negative for a signal."""
        told = _EXITED.fullmatch(text)
        return int(told[1]) if told else None

    def one_scope_transaction(self, capabilities: Capabilities) -> bool:
        """References live until the program moves."""
        del capabilities
        return False

    def keeps_debuggee(self, capabilities: Capabilities, *, is_attached: bool) -> bool:
        """Never one that delve has launched, for us or, for a single client, before us; then it does not say so."""
        del is_attached
        return capabilities.support_terminate_debuggee is True


def _substitutions(plan: LaunchPlan) -> dict[str, Any]:
    if not plan.options.source_map:
        return {}
    return {"substitutePath": [{"from": local, "to": remote} for remote, local in plan.options.source_map.items()]}


def _unquoted(text: str) -> str:
    """Without the quotes that Go puts around a string; a panic's value is told as the expression that it is."""
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('\\"', '"') if is_quoted else text
