"""The client for async programs, against a scripted daemon."""

from pathlib import Path

import anyio
import pytest

from lazydap_core.client.streaming import AsyncClient
from lazydap_core.errors import BadRequest, DaemonUnreachable, ReplyTimedOut, SessionNotFound, VersionMismatch
from lazydap_core.protocol import events, requests, responses
from tests.fakes.daemon import Script, running_daemon

VERSION = {"Version": {"lazydap": "1", "protocol": 10}}
WATCH = {"WatchUpdated": {"watch_id": 7}}


async def test_requests_that_overlap_each_get_their_own_answer(short_folder: Path) -> None:
    script: Script = {"features": ["stop_detail"], "answers": {"Version": [[{"wait": 0.1}, {"reply": VERSION}]]}}
    answers: dict[str, responses.Response] = {}

    async def ask(client: AsyncClient, request: requests.Request) -> None:
        answers[type(request).__name__] = await client.request(request)

    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client, anyio.create_task_group() as tasks:
            assert client.features == {"stop_detail"}
            for request in (requests.Version(), requests.Status(), requests.BreakpointList()):
                tasks.start_soon(ask, client, request)

    assert {name: type(answer).__name__ for name, answer in answers.items()} == {
        "Version": "Version",
        "Status": "Status",
        "BreakpointList": "Breakpoints",
    }


async def test_events_come_in_order_while_an_answer_is_awaited(short_folder: Path) -> None:
    numbered = [{"event": {"WatchUpdated": {"watch_id": number}}} for number in range(3)]
    script: Script = {"answers": {"Version": [[*numbered, {"reply": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            await client.request(requests.Version())
            heard: list[events.Event] = []
            async for event in client.events():
                heard.append(event)
                if len(heard) == 3:
                    break

    assert heard == [events.WatchUpdated(watch_id=number) for number in range(3)]


async def test_an_event_wakes_the_one_who_waits_for_it(short_folder: Path) -> None:
    with running_daemon(short_folder, {}) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            await client.request(requests.Subscribe(channels=("watch_updated",)))
            daemon.broadcast(WATCH)
            with anyio.fail_after(5):
                assert await anext(client.events()) == events.WatchUpdated(watch_id=7)


async def test_a_broken_connection_ends_both_waiting_and_listening(short_folder: Path) -> None:
    with running_daemon(short_folder, {"answers": {"Version": [[{"half": VERSION}]]}}) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with pytest.raises(DaemonUnreachable, match="closed the connection"):
                await client.request(requests.Version())
            with pytest.raises(DaemonUnreachable, match="closed the connection"):
                async for _ in client.events():
                    pass
            with pytest.raises(DaemonUnreachable):
                await client.request(requests.Version())


async def test_events_before_the_break_are_still_handed_out(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"event": WATCH}, {"close": True}]]}}
    heard: list[events.Event] = []

    async def listen(client: AsyncClient) -> None:
        async for event in client.events():
            heard.append(event)  # noqa: PERF401  # a comprehension would lose them when it raises

    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with pytest.raises(DaemonUnreachable):
                await client.request(requests.Version())
            with pytest.raises(DaemonUnreachable):
                await listen(client)

    assert heard == [events.WatchUpdated(watch_id=7)]


async def test_an_answer_that_takes_too_long_is_given_up_and_the_connection_kept(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"wait": 0.3}, {"reply": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with pytest.raises(ReplyTimedOut):
                await client.request(requests.Version(), 0.05)
            assert isinstance(await client.request(requests.Status()), responses.Status)


async def test_a_request_that_is_cancelled_leaves_the_connection_usable(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"wait": 0.2}, {"reply": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with anyio.move_on_after(0.05) as scope:
                await client.request(requests.Version())
            assert scope.cancelled_caught
            assert isinstance(await client.request(requests.Status()), responses.Status)


async def test_the_daemons_errors_are_raised_to_who_asked(short_folder: Path) -> None:
    error: Script = {"code": "SessionNotFound", "message": "gone", "details": {}}
    with running_daemon(short_folder, {"answers": {"Version": [[{"error": error}]]}}) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with pytest.raises(SessionNotFound, match="gone"):
                await client.request(requests.Version())


async def test_a_frame_the_daemon_could_not_read_fails_the_request_in_it(short_folder: Path) -> None:
    refusal: Script = {"Error": {"code": "BadRequest", "message": "unreadable", "details": {}}}
    script: Script = {"answers": {"Version": [[{"as": [0, refusal]}, {"close": True}]]}}
    with running_daemon(short_folder, script) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            with pytest.raises(BadRequest, match="unreadable"):
                await client.request(requests.Version())


async def test_a_daemon_of_another_version_is_refused(short_folder: Path) -> None:
    with running_daemon(short_folder, {"version": 11}) as daemon, pytest.raises(VersionMismatch):
        async with AsyncClient.connected(daemon.socket):
            pytest.fail("connected")


async def test_nobody_there_is_unreachable(short_folder: Path) -> None:
    with pytest.raises(DaemonUnreachable, match="no daemon answers"):
        async with AsyncClient.connected(short_folder / "none.sock"):
            pytest.fail("connected")


async def test_a_greeting_that_is_not_answered_ends_in_time(short_folder: Path) -> None:
    script: Script = {"answers": {"Ping": [[{"silence": True}]]}}
    with running_daemon(short_folder, script) as daemon, anyio.fail_after(3), pytest.raises(ReplyTimedOut):
        async with AsyncClient.connected(daemon.socket, 0.1):
            pytest.fail("connected")


async def test_an_error_of_the_callers_own_leaves_the_block_as_it_is(short_folder: Path) -> None:
    with running_daemon(short_folder, {}) as daemon:
        cause = ValueError("cause")
        with pytest.raises(KeyError) as raised:
            async with AsyncClient.connected(daemon.socket):
                raise KeyError("mine") from cause
        assert raised.value.__cause__ is cause


async def test_only_the_newest_events_are_kept(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazydap_core.client.streaming.KEPT_EVENTS", 2)
    numbered = [{"event": {"WatchUpdated": {"watch_id": number}}} for number in range(5)]
    with running_daemon(short_folder, {"answers": {"Version": [[*numbered, {"reply": VERSION}]]}}) as daemon:
        async with AsyncClient.connected(daemon.socket) as client:
            await client.request(requests.Version())
            heard: list[events.Event] = []
            async for event in client.events():
                heard.append(event)
                if len(heard) == 2:
                    break
            assert heard == [events.WatchUpdated(watch_id=number) for number in (3, 4)]
            assert client.dropped_events == 3
