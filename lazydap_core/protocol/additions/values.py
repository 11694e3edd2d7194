"""Owns the messages of the features `set_variable` and `complete`."""

from lazydap_core.protocol.objects import I64, NULL, U32, SessionId, WireObject


class SetVariable(WireObject, frozen=True, kw_only=True):
    """Feature `set_variable`: the row `name` of a container gets a new value."""

    session_id: SessionId
    variables_reference: I64
    name: str
    value: str


class SetExpression(WireObject, frozen=True, kw_only=True):
    """Feature `set_variable`: what an expression stands for in a frame gets a new value."""

    session_id: SessionId
    expression: str
    value: str
    frame_id: I64 | None = NULL


class VariableSet(WireObject, frozen=True, kw_only=True):
    """The value as the adapter shows it now."""

    value: str
    type_name: str | None = None
    variables_reference: I64


class Complete(WireObject, frozen=True, kw_only=True):
    """Feature `complete`: what could stand at `column` of `text`; columns count characters from 1."""

    session_id: SessionId
    text: str
    column: U32
    frame_id: I64 | None = NULL


class Completion(WireObject, frozen=True, kw_only=True):
    """One offer: `text` in place of `length` characters from the column `start` on."""

    label: str
    text: str
    start: U32
    length: U32
    kind: str | None = None


class Completed(WireObject, frozen=True, kw_only=True):
    """The offers, in the adapter's order."""

    items: tuple[Completion, ...]
