"""Owns `terminal`: the program's terminal shown and typed into from a shell, until one of the two ends or is left."""

import os
import select
import signal
import termios
import tty
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Self

from lazydap_cli import session, streams
from lazydap_cli.call import Call
from lazydap_core.domain.endings import exit_code_words
from lazydap_core.domain.words import LIVE_STATES
from lazydap_core.errors import BadRequest, Unsupported
from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.objects import AdapterDied, EndReason, Exited, SessionSummary

if TYPE_CHECKING:
    from lazydap_core.client.blocking import BlockingClient

DETACH: Final = b"\x1d"
"""Ctrl-], as with telnet: no program of the screen asks for it."""

PLACE: Final = "LAZYDAP_TERMINAL_IN"
PANE: Final = "pane"
"""Set by the plugin in its window, which is closed and not left: there all keys are the program's."""

_CHUNK: Final = 4096
_RETRY_SECONDS: Final = 0.05
_ENTERS_SCREEN: Final = b"\x1b[?1049h"
_LEAVES_SCREEN: Final = b"\x1b[?1049l"
_PLAIN: Final = b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[0m\x1b7\x1b[r\x1b8"
"""Takes back what a program may have asked of the terminal: mouse, bracketed paste, hidden cursor, colours, margins."""


def attach(call: Call) -> None:
    """Show what the terminal has shown; without `--replay`, stay and pass on what is typed."""
    with call.connect() as viewer:
        session.needs(viewer, "terminal", "give programs a terminal")
        summary = session.current(viewer)
        if summary.terminal is None:
            raise Unsupported(
                "the program has no terminal: launch it with one (`lazydap launch --terminal`), or see `lazydap output`"
            )
        screen = _Screen(viewer, summary)
        if call.given("replay"):
            screen.catch_up()
            return
        with call.connect() as typist, _Person() as person:
            _Attachment(screen, typist, summary, person, is_left=call.environ.get(PLACE) != PANE).carry_on()


class _Screen:
    """The program's terminal as this command has shown it, byte after byte."""

    def __init__(self, client: "BlockingClient", summary: SessionSummary) -> None:
        self.client = client
        self.id = summary.session_id
        self.is_full = False
        self._shown = 0
        self._tail = b""

    def catch_up(self) -> None:
        """Show what has not been shown yet, and say how much of it is lost."""
        request = requests.TerminalRead(session_id=self.id, after_seq=self._shown)
        told = session.asked(self.client, request, responses.TerminalShown)
        if told.dropped:
            streams.write_err(f"\r\nlazydap: {told.dropped} bytes of the terminal are no longer kept\r\n")
        self._shown = told.seq
        self._show(told.data)

    def take(self, event: events.Terminal) -> None:
        """Show what an event tells, and what was told before it without being heard here."""
        if event.seq > self._shown:
            self.catch_up()
        self._show(event.data[max(0, self._shown - event.seq) :])

    def _show(self, data: bytes) -> None:
        self._shown += len(data)
        streams.write_bytes(data)
        seen = self._tail + data
        enters, leaves = seen.rfind(_ENTERS_SCREEN), seen.rfind(_LEAVES_SCREEN)
        if enters != leaves:
            self.is_full = enters > leaves
        self._tail = seen[-len(_ENTERS_SCREEN) :]


class _Person:
    """Who sits at standard input and output, if anybody: raw keys for the time of the block, and the size."""

    def __init__(self) -> None:
        self.types = streams.is_terminal(streams.STDIN)
        self.looks = streams.is_terminal(streams.STDOUT)
        self._before = termios.tcgetattr(streams.STDIN) if self.types else None
        self.resized, self._wake = os.pipe()
        os.set_blocking(self.resized, False)
        os.set_blocking(self._wake, False)

    def __enter__(self) -> Self:
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGWINCH, _nothing)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _leave)
        if self.types:
            tty.setraw(streams.STDIN)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            termios.tcsetattr(streams.STDIN, termios.TCSADRAIN, self._before)
        signal.set_wakeup_fd(-1)

    def size(self) -> os.terminal_size:
        """Columns and rows of the terminal that shows it."""
        while select.select([self.resized], [], [], 0)[0]:
            os.read(self.resized, _CHUNK)
        return os.get_terminal_size(streams.STDOUT)


class _Attachment:
    """The loop between the person and the program's terminal."""

    def __init__(
        self, screen: _Screen, typist: "BlockingClient", summary: SessionSummary, person: _Person, *, is_left: bool
    ) -> None:
        self._screen = screen
        self._typist = typist
        self._summary = summary
        self._person = person
        self._is_left = is_left and person.types
        self._unsent = b""
        self._hears = True
        self._ending: EndReason | None = None

    def carry_on(self) -> None:
        """Until the program ends, the person leaves, or nobody reads."""
        screen = self._screen
        channels = ("terminal", "session_ended")
        # Whatever comes from here on is heard; what was before is read.
        status = session.asked(screen.client, requests.Subscribe(channels=channels), responses.Status)
        if self._is_left:
            streams.write_err(f"lazydap: the terminal of {Path(self._summary.program).name} (Ctrl-] leaves it)\r\n")
        screen.catch_up()
        if self._person.looks:
            self._resize()
        is_over = status.session is None or status.session.state not in LIVE_STATES
        with self._restored():
            while not is_over and self._exchange():
                is_over = self._ending is not None
            if is_over:
                screen.catch_up()
        streams.write_err(f"\r\nlazydap: {_told(self._ending, self._summary) if is_over else _LEFT}\r\n")

    @contextmanager
    def _restored(self) -> Generator[None]:
        try:
            yield
        finally:
            if self._person.looks:
                streams.write_bytes(_PLAIN + (_LEAVES_SCREEN if self._screen.is_full else b""))

    def _exchange(self) -> bool:
        """One turn; False when the person leaves."""
        client, person = self._screen.client, self._person
        wanted: list[int] = [client.fileno(), person.resized]
        if self._hears and not self._unsent:
            wanted.append(streams.STDIN)
        ready, _, _ = select.select(wanted, [], [], _RETRY_SECONDS if self._unsent else None)
        if client.fileno() in ready:
            self._take_events()
        if person.resized in ready and person.looks and self._ending is None:
            self._resize()
        if streams.STDIN in ready:
            return self._take_keys()
        self._type(b"")
        return True

    def _take_events(self) -> None:
        while (event := self._screen.client.next_event(0.0)) is not None:
            if isinstance(event, events.SessionEnded) and event.session_id == self._screen.id:
                self._ending = event.reason
            elif isinstance(event, events.Terminal) and event.session_id == self._screen.id:
                self._screen.take(event)

    def _take_keys(self) -> bool:
        data = os.read(streams.STDIN, _CHUNK)
        self._hears = bool(data)
        before, leaves, _ = data.partition(DETACH) if self._is_left else (data, b"", b"")
        self._type(before)
        return not leaves

    def _type(self, data: bytes) -> None:
        """Type it, and what could not be typed before; a program that does not read is asked again later."""
        self._unsent += data
        if not self._unsent or self._ending is not None:
            return
        request = requests.TerminalWrite(session_id=self._screen.id, data=self._unsent)
        try:
            session.asked(self._typist, request, responses.TerminalShown)
        except BadRequest:
            return
        self._unsent = b""

    def _resize(self) -> None:
        columns, rows = self._person.size()
        if columns and rows:
            request = requests.TerminalResize(session_id=self._screen.id, columns=columns, rows=rows)
            try:
                session.asked(self._typist, request, responses.TerminalShown)
            except BadRequest:
                # It has just ended.
                return


_LEFT: Final = "left; the program runs on, and `lazydap terminal` comes back"


def _told(ending: EndReason | None, summary: SessionSummary) -> str:
    match ending:
        case Exited(exit_code=code) if code is not None:
            return f"the program has ended with exit code {exit_code_words(code, summary.adapter)}"
        case AdapterDied(detail=detail):
            return f"the debugger has ended: {detail}"
        case None if summary.exit_code is not None:
            return f"the program has ended with exit code {exit_code_words(summary.exit_code, summary.adapter)}"
        case _:
            return "the program has ended"


def _nothing(number: int, frame: object) -> None:
    """Being woken is all."""
    del number, frame


def _leave(number: int, frame: object) -> NoReturn:
    """End by way of everything that has to be restored."""
    del frame
    raise SystemExit(128 + number)
