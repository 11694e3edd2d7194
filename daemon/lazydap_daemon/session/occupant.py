"""Owns the parts of the session in the slot, and which of them answers which request."""

from typing import assert_never

from lazydap_core.protocol import requests, responses
from lazydap_daemon.session.explaining import Explainer
from lazydap_daemon.session.filtering import FilterPusher
from lazydap_daemon.session.guest import Guest
from lazydap_daemon.session.inspecting import Inspector
from lazydap_daemon.session.moving import Mover
from lazydap_daemon.session.naming import NamedPusher
from lazydap_daemon.session.pushing import Pusher
from lazydap_daemon.session.session import Session
from lazydap_daemon.session.setting import Setter
from lazydap_daemon.session.targets import Targets
from lazydap_daemon.session.terminal import ProgramTerminal
from lazydap_daemon.session.texts import Texts
from lazydap_daemon.session.watching import Watcher
from lazydap_daemon.store.project import ProjectStore

Question = requests.MoveRequest | requests.InspectRequest | requests.TerminalRequest


class Occupant:
    """The session that `request` began, with the parts that move it, look at it and tell it of breakpoints."""

    def __init__(self, session: Session, project: ProjectStore, request: requests.Launch | requests.Attach) -> None:
        self.request = request
        self.session = session
        self.inspector = Inspector(session)
        self.setter = Setter(session, self.inspector)
        self.explainer = Explainer(session, self.inspector)
        self.texts = Texts(session, self.inspector)
        self.pusher = Pusher(session, project)
        self.targets = Targets(session, self.inspector)
        self.functions = NamedPusher(
            session, "function", lambda: (one for one in project.functions.entries if project.is_active(one))
        )
        self.watcher = Watcher(session, self.inspector, project)
        self.mover = Mover(session, self.targets, Guest(session, self.pusher), self.functions)
        self.filters = FilterPusher(session, project)
        session.before_start += [self.functions.push_leniently, self.filters.push_leniently]
        session.before_leaving += [self.pusher.withdraw, self.functions.withdraw, self.filters.withdraw]
        self.terminal = ProgramTerminal(session)
        # Files whose breakpoints changed while the launch was under way.
        self.changed_sources: dict[str, None] = {}

    async def answer(self, request: Question) -> responses.Response:  # noqa: C901, PLR0911, PLR0912 - one case a request
        """The answer to one request to this session; raises a DaemonError."""
        match request:
            case requests.Continue() | requests.Step() | requests.Pause() | requests.RunTo() | requests.Goto():
                return await self.mover.carry_out(request)
            case requests.AwaitStop():
                return await self.mover.await_stop(request)
            case requests.Threads():
                return await self.inspector.threads()
            case requests.StackTrace():
                return await self.inspector.stack(request)
            case requests.Scopes():
                return await self.inspector.scopes(request)
            case requests.Variables():
                return await self.inspector.variables(request)
            case requests.Eval():
                return await self.inspector.evaluate(request)
            case requests.Output():
                return self.inspector.output(request)
            case requests.GotoTargets():
                return await self.targets.of_line(request.source, request.line)
            case requests.StepInTargets():
                return await self.targets.of_calls(request)
            case requests.SetVariable():
                return await self.setter.set_variable(request)
            case requests.SetExpression():
                return await self.setter.set_expression(request)
            case requests.Complete():
                return await self.setter.complete(request)
            case requests.ExceptionInfo():
                return await self.explainer.answer(request)
            case requests.Source():
                return await self.texts.answer(request)
            case requests.TerminalRead() | requests.TerminalWrite() | requests.TerminalResize():
                return self.terminal.answer(request)
            case _:
                assert_never(request)
