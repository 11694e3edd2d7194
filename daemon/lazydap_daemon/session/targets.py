"""Owns finding where a stopped program can be put or stepped into; moves nothing."""

import os
from pathlib import PurePath

from lazydap_core.errors import BadRequest
from lazydap_core.protocol.additions import moving
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session import translate
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.lacking import lacking
from lazydap_daemon.session.sense import check_line
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.standing import Standing


class Targets:
    """Asks for the places of a line and the calls in it, under the same rules as `Inspector` looks."""

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector

    async def of_line(self, source: str, line: int, thread_id: int | None = None) -> moving.GotoTargetList:
        """The places of a line to which a thread can be put, the stopped one where none is named.

        Raises Unsupported, BadRequest where it has no code or cannot be reached, the faults of `Session.ask`.
        """
        check_line(line)
        session = self._session
        async with self._inspector.standing() as standing:
            if not session.capabilities.supports_goto_targets_request:
                raise lacking(session, "jump to another line", "run to it, or set a breakpoint there")
            if session.driver.jumps_blindly:
                await self._check_file(standing, source, thread_id)
            arguments = {"source": {"path": source, "name": PurePath(source).name}, "line": line}
            body = await session.ask(dap.GotoTargetsBody, "gotoTargets", arguments)
            self._session.check_motion(standing)
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

    async def _check_file(self, standing: Standing, source: str, thread_id: int | None) -> None:
        """Raises BadRequest for another file than the one in which the thread stands."""
        frame = await self._inspector.top_frame(standing, thread_id)
        path = None if frame.source is None else frame.source.file
        if path is None or not _is_same_file(path, source):
            here = "code without a file" if path is None else path
            raise BadRequest(
                f"the program stands in {here}, and cannot leave it by a jump: choose a line there, or run to"
                f" {PurePath(source).name}"
            )

    async def of_calls(self, request: moving.StepInTargets) -> moving.StepInTargetList:
        """The calls of a frame's line. Raises Unsupported, the faults of `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            self.check_calls()
            frame_id = await self._inspector.adapter_frame(standing, request.frame_id)
            body = await session.ask(dap.StepInTargetsBody, "stepInTargets", {"frameId": frame_id})
            self._session.check_motion(standing)
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


def _is_same_file(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
