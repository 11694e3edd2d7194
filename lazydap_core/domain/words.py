"""Owns the closed sets of words that lazydap uses; knows nothing of wire or storage."""

from typing import Final, Literal

AdapterKind = Literal["codelldb", "debugpy", "delve"]
SessionState = Literal["initialising", "running", "paused", "exited", "terminated", "adapter_died"]
WaitOutcome = Literal["paused", "exited", "terminated", "timeout", "adapter_died"]
StepKind = Literal["over", "in", "out"]
EvalContext = Literal["watch", "repl", "hover"]
VariableFilter = Literal["all", "named", "indexed"]
BreakpointAction = Literal["listed", "added", "removed", "toggled", "updated", "unchanged"]
WatchAction = Literal["listed", "added", "removed"]
DataAccess = Literal["write", "read", "read_write"]
FilterAction = Literal["listed", "changed"]
ThreadChange = Literal["started", "exited"]
Channel = Literal[
    "session_started",
    "session_ended",
    "stopped",
    "continued",
    "output",
    "breakpoint_updated",
    "thread_changed",
    "watch_updated",
    "stop_detail",
    "state_file",
    "exception_filters_changed",
    "terminal",
    "mute_changed",
    "function_breakpoint_updated",
    "data_breakpoint_updated",
]
ErrorCode = Literal[
    "AdapterNotFound",
    "AdapterCrashed",
    "AdapterTimeout",
    "SessionNotFound",
    "SessionAlreadyActive",
    "SessionNotPaused",
    "InvalidLaunchConfig",
    "InvalidProjectRoot",
    "DapProtocolError",
    "DaemonInternalError",
    "Unsupported",
    "Timeout",
    "Cancelled",
    "BadRequest",
    "VersionMismatch",
    "StaleHandle",
]

LIVE_STATES: Final[frozenset[SessionState]] = frozenset({"initialising", "running", "paused"})

PAUSE_REASONS: Final = (
    "entry",
    "step",
    "breakpoint",
    "exception",
    "pause",
    "goto",
    "function_breakpoint",
    "data_breakpoint",
    "instruction_breakpoint",
)
OUTPUT_CATEGORIES: Final = ("stdout", "stderr", "console", "telemetry")
_PAUSE_REASONS: Final = frozenset(PAUSE_REASONS)
_OUTPUT_CATEGORIES: Final = frozenset(OUTPUT_CATEGORIES)


def _squeezed(word: str) -> str:
    return "".join(c for c in word if not c.isascii() or c.isalnum()).lower()


_REASONS: Final = {_squeezed(word): word for word in PAUSE_REASONS}


def pause_reason(adapter_word: str) -> str:
    """The lazydap word for an adapter's stop reason; a word it does not know is returned as it came."""
    if adapter_word in _PAUSE_REASONS:
        return adapter_word
    return _REASONS.get(_squeezed(adapter_word), adapter_word)


def output_category(adapter_word: str | None) -> str:
    """The lazydap word for an adapter's output category; absent is `console`, an unknown word stays as it came."""
    if adapter_word is None:
        return "console"
    if adapter_word in _OUTPUT_CATEGORIES:
        return adapter_word
    squeezed = _squeezed(adapter_word)
    return squeezed if squeezed in _OUTPUT_CATEGORIES else adapter_word
