"""Owns the bodies of DAP messages that are read here, as structs; knows nothing of what is made of them.

Every key that the protocol calls optional has a default, keys that are not named here are ignored, and `null` stands
for "absent". Ids are plain integers: 0 and negative ones are real.
"""

from typing import Any

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """Base of all bodies; never received itself."""


class Source(Wire, frozen=True, kw_only=True):
    """Where code comes from: `path` on disk, or `source_reference` (not 0) to be asked for."""

    name: str | None = None
    path: str | None = None
    source_reference: int | None = None
    presentation_hint: str | None = None
    origin: str | None = None

    @property
    def file(self) -> str | None:
        """The absolute path of a file; None for disassembly, to which lldb-dap gives a made-up path.

        A relative path, as debug information of system libraries holds them, names no file either.
        """
        path = self.path
        return path if path is not None and path.startswith("/") and not self.source_reference else None


class StoppedBody(Wire, frozen=True, kw_only=True):
    """The program stands. `reason` may be empty (the same stop again), `thread_id` may be missing."""

    reason: str = ""
    description: str | None = None
    thread_id: int | None = None
    text: str | None = None
    all_threads_stopped: bool | None = None
    preserve_focus_hint: bool | None = None
    hit_breakpoint_ids: tuple[int, ...] | None = None


class ContinuedBody(Wire, frozen=True, kw_only=True):
    """The program runs; `all_threads_continued` missing means only that thread, says the protocol."""

    thread_id: int | None = None
    all_threads_continued: bool | None = None


class ExitedBody(Wire, frozen=True, kw_only=True):
    """The program is gone."""

    exit_code: int


class TerminatedBody(Wire, frozen=True, kw_only=True):
    """Debugging is over; `restart` is what an adapter wants back with the next launch."""

    restart: Any = None


class ThreadBody(Wire, frozen=True, kw_only=True):
    """A thread `started` or `exited`."""

    reason: str = ""
    thread_id: int | None = None


class Module(Wire, frozen=True, kw_only=True):
    """A program or library that was loaded; `debug_info_size` is lldb-dap's own, in words ("1.2KB")."""

    path: str | None = None
    symbol_status: str | None = None
    debug_info_size: Any = None


class ModuleBody(Wire, frozen=True, kw_only=True):
    """A module is `new`, `changed` or `removed`."""

    reason: str = ""
    module: Module = Module()


class OutputBody(Wire, frozen=True, kw_only=True):
    """Text of the program or of the adapter; a missing `category` means `console`."""

    output: str | None = None
    category: str | None = None
    group: str | None = None
    variables_reference: int | None = None
    source: Source | None = None
    line: int | None = None


class Breakpoint(Wire, frozen=True, kw_only=True):
    """What an adapter makes of one breakpoint; `line` is where it landed."""

    id: int | None = None
    verified: bool = False
    message: str | None = None
    source: Source | None = None
    line: int | None = None
    column: int | None = None


class BreakpointBody(Wire, frozen=True, kw_only=True):
    """An event about one breakpoint: `changed`, `new` or `removed`."""

    reason: str = ""
    breakpoint: Breakpoint


class ProcessBody(Wire, frozen=True, kw_only=True):
    """The program that is debugged; its pid counts only where `is_local_process` is not false."""

    name: str = ""
    system_process_id: int | None = None
    is_local_process: bool | None = None
    start_method: str | None = None


class RunInTerminalArguments(Wire, frozen=True, kw_only=True):
    """A program to start in a terminal; a variable of `env` that is null is to be removed, an empty `cwd` is none."""

    args: tuple[str, ...]
    cwd: str = ""
    env: dict[str, str | None] | None = None


class InvalidatedBody(Wire, frozen=True, kw_only=True):
    """What was read before is out of date; no `areas` means everything."""

    areas: tuple[str, ...] | None = None
    thread_id: int | None = None
    stack_frame_id: int | None = None


class ExceptionFilter(Wire, frozen=True, kw_only=True):
    """One kind of exception that can stop the program."""

    filter: str
    label: str = ""
    description: str | None = None
    default: bool | None = None
    supports_condition: bool | None = None
    condition_description: str | None = None


class Capabilities(Wire, frozen=True, kw_only=True):
    """What an adapter says it can do; an absent flag is False, and what is not named here must not be sent.

    `lldb_version` and `old_lldb_version` are lldb-dap's own keys, from 22 on and before.
    """

    supports_configuration_done_request: bool | None = None
    supports_function_breakpoints: bool | None = None
    supports_conditional_breakpoints: bool | None = None
    supports_hit_conditional_breakpoints: bool | None = None
    supports_evaluate_for_hovers: bool | None = None
    exception_breakpoint_filters: tuple[ExceptionFilter, ...] | None = None
    supports_step_back: bool | None = None
    supports_set_variable: bool | None = None
    supports_restart_frame: bool | None = None
    supports_goto_targets_request: bool | None = None
    supports_step_in_targets_request: bool | None = None
    supports_completions_request: bool | None = None
    completion_trigger_characters: tuple[str, ...] | None = None
    supports_modules_request: bool | None = None
    supports_restart_request: bool | None = None
    supports_exception_options: bool | None = None
    supports_value_formatting_options: bool | None = None
    supports_exception_info_request: bool | None = None
    support_terminate_debuggee: bool | None = None
    support_suspend_debuggee: bool | None = None
    supports_delayed_stack_trace_loading: bool | None = None
    supports_loaded_sources_request: bool | None = None
    supports_log_points: bool | None = None
    supports_terminate_threads_request: bool | None = None
    supports_set_expression: bool | None = None
    supports_terminate_request: bool | None = None
    supports_data_breakpoints: bool | None = None
    supports_read_memory_request: bool | None = None
    supports_write_memory_request: bool | None = None
    supports_disassemble_request: bool | None = None
    supports_cancel_request: bool | None = None
    supports_breakpoint_locations_request: bool | None = None
    supports_clipboard_context: bool | None = None
    supports_stepping_granularity: bool | None = None
    supports_instruction_breakpoints: bool | None = None
    supports_exception_filter_options: bool | None = None
    supports_single_thread_execution_requests: bool | None = None
    supports_data_breakpoint_bytes: bool | None = None
    lldb_version: str | None = msgspec.field(default=None, name="$__lldb_version")
    old_lldb_version: Any = msgspec.field(default=None, name="__lldb")

    def merged(self, changed: "Capabilities") -> "Capabilities":
        """These with every key that a `capabilities` event named; a key it left out stays as it was."""
        named = {name: value for name, value in msgspec.structs.asdict(changed).items() if value is not None}
        return msgspec.structs.replace(self, **named)


class CapabilitiesBody(Wire, frozen=True, kw_only=True):
    """The adapter has changed its mind; see `Capabilities.merged`."""

    capabilities: Capabilities


class SetBreakpointsBody(Wire, frozen=True, kw_only=True):
    """One entry for each breakpoint asked for, in that order; codelldb leaves the list out when there is none."""

    breakpoints: tuple[Breakpoint, ...] = ()


class DataBreakpointInfoBody(Wire, frozen=True, kw_only=True):
    """How a value can be watched; without `data_id` it cannot, and `description` says why."""

    data_id: str | None = None
    description: str | None = None
    access_types: tuple[str, ...] | None = None
    can_persist: bool | None = None


class Thread(Wire, frozen=True, kw_only=True):
    """One thread."""

    id: int
    name: str = ""


class ThreadsBody(Wire, frozen=True, kw_only=True):
    """All threads; some adapters answer with a placeholder while the program runs."""

    threads: tuple[Thread, ...] = ()


class StackFrame(Wire, frozen=True, kw_only=True):
    """One frame; its id is good for one stop only, and an adapter may give the same number again at the next."""

    id: int
    name: str = ""
    source: Source | None = None
    line: int = 0
    column: int = 0
    end_line: int | None = None
    presentation_hint: str | None = None
    instruction_pointer_reference: str | None = None


class StackTraceBody(Wire, frozen=True, kw_only=True):
    """A part of a stack; `total_frames` may be missing, or grow from page to page."""

    stack_frames: tuple[StackFrame, ...] = ()
    total_frames: int | None = None


class Scope(Wire, frozen=True, kw_only=True):
    """One group of variables of a frame."""

    name: str = ""
    variables_reference: int = 0
    expensive: bool | None = None
    named_variables: int | None = None
    indexed_variables: int | None = None
    presentation_hint: str | None = None


class ScopesBody(Wire, frozen=True, kw_only=True):
    """The scopes of one frame."""

    scopes: tuple[Scope, ...] = ()


class Variable(Wire, frozen=True, kw_only=True):
    """One row; `evaluate_name` is to be sent back as it came, never built."""

    name: str = ""
    value: str = ""
    type: str | None = None
    evaluate_name: str | None = None
    variables_reference: int = 0
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None


class VariablesBody(Wire, frozen=True, kw_only=True):
    """The rows below one reference."""

    variables: tuple[Variable, ...] = ()


class EvaluateBody(Wire, frozen=True, kw_only=True):
    """The value of an expression, as a text for people."""

    result: str = ""
    type: str | None = None
    variables_reference: int = 0
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None


class SetVariableBody(Wire, frozen=True, kw_only=True):
    """The value after a set; lldb-dap up to 19 calls it `result`."""

    value: str | None = None
    result: str | None = None
    type: str | None = None
    variables_reference: int | None = None


class GotoTarget(Wire, frozen=True, kw_only=True):
    """One place of a line."""

    id: int
    label: str = ""
    line: int = 0
    column: int | None = None


class GotoTargetsBody(Wire, frozen=True, kw_only=True):
    """The places of a line that a thread can be put to."""

    targets: tuple[GotoTarget, ...] = ()


class StepInTarget(Wire, frozen=True, kw_only=True):
    """One call of a line."""

    id: int
    label: str = ""


class StepInTargetsBody(Wire, frozen=True, kw_only=True):
    """The calls of a frame's line."""

    targets: tuple[StepInTarget, ...] = ()


class CompletionItem(Wire, frozen=True, kw_only=True):
    """One offer; `text` stands in for `label` where it is there, in place of `length` characters from `start`."""

    label: str = ""
    text: str | None = None
    type: str | None = None
    start: int | None = None
    length: int | None = None


class CompletionsBody(Wire, frozen=True, kw_only=True):
    """What could be typed."""

    targets: tuple[CompletionItem, ...] = ()


class SourceBody(Wire, frozen=True, kw_only=True):
    """The text of a source that is no file."""

    content: str
    mime_type: str | None = None


class ExceptionDetails(Wire, frozen=True, kw_only=True):
    """What is known of an exception."""

    message: str | None = None
    type_name: str | None = None
    full_type_name: str | None = None
    stack_trace: str | None = None


class ExceptionInfoBody(Wire, frozen=True, kw_only=True):
    """Why an exception stopped the program."""

    exception_id: str = ""
    description: str | None = None
    break_mode: str | None = None
    details: ExceptionDetails | None = None
