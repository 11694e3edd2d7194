"""Who gave a command is told to everybody who looks on, by the name that the client gave itself."""

from pathlib import Path
from typing import Any

from lazydap_core.protocol import codec, events, objects, requests
from lazydap_core.protocol.framing import FrameDecoder, frame
from lazydap_daemon.session.actor import ACTING
from tests.daemon.rig import LOOP, rig
from tests.fakes.program import Line


def named(name: Any) -> codec.Envelope:
    body = b'{"version":10,"id":1,"client":%s,"payload":{"Request":"Ping"}}' % name
    (whole,) = FrameDecoder().feed(frame(body))
    return codec.decode(whole)


def test_a_client_says_its_name_in_the_envelope() -> None:
    body = codec.encode(1, requests.Ping(), client="Neovim 4711")
    assert body == b'{"version":10,"id":1,"client":"Neovim 4711","payload":{"Request":"Ping"}}'
    assert codec.decode(body).client == "Neovim 4711"


def test_whatever_else_stands_in_that_place_spoils_no_message() -> None:
    assert named(b"17").client is None
    assert named(b'{"a":1}').client is None
    assert named(b'""').client is None
    assert named(b'"' + b"x" * 300 + b'"').client == "x" * codec.LONGEST_CLIENT


async def test_events_tell_who_gave_the_command(tmp_path: Path) -> None:
    async with rig(tmp_path) as made:
        ACTING.set("Neovim 1")
        await made.start()
        await made.step()
        ACTING.set("command line")
        await made.step()
        ACTING.set(None)
        await made.step()
        ACTING.set("a script")
        await made.disconnect()
        await made.until(lambda: made.of(events.SessionEnded))
    assert [event.by for event in made.of(events.SessionStarted)] == ["Neovim 1"]
    assert [event.by for event in made.of(events.Continued)] == ["Neovim 1", "command line", None]
    assert [event.by for event in made.of(events.Stopped)] == ["Neovim 1", "command line", None]
    assert [event.by for event in made.of(events.SessionEnded)] == ["a script"]


async def test_a_pause_is_the_deed_of_whoever_asked_for_it(tmp_path: Path) -> None:
    slow = tuple(Line(line=line.line, seconds=0.01) for line in LOOP)
    async with rig(tmp_path) as made:
        ACTING.set("Neovim 1")
        await made.start(slow, stop_on_entry=False, loops=True)
        ACTING.set("command line")
        await made.pause(objects.NoWait())
        await made.until(lambda: made.state == "paused")
    assert [event.by for event in made.of(events.Stopped)] == ["command line"]
