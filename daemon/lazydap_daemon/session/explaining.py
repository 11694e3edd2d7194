"""Owns what is told of the exception at which the program stands; moves nothing."""

from lazydap_core.errors import BadRequest, DapProtocolError
from lazydap_core.protocol.additions.exceptions import ExceptionDetails, ExceptionInfo
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.standing import Standing


class Explainer:
    """Asks the adapter about an exception, where it can be asked; else the text of the stop is all there is."""

    def __init__(self, session: Session, inspector: Inspector) -> None:
        self._session = session
        self._inspector = inspector

    async def answer(self, request: ExceptionInfo) -> ExceptionDetails:
        """What is known. Raises BadRequest at a stop for another reason, SessionNotPaused, and as `Session.ask`."""
        session = self._session
        async with self._inspector.standing() as standing:
            # Asked about any other stop, debugpy makes something up.
            if standing.reason != "exception":
                raise BadRequest(
                    f"the program stands for another reason ({standing.reason}): there is no exception to look at",
                    session_id=str(session.id),
                    state=session.state,
                )
            if standing.thread_id is None:
                await standing.frame_known.wait()
            thread_id = standing.thread_id if request.thread_id is None else request.thread_id
            if thread_id is None or not session.capabilities.supports_exception_info_request:
                return ExceptionDetails(thread_id=thread_id, description=standing.text)
            told = await session.ask(dap.ExceptionInfoBody, "exceptionInfo", {"threadId": thread_id})
            self._session.check_motion(standing)
            details = told.details or dap.ExceptionDetails()
            thrown = None if details.type_name else await self._thrown(standing, thread_id)
            return ExceptionDetails(
                thread_id=thread_id,
                type_name=self._words(details.type_name or thrown or told.exception_id),
                message=self._words(details.message),
                description=self._words(told.description) or standing.text,
                break_mode=told.break_mode,
                stack_trace=details.stack_trace or None,
            )

    async def _thrown(self, standing: Standing, thread_id: int) -> str | None:
        """The type of what is thrown, where that takes a look at the program."""
        session = self._session
        frame = await self._inspector.top_frame(standing, thread_id)
        expression = session.driver.thrown_type(frame)
        if expression is None:
            return None
        try:
            arguments = {"expression": expression, "frameId": frame.id, "context": "watch"}
            body = await session.ask(dap.EvaluateBody, "evaluate", arguments)
        except DapProtocolError:
            # Where the registers of a call are not known by that name, the type is not known either.
            return None
        self._session.check_motion(standing)
        return session.driver.type_told(body.result)

    def _words(self, text: str | None) -> str | None:
        return self._session.driver.exception_words(text) or None if text else None
