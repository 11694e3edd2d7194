"""Owns the translation between DAP's words and lazydap's, errors included; the only room where both stand."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.domain.words import StepKind
from lazydap_core.errors import AdapterCrashed, AdapterTimeout, DapProtocolError
from lazydap_core.protocol import objects
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.dap.errors import BodyMalformed, RequestRefused, RequestTimedOut, StreamBroken
from lazydap_daemon.session.handles import Handles

LARGEST_POSITION: Final = 2**32 - 2
STEP_COMMANDS: Final[dict[StepKind, str]] = {"over": "next", "in": "stepIn", "out": "stepOut"}


@contextmanager
def adapter_faults() -> Generator[None]:
    """Turn what the adapter did wrong into the error a client gets (doc/protocol.md, "Errors")."""
    try:
        yield
    except RequestRefused as refused:
        text = _one_line(refused.text) or "the adapter gave no reason"
        raise DapProtocolError(
            f"the adapter refused {refused.command}: {text}", command=refused.command, adapter_message=refused.text
        ) from refused
    except RequestTimedOut as late:
        raise AdapterTimeout(
            f"the adapter did not answer {late.command} in time: stop the session if this repeats", command=late.command
        ) from late
    except BodyMalformed as malformed:
        raise DapProtocolError(
            f"the adapter's answer to {malformed.command} has an unexpected shape", command=malformed.command
        ) from malformed
    except StreamBroken as broken:
        raise AdapterCrashed(f"the adapter is gone ({broken.detail}): launch again") from broken


def _one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def capabilities(told: dap.Capabilities) -> objects.Capabilities:
    """What clients may count on; an adapter that is silent on a flag lacks it."""
    return objects.Capabilities(
        supports_configuration_done_request=bool(told.supports_configuration_done_request),
        supports_function_breakpoints=bool(told.supports_function_breakpoints),
        supports_conditional_breakpoints=bool(told.supports_conditional_breakpoints),
        # Paging is a flag of the client in DAP, so no adapter ever tells it (doc/adapters.md, "Paging").
        supports_variable_paging=False,
    )


def source(told: dap.Source | None, handles: Handles, session_id: objects.SessionId) -> objects.Source | None:
    """A frame's source; a missing name is filled from the path, which is left out where no such file exists.

    Under a minted reference where its text is the adapter's to give.
    """
    if told is None:
        return None
    name = told.name or (PurePath(told.path).name if told.path else None)
    reference = handles.mint("source reference", session_id, told.source_reference) if told.source_reference else None
    return objects.Source(name=name, path=told.file, source_reference=reference)


def position(told: int) -> int:
    """A line or column within what the protocol can carry; LLDB gives 2^32 - 1 and more for "none"."""
    return told if 0 <= told <= LARGEST_POSITION else 0


def exit_code(told: int) -> int:
    """A program's exit code as a signed number of 32 bits; some adapters count it unsigned."""
    return (told + 2**31) % 2**32 - 2**31


def stack_frame(told: dap.StackFrame, handles: Handles, session_id: objects.SessionId) -> objects.StackFrame:
    """A frame under a minted id; a line or column the adapter does not know is 0."""
    return objects.StackFrame(
        id=handles.mint("frame id", session_id, told.id),
        name=told.name,
        source=source(told.source, handles, session_id),
        line=position(told.line),
        column=position(told.column),
    )


def scope(told: dap.Scope, handles: Handles, session_id: objects.SessionId) -> objects.Scope:
    """A scope under a minted reference."""
    return objects.Scope(
        name=told.name,
        variables_reference=handles.mint("variables reference", session_id, told.variables_reference),
        expensive=bool(told.expensive),
        named_variables=told.named_variables,
        indexed_variables=told.indexed_variables,
    )


def variable(told: dap.Variable, handles: Handles, session_id: objects.SessionId) -> objects.Variable:
    """A variable under a minted reference; its value is never cut."""
    return objects.Variable(
        name=told.name,
        value=told.value,
        type_name=told.type,
        evaluate_name=told.evaluate_name,
        variables_reference=handles.mint("variables reference", session_id, told.variables_reference),
        named_variables=told.named_variables,
        indexed_variables=told.indexed_variables,
    )


class Spelled(NamedTuple):
    """The parts of a breakpoint that each adapter spells in its own way."""

    hit_condition: str | None
    log_message: str | None


def breakpoint_arguments(path: str, breakpoints: tuple[Breakpoint, ...], parts: Sequence[Spelled]) -> dict[str, Any]:
    """The `setBreakpoints` arguments for one file: the whole enabled list, absent parts left out."""
    entries: list[dict[str, Any]] = []
    for wanted, spelled in zip(breakpoints, parts, strict=True):
        entry = {
            "line": wanted.line,
            "column": wanted.column,
            "condition": wanted.condition,
            "hitCondition": spelled.hit_condition,
            "logMessage": spelled.log_message,
        }
        entries.append({key: value for key, value in entry.items() if value is not None})
    return {"source": {"path": path, "name": PurePath(path).name}, "breakpoints": entries}
