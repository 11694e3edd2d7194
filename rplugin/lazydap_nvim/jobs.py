"""Owns the host's tasks, and that what goes wrong in one of them ends as one line; knows not what they do."""

import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Final, NamedTuple

import anyio

from lazydap_core.errors import LazydapError
from lazydap_nvim.editor import Clock, Editor
from lazydap_nvim.explain import error_line
from lazydap_nvim.link import LinkLostError

log = logging.getLogger("lazydap.host")

MOST_JOBS: Final = 256


class Job(NamedTuple):
    """Something to be done by a task of its own."""

    name: str
    work: Callable[..., Awaitable[object]]
    arguments: tuple[object, ...]
    is_quiet: bool
    posted: float
    done: anyio.Event | None


class Jobs:
    """Everything the host does that takes time. A failure of any job ends that job only."""

    def __init__(self, editor: Editor, clock: Clock) -> None:
        self._editor = editor
        self._clock = clock
        self._waiting: deque[Job] = deque()
        self._news: anyio.Event | None = None
        self._running = 0
        self._changes: set[anyio.Event] = set()
        self._complaint = ("", -math.inf)

    async def run(self) -> None:
        """Do what is posted, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                while self._waiting:
                    tasks.start_soon(self._do, self._waiting.popleft())
                self._news = anyio.Event()
                await self._news.wait()

    async def _do(self, job: Job) -> None:
        self._running += 1
        try:
            with self.containing(job.name, is_quiet=job.is_quiet, since=job.posted):
                await job.work(*job.arguments)
        finally:
            self._running -= 1
            if job.done is not None:
                self._changes.discard(job.done)
                job.done.set()

    def post(
        self,
        name: str,
        work: Callable[..., Awaitable[object]],
        *arguments: object,
        is_quiet: bool = False,
        is_change: bool = False,
    ) -> None:
        """Have `work` done by a task; errors of a quiet job go to the log only.

        A change is one of what a program does or where it stops: what the user asks for after it may have to wait, see
        `changed`.
        """
        if len(self._waiting) + self._running >= MOST_JOBS:
            self._editor.say("too much at once: the last command was dropped", "warn")
            return
        done = anyio.Event() if is_change else None
        if done is not None:
            self._changes.add(done)
        self._waiting.append(Job(name, work, arguments, is_quiet, self._clock.time(), done))
        if self._news is not None:
            self._news.set()

    @property
    def is_changing(self) -> bool:
        """Whether a change was asked for that is not made yet."""
        return bool(self._changes)

    async def changed(self) -> None:
        """Return when the changes that were asked for before are made, or have failed."""
        for done in tuple(self._changes):
            await done.wait()

    @contextmanager
    def containing(self, what: str, *, is_quiet: bool = False, since: float = math.inf) -> Generator[None]:
        """Turn whatever goes wrong inside into one line: the one place where nothing gets past.

        What was said already after `since` is not said again.
        """
        try:
            yield
        except LinkLostError as error:
            # The loss itself is told by the link's listener.
            log.info("%s: %s", what, error)
        except LazydapError as error:
            log.info("%s: %s: %s", what, type(error).__name__, error)
            if not is_quiet:
                self.complain(error, since)
        except Exception as error:
            log.exception("%s failed", what)
            self._editor.say(f"{what} failed ({type(error).__name__}: {error}): see :LazydapLog", "error")

    def complain(self, error: LazydapError, since: float) -> None:
        """Say what went wrong, unless the same has been said after `since`."""
        line, said = self._complaint
        if error.message == line and said >= since:
            return
        self._complaint = (error.message, self._clock.time())
        self._editor.say(error_line(error), "error")
