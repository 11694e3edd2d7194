"""Owns changing values of a stopped program, and completing what is typed about them; moves nothing."""

from typing import Final

from lazydap_core.errors import BadRequest, DapProtocolError
from lazydap_core.protocol.additions import values
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.lacking import lacking
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.standing import Standing

ROWS_SEARCHED: Final = 1000
DEEPEST: Final = 32


class Setter:
    """Sets variables and completes texts, under the same rules as `Inspector` looks.

    What was read of the stop before a value changed is forgotten, and its locals are told anew.
    """

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector

    async def set_variable(self, request: values.SetVariable) -> values.VariableSet:
        """Set one row of a container. Raises Unsupported, StaleHandle, the adapter's faults as `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            if not session.capabilities.supports_set_variable:
                raise lacking(session, "set a variable by its reference", "assign to it in an evaluation")
            reference = session.handles.adapter_number("variables reference", session.id, request.variables_reference)
            return await self._set_row(standing, reference, request.name, request.value)

    async def set_expression(self, request: values.SetExpression) -> values.VariableSet:
        """Set what an expression stands for, in the adapter's own way. Raises as `set_variable`, and BadRequest."""
        session = self._session
        async with self._inspector.standing() as standing:
            frame_id = await self._inspector.adapter_frame(standing, request.frame_id)
            assignment = session.driver.assignment(request.expression, request.value)
            if session.capabilities.supports_set_expression:
                arguments = {"expression": request.expression, "value": request.value, "frameId": frame_id}
                standing.forget_values()
                told = await session.ask(dap.SetVariableBody, "setExpression", arguments)
                return self._told(standing, told.value, told.type, told.variables_reference)
            if assignment is not None:
                return await self._assign(standing, assignment, frame_id)
            if not session.capabilities.supports_set_variable:
                raise lacking(session, "set a value", "assign to it in an evaluation")
            reference, name = await self._row_of(standing, request.expression, frame_id)
            return await self._set_row(standing, reference, name, request.value)

    async def complete(self, request: values.Complete) -> values.Completed:
        """What the adapter offers at a place of a text. Raises Unsupported."""
        session = self._session
        async with self._inspector.standing() as standing:
            if not session.capabilities.supports_completions_request:
                raise lacking(session, "complete expressions", "take the names of `lazydap variables`")
            if not 1 <= request.column <= len(request.text) + 1:
                raise BadRequest(
                    f"the text has no column {request.column}: columns count from 1", column=request.column
                )
            frame_id = await self._inspector.adapter_frame(standing, request.frame_id)
            arguments = {"text": request.text, "column": request.column, "frameId": frame_id}
            body = await session.ask(dap.CompletionsBody, "completions", arguments)
            return values.Completed(items=tuple(_offer(item, request) for item in body.targets))

    async def _set_row(self, standing: Standing, reference: int, name: str, value: str) -> values.VariableSet:
        arguments = {"variablesReference": reference, "name": name, "value": value}
        async with self._inspector.containers.scope_of(reference):
            standing.forget_values()
            told = await self._session.ask(dap.SetVariableBody, "setVariable", arguments)
        shown = told.result if told.value is None else told.value
        return self._told(standing, shown, told.type, told.variables_reference)

    async def _assign(self, standing: Standing, assignment: str, frame_id: int) -> values.VariableSet:
        session = self._session
        arguments = {"expression": assignment, "frameId": frame_id, "context": "watch"}
        standing.forget_values()
        told = await session.ask(dap.EvaluateBody, "evaluate", arguments)
        hidden = session.driver.hidden_error(told.result)
        if hidden is not None:
            raise DapProtocolError(f"cannot be set: {hidden}", command="evaluate", adapter_message=hidden)
        return self._told(standing, told.result, told.type, told.variables_reference)

    def _told(
        self, standing: Standing, value: str | None, type_name: str | None, reference: int | None
    ) -> values.VariableSet:
        session = self._session
        self._session.check_motion(standing)
        session.tasks.start_soon(self._inspector.tell_again, standing)
        return values.VariableSet(
            value=value or "",
            type_name=type_name,
            variables_reference=session.handles.mint("variables reference", session.id, reference or 0),
        )

    async def _row_of(self, standing: Standing, expression: str, frame_id: int) -> tuple[int, str]:
        """Where the row of that expression stands, found by the names under which rows can be evaluated."""
        wanted, containers = expression.strip(), self._inspector.containers
        references = [each.variables_reference for each in await containers.scopes_of(standing, frame_id)]
        for _ in range(DEEPEST):
            below: list[int] = []
            for reference in references:
                for row in (await containers.first_rows(standing, reference, ROWS_SEARCHED)).rows:
                    path = row.evaluate_name or row.name
                    if path == wanted:
                        return reference, row.name
                    if row.variables_reference and _is_within(path, wanted):
                        below.append(row.variables_reference)
            references = below
        raise BadRequest(
            f"there is no variable {wanted!r} here that could be set: {self._session.driver.program} sets variables,"
            " their fields and elements",
            expression=wanted,
        )


def _is_within(path: str, wanted: str) -> bool:
    """Whether what `wanted` names lies in what `path` names; a pointer is looked through."""
    plain = path.removeprefix("(*").removesuffix(")") if path.startswith("(*") else path
    return any(wanted.startswith(start + mark) for start in (path, plain) for mark in (".", "["))


def _offer(item: dap.CompletionItem, request: values.Complete) -> values.Completion:
    """One offer with the part of the text that it replaces; where the adapter names none, what stands before it."""
    text = item.label if item.text is None else item.text
    before = request.text[: request.column - 1]
    # Where it begins, each adapter counts in its own way, debugpy from 0, codelldb from behind the backtick: what is
    # replaced ends at the cursor.
    length = item.length or (0 if item.start is not None else _overlap(before, text))
    length = min(max(0, length), len(before))
    return values.Completion(label=item.label, text=text, start=request.column - length, length=length, kind=item.type)


def _overlap(before: str, text: str) -> int:
    """How many characters at the end of `before` are the beginning of `text`."""
    return next((size for size in range(min(len(before), len(text)), 0, -1) if text.startswith(before[-size:])), 0)
