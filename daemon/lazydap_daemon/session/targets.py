"""Owns finding where a stopped program can be put or stepped into; moves nothing."""

from pathlib import PurePath

from lazydap_core.errors import BadRequest
from lazydap_core.protocol.additions import moving
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session import translate
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.lacking import lacking
from lazydap_daemon.session.session import Session


class Targets:
    """Asks for the places of a line and the calls in it, under the same rules as `Inspector` looks."""

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector

    async def of_line(self, source: str, line: int) -> moving.GotoTargetList:
        """The places of a line. Raises Unsupported, BadRequest where it has no code, the faults of `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            if not session.capabilities.supports_goto_targets_request:
                raise lacking(session, "jump to another line", "run to it, or set a breakpoint there")
            arguments = {"source": {"path": source, "name": PurePath(source).name}, "line": line}
            body = await session.ask(dap.GotoTargetsBody, "gotoTargets", arguments)
            self._inspector.check_motion(standing)
        if not body.targets:
            raise BadRequest(f"there is no code at {source}:{line} to go to: choose another line", line=line)
        return moving.GotoTargetList(
            targets=tuple(
                moving.GotoTarget(
                    id=session.handles.mint("goto target", session.id, each.id),
                    label=each.label,
                    line=translate.position(each.line),
                    column=each.column,
                )
                for each in body.targets
            )
        )

    async def of_calls(self, request: moving.StepInTargets) -> moving.StepInTargetList:
        """The calls of a frame's line. Raises Unsupported, the faults of `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            self.check_calls()
            frame_id = await self._inspector.adapter_frame(standing, request.frame_id)
            body = await session.ask(dap.StepInTargetsBody, "stepInTargets", {"frameId": frame_id})
            self._inspector.check_motion(standing)
            return moving.StepInTargetList(
                targets=tuple(
                    moving.StepInTarget(
                        id=session.handles.mint("step-in target", session.id, each.id), label=each.label
                    )
                    for each in body.targets
                )
            )

    def check_calls(self) -> None:
        """Raises Unsupported where a step cannot choose its call."""
        if not self._session.capabilities.supports_step_in_targets_request:
            raise lacking(self._session, "choose what to step into", "step in and out until you are there")
