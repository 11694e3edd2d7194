"""Owns the way of the program's output into its pane: a connection while the pane can be seen, one piece at a time."""

from typing import Any, Final

import anyio
import anyio.lowlevel

from lazydap_core.client.streaming import AsyncClient
from lazydap_core.errors import LazydapError
from lazydap_core.protocol import objects, requests, responses
from lazydap_core.protocol.events import Event
from lazydap_nvim.host import Host
from lazydap_nvim.model import Session
from lazydap_nvim.tape import Line, Tape

OUTPUT: Final = "output"
PRINTED_SECONDS: Final = 5.0
"""After this a piece is thought written: an editor that is asked something answers nobody."""
SLICE: Final = 2**17
"""Characters that are worked off before others get their turn."""
NOTE: Final = "console"
STREAMS: Final = {"stderr": "stderr", "console": "console"}
MOST_LINES: Final = 1_000
"""In one piece: an editor that takes ten thousand lines at once does nothing else for longer than anybody likes."""
PAUSE: Final = 0.03
"""Seconds between two pieces: nobody reads faster, and a program that prints without end must not fill the editor."""


async def keep_printing(host: Host) -> None:
    """Print what the program of the pane's project says, session after session, while the pane can be seen."""
    if OUTPUT in host.looks.busy:
        return
    host.looks.busy[OUTPUT] = True
    try:
        while OUTPUT in host.looks.shown:
            found = _shown(host)
            if found is None:
                _show_nothing(host)
                await _news(host)
                continue
            try:
                await _print(host, *found)
            except LazydapError:
                # That the daemon has gone is told by the link; the next session has another one.
                await _news(host)
    finally:
        del host.looks.busy[OUTPUT]


def _shown(host: Host) -> tuple[str, Session] | None:
    """The session whose output is shown: of the project last commanded or stopped, else a live one."""
    projects = host.model.projects
    last = projects.get(host.model.last or "")
    for project in (last, *projects.values()):
        if project is not None and project.session is not None and project.is_connected:
            return project.root, project.session
    return None


def _show_nothing(host: Host) -> None:
    note = Line("nothing has run yet: :LazydapLaunch starts a program", ())
    host.editor.print({"reset": True, "drop": 0, "first": 0, "lines": [note], "lost": 0, "title": "Output"})


async def _news(host: Host) -> None:
    host.looks.output_news = anyio.Event()
    await host.looks.output_news.wait()


async def _print(host: Host, root: str, session: Session) -> None:
    link = host.link_to(root)
    async with AsyncClient.connected(link.places.socket) as client:

        def ring(_: Event) -> None:
            host.looks.output_news.set()

        client.deliver_to(ring)
        await client.request(requests.Subscribe(channels=("output", "session_ended")))
        tape, seen, is_first = Tape(), 0, True
        opening = host.looks.openings
        # A pane that has been opened anew is empty: what it had is to be sent again.
        while OUTPUT in host.looks.shown and opening == host.looks.openings and _is_same(host, root, session):
            # Before asking: what comes while the answer is on its way rings again.
            host.looks.output_news = anyio.Event()
            answer = await client.request(requests.Output(session_id=session.id, after_seq=seen))
            if not isinstance(answer, responses.Output):
                return
            chunks = answer.chunks
            if answer.dropped > seen:
                # The numbers of a session begin at 1, and its oldest fall out first.
                tape.feed(
                    f"\n… {answer.dropped - seen} pieces of output were printed faster than they are kept\n", NOTE
                )
                seen = answer.dropped
            seen = max([seen, *(chunk.seq or 0 for chunk in chunks)])
            if chunks or is_first:
                await _feed(tape, chunks)
                await _send(host, tape, session, is_first=is_first)
                is_first = False
                await anyio.sleep(PAUSE)
            else:
                await host.looks.output_news.wait()


def _is_same(host: Host, root: str, session: Session) -> bool:
    found = _shown(host)
    return found is not None and found[0] == root and found[1].id == session.id


async def _feed(tape: Tape, chunks: tuple[objects.OutputChunk, ...]) -> None:
    for chunk in chunks:
        if chunk.category == "telemetry":
            continue
        for at in range(0, len(chunk.output), SLICE):
            tape.feed(chunk.output[at : at + SLICE], STREAMS.get(chunk.category, ""))
            await anyio.lowlevel.checkpoint()


async def _send(host: Host, tape: Tape, session: Session, *, is_first: bool) -> None:
    change = tape.change()
    name = session.program.rpartition("/")[2]
    for at in range(0, len(change.lines), MOST_LINES):
        piece: dict[str, Any] = {
            "reset": is_first and at == 0,
            "drop": change.drop if at == 0 else 0,
            "first": change.first + at,
            "lines": change.lines[at : at + MOST_LINES],
            "lost": change.lost,
            "title": f"Output of {name}" if name else "Output",
        }
        host.looks.printed = anyio.Event()
        host.editor.print(piece)
        with anyio.move_on_after(PRINTED_SECONDS):
            await host.looks.printed.wait()
