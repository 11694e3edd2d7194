"""One conversation with an adapter, over streams in memory."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
import pytest

from lazydap_daemon.dap import connection as connection_module
from lazydap_daemon.dap.codec import MessageDecoder, encode
from lazydap_daemon.dap.connection import Connection, Event, Pending, error_text
from lazydap_daemon.dap.errors import BodyMalformed, RequestRefused, RequestTimedOut, StreamBroken
from lazydap_daemon.dap.messages import StoppedBody, ThreadsBody


class Peer:
    """The adapter's end of a wire in memory; `written` are the writes, one entry each."""

    def __init__(self) -> None:
        self._in, self._out = anyio.create_memory_object_stream[bytes](1000)
        self._decoder = MessageDecoder()
        self.written: list[bytes] = []
        self.requests: list[dict[str, Any]] = []
        self.is_deaf = False
        self.is_stuck = False

    def write(self, data: bytes) -> None:
        if self.is_deaf:
            raise StreamBroken("has closed its input")
        self.written.append(data)
        self.requests += [json.loads(body) for body in self._decoder.feed(data)]

    async def drained(self) -> None:
        if self.is_stuck:
            await anyio.sleep_forever()

    async def pump(self, receive: Callable[[bytes], None]) -> str:
        async for data in self._out:
            receive(data)
        return "closed its stream"

    def close(self) -> None:
        self._in.close()
        self._out.close()

    def say(self, *messages: dict[str, Any]) -> None:
        self.say_raw(b"".join(encode({"seq": 0, **message}) for message in messages))

    def say_raw(self, data: bytes) -> None:
        self._in.send_nowait(data)

    def hang_up(self) -> None:
        self._in.close()


def answer(seq: int, body: Any = None, **more: Any) -> dict[str, Any]:
    return {"type": "response", "request_seq": seq, "success": True, "command": "", "body": body, **more}


def event(name: str, body: Any = None) -> dict[str, Any]:
    return {"type": "event", "event": name, "body": body}


class Told:
    """What a connection told its owner, in order."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.events: list[Event] = []
        self.noise: list[bytes] = []
        self.broken: StreamBroken | None = None

    def on_event(self, event: Event) -> None:
        self.order.append(event.name)
        self.events.append(event)


@asynccontextmanager
async def conversation() -> AsyncGenerator[tuple[Connection, Peer, Told]]:
    peer, told = Peer(), Told()
    connection = Connection(peer, on_event=told.on_event, on_noise=told.noise.append)

    async def run() -> None:
        try:
            await connection.run()
        except StreamBroken as error:
            told.broken = error

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        yield connection, peer, told
        tasks.cancel_scope.cancel()
    peer.close()


async def until(condition: Any) -> None:
    with anyio.fail_after(5):
        while not condition():
            await anyio.lowlevel.checkpoint()


async def test_a_request_is_one_write_and_its_answer_is_found_by_its_number() -> None:
    async with conversation() as (connection, peer, _):
        pending = await connection.send("threads", {"x": 1})
        assert peer.written == [
            encode({"seq": pending.seq, "type": "request", "command": "threads", "arguments": {"x": 1}})
        ]
        peer.say(answer(pending.seq, {"threads": [{"id": 0, "name": "main"}]}))
        body = (await pending.reply(5)).decode(ThreadsBody)
        assert [(thread.id, thread.name) for thread in body.threads] == [(0, "main")]


async def test_answers_may_come_in_any_order_and_without_a_command() -> None:
    async with conversation() as (connection, peer, _):
        first, second = await connection.send("threads"), await connection.send("modules")
        peer.say(answer(second.seq, 2), answer(first.seq, 1, command="threads"), answer(777, 3))
        assert ((await first.reply(5)).plain(), (await second.reply(5)).plain()) == (1, 2)


async def test_arguments_may_be_a_struct_and_none_are_left_out() -> None:
    class Where(msgspec.Struct):
        line: int

    async with conversation() as (connection, peer, _):
        await connection.send("here", Where(3))
        await connection.notify("cancel")
        assert peer.requests[0]["arguments"] == {"line": 3}
        assert "arguments" not in peer.requests[1]


async def test_the_hook_of_an_answer_runs_before_the_event_behind_it() -> None:
    async with conversation() as (connection, peer, told):
        pending = await connection.send(
            "setBreakpoints", on_body=lambda body: told.order.append(f"hook {body.plain()}")
        )
        peer.say(event("before"), answer(pending.seq, 5), event("breakpoint"))
        await pending.reply(5)
        assert told.order == ["before", "hook 5", "breakpoint"]


async def test_the_hook_runs_though_nobody_waits_any_more() -> None:
    async with conversation() as (connection, peer, _):
        bodies: list[Any] = []
        pending = await connection.send("setBreakpoints", on_body=lambda body: bodies.append(body.plain()))
        with pytest.raises(RequestTimedOut, match="setBreakpoints"):
            await pending.reply(0.001)
        peer.say(answer(pending.seq, 1))
        await until(lambda: bodies == [1])
        assert pending.is_answered
        assert (await pending.reply(0)).plain() == 1


async def test_the_hook_does_not_see_a_refusal() -> None:
    async with conversation() as (connection, peer, told):
        pending = await connection.send("setBreakpoints", on_body=lambda _: told.order.append("hook"))
        peer.say(answer(pending.seq, success=False, message="no"))
        with pytest.raises(RequestRefused) as refused:
            await pending.reply(5)
        assert (refused.value.command, refused.value.text, told.order) == ("setBreakpoints", "no", [])


@pytest.mark.parametrize(
    ("body", "message", "text"),
    [
        ({"error": {"format": "no {name}", "variables": {"name": "symbol"}}}, "Unable to evaluate", "no symbol"),
        ({"error": {"format": "in full"}}, None, "in full"),
        ({"error": {"format": "kept {as} it is", "variables": None}}, "x", "kept {as} it is"),
        ({"error": {"id": 1}}, "the message", "the message"),
        ({"error": {"format": " "}}, "the message\n", "the message"),
        (None, "the message", "the message"),
        (None, None, ""),
        (None, 7, ""),
    ],
)
def test_the_adapters_own_words_are_found(body: Any, message: Any, text: str) -> None:
    assert error_text(body, message) == text


async def test_a_request_that_is_not_answered_times_out() -> None:
    async with conversation() as (connection, _, _):
        with pytest.raises(RequestTimedOut) as timed_out:
            await connection.request("pause", timeout=0.01)
        assert (timed_out.value.command, timed_out.value.seconds) == ("pause", 0.01)


async def test_everything_pending_fails_when_the_stream_ends() -> None:
    async with conversation() as (connection, peer, told):
        first, second = await connection.send("next"), await connection.send("threads")
        peer.hang_up()
        for pending in (first, second):
            with pytest.raises(StreamBroken, match="closed its stream"):
                await pending.reply(5)
        await until(lambda: told.broken is not None)
        assert connection.broken == "the adapter closed its stream"
        with pytest.raises(StreamBroken, match="closed its stream"):
            await connection.send("threads")


async def test_the_last_words_before_the_end_are_dispatched() -> None:
    async with conversation() as (_, peer, told):
        peer.say(event("exited"), event("terminated"))
        peer.say_raw(b"Aborted\n")
        peer.hang_up()
        await until(lambda: told.broken is not None)
        assert (told.order, told.noise) == (["exited", "terminated"], [b"Aborted\n"])


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"Content-Length: 5\r\n\r\n{", "in the middle of a message"),
        (b"Content-Length: 1\r\n\r\n{", "not speak the debug adapter"),
        (encode({"type": "question"}), "message type 'question'"),
        (encode({"seq": 1}), "not speak the debug adapter"),
        (b"Content-Length: 2\r\n\r\n[]", "not speak the debug adapter"),
        (b"Content-Length: 9999999999999\r\n\r\n", "more than"),
    ],
    ids=["torn", "no JSON", "unknown type", "no type", "no object", "too long"],
)
async def test_a_stream_that_is_no_protocol_is_broken(data: bytes, detail: str) -> None:
    async with conversation() as (connection, peer, told):
        pending = await connection.send("threads")
        peer.say_raw(encode({"seq": 1, **event("first")}) + data)
        if detail == "in the middle of a message":
            peer.hang_up()
        with pytest.raises(StreamBroken, match=detail):
            await pending.reply(5)
        await until(lambda: told.broken is not None)
        assert told.order == ["first"]


async def test_an_adapter_that_closes_its_input_is_still_heard() -> None:
    async with conversation() as (connection, peer, told):
        peer.is_deaf = True
        with pytest.raises(StreamBroken, match="closed its input"):
            await connection.send("threads")
        peer.say(event("terminated"))
        await until(lambda: told.order == ["terminated"])
        assert told.broken is None


async def test_an_adapter_that_reads_nothing_breaks_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "WRITE_DEADLINE", 0.01)
    async with conversation() as (connection, peer, told):
        pending = await connection.send("threads")
        peer.is_stuck = True
        with pytest.raises(StreamBroken, match="has read nothing for"):
            await connection.send("next")
        with pytest.raises(StreamBroken, match="has read nothing for"):
            await pending.reply(5)
        await until(lambda: told.broken is not None)


async def test_a_cancelled_send_has_written_the_whole_message() -> None:
    async with conversation() as (connection, peer, _):
        peer.is_stuck = True
        with anyio.move_on_after(0.01):
            await connection.send("next")
        assert [request["command"] for request in peer.requests] == ["next"]
        peer.say(answer(peer.requests[0]["seq"]), event("stopped"))


async def test_a_request_can_be_sent_from_within_an_event() -> None:
    peer, sent = Peer(), list[Pending]()
    connection = Connection(peer, on_event=lambda _: sent.append(connection.send_nowait("stackTrace")))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.run)
        peer.say(event("stopped"))
        await until(lambda: sent)
        peer.say(answer(sent[0].seq, 1))
        assert (await sent[0].reply(5)).plain() == 1
        tasks.cancel_scope.cancel()
    peer.close()


async def test_a_request_of_the_adapter_is_refused_by_name() -> None:
    async with conversation() as (connection, peer, _):
        pending = await connection.send("launch")
        peer.say({"type": "request", "seq": 41, "command": "runInTerminal", "arguments": {"args": []}})
        await until(lambda: len(peer.requests) == 2)
        refusal = peer.requests[1]
        assert (refusal["type"], refusal["request_seq"], refusal["success"]) == ("response", 41, False)
        assert refusal["message"] == "lazydap does not support runInTerminal"
        assert refusal["seq"] > pending.seq


async def test_a_refusal_that_cannot_be_sent_does_no_harm() -> None:
    async with conversation() as (_, peer, told):
        peer.is_deaf = True
        peer.say({"type": "request", "seq": 1, "command": "runInTerminal"}, event("stopped"))
        await until(lambda: told.order == ["stopped"])


async def test_noise_is_told_apart_from_messages() -> None:
    async with conversation() as (_, peer, told):
        peer.say_raw(b"Warning: unknown option\n" + encode(event("stopped")))
        await until(lambda: told.order == ["stopped"])
        assert told.noise == [b"Warning: unknown option\n"]


async def test_a_body_of_another_shape_is_named() -> None:
    async with conversation() as (connection, peer, told):
        pending = await connection.send("threads")
        peer.say(answer(pending.seq, {"threads": 5}), event("stopped", {"threadId": "x"}))
        with pytest.raises(BodyMalformed, match="threads"):
            (await pending.reply(5)).decode(ThreadsBody)
        with pytest.raises(BodyMalformed, match="stopped"):
            told.events[0].decode(StoppedBody)


async def test_ids_may_be_zero_or_negative_and_keys_unknown_or_null() -> None:
    async with conversation() as (_, peer, told):
        peer.say(event("stopped", {"threadId": 0, "hitBreakpointIds": [-1, 0], "text": None, "new": {"x": 1}}))
        await until(lambda: told.events)
        body = told.events[0].decode(StoppedBody)
        assert (body.reason, body.thread_id, body.hit_breakpoint_ids, body.text) == ("", 0, (-1, 0), None)


@pytest.mark.parametrize("message", [event("stopped"), {"type": "event", "event": "stopped"}], ids=["null", "none"])
async def test_an_absent_body_reads_as_an_empty_one(message: dict[str, Any]) -> None:
    async with conversation() as (_, peer, told):
        peer.say(message)
        await until(lambda: told.events)
        assert told.events[0].decode(StoppedBody) == StoppedBody()
        assert told.events[0].plain() == {}


async def test_text_that_is_no_unicode_does_not_break_the_stream() -> None:
    raw = b'{"type":"event","event":"output","body":{"output":"a\\ud800b\xff"}}'
    async with conversation() as (_, peer, told):
        peer.say_raw(b"Content-Length: %d\r\n\r\n%b" % (len(raw), raw))
        await until(lambda: told.events)
        assert told.events[0].plain() == {"output": "a?b\ufffd"}


async def test_every_body_is_traced_with_its_direction() -> None:
    peer, seen = Peer(), list[tuple[str, bytes]]()
    connection = Connection(peer, on_event=lambda _: None, trace=lambda way, data: seen.append((way, data)))
    await connection.notify("cancel")
    peer.say(event("stopped"))
    peer.hang_up()
    with pytest.raises(StreamBroken):
        await connection.run()
    assert [way for way, _ in seen] == [">", "<"]
    assert json.loads(seen[1][1])["event"] == "stopped"
    peer.close()


async def test_an_error_of_the_owner_is_not_swallowed() -> None:
    def fails(_: Event) -> None:
        raise ZeroDivisionError

    peer = Peer()
    connection = Connection(peer, on_event=fails)
    peer.say(event("stopped"))
    with pytest.raises(ZeroDivisionError):
        await connection.run()
    with pytest.raises(StreamBroken):
        await connection.send("threads")
    peer.close()
