"""What every client of the daemon may rely on, whatever it is written in: bare frames on a real socket."""

import json
import os
import shutil
import stat
import struct
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from lazydap_core.client.blocking import BlockingClient
from lazydap_core.errors import DaemonUnreachable
from lazydap_core.protocol import codec, events, objects, requests, responses
from lazydap_core.protocol.dialect import FEATURES
from lazydap_core.protocol.framing import MAX_BODY
from lazydap_daemon.server import connection as connection_module
from lazydap_daemon.server import server as server_module
from lazydap_daemon.server.connection import KEPT_EVENTS
from lazydap_daemon.server.listener import Listener
from tests.daemon.serving import (
    ALL_CHANNELS,
    DEADLINE,
    INSTANCE,
    Served,
    blocking_socket,
    envelope,
    no_adapter,
    places_of,
    serving,
)
from tests.fakes.engine import SESSION, output, session, stopped

WAITING = {
    "Continue": {
        "session_id": str(SESSION),
        "thread_id": None,
        "wait": {"Wait": {"timeout_ms": None}},
        "all_threads": False,
    }
}
BREAK = {"BreakpointAdd": {"breakpoint": {"source": "a.py", "line": 3, "enabled": True}, "dry_run": False}}


# -- handshake and status ---------------------------------------------------------------------------------------------


async def test_a_client_learns_the_daemon_s_protocol_version_before_anything_else(served: Served) -> None:
    async with served.client() as client:
        pong = (await client.ask("Ping"))["Response"]["Pong"]

    assert (pong["version"], pong["instance"], pong["features"]) == (10, INSTANCE, list(FEATURES))
    assert pong["uptime_ms"] >= 0


async def test_status_reports_a_daemon_with_no_session(served: Served) -> None:
    async with served.client() as client:
        status = (await client.ask("Status"))["Response"]["Status"]

    assert status["instance"] == INSTANCE
    assert status["daemon_pid"] == os.getpid()
    assert status["protocol_version"] == 10
    assert status["session"] is None
    assert status["root"] == str(served.places.root)


async def test_several_requests_share_one_connection_and_keep_their_ids_straight(served: Served) -> None:
    async with served.client() as client:
        for number in (7, 7, 3):
            await client.send("Status", id=number)
        assert [(await client.read())["id"] for _ in range(3)] == [7, 7, 3]


@pytest.mark.parametrize("version", range(4, 11))
async def test_each_client_is_answered_in_its_own_version(served: Served, version: int) -> None:
    async with served.client() as client:
        await client.send("Ping", version=version)
        answer = await client.read()
        assert (answer["version"], answer["payload"]["Response"]["Pong"]["version"]) == (version, version)
        assert (await client.ask("Status", version=version))["Response"]["Status"]["protocol_version"] == version
        assert (await client.ask("Version", version=version))["Response"]["Version"]["protocol"] == version


async def test_clients_of_two_versions_see_the_same_stop_each_in_its_shape(served: Served) -> None:
    async with served.client("stopped", version=4) as old, served.client("stopped") as new:
        served.hub.publish(stopped())
        old_event, new_event = await old.read(), await new.read()

    assert (old_event["version"], new_event["version"]) == (4, 10)
    assert "adapter_thread_id" not in old_event["payload"]["Event"]["Stopped"]
    assert "adapter_thread_id" in new_event["payload"]["Event"]["Stopped"]


@pytest.mark.parametrize("version", [0, 3, 11, 9999])
async def test_a_ping_is_answered_whatever_version_it_arrives_on(served: Served, version: int) -> None:
    async with served.client() as client:
        await client.send("Ping", version=version)
        answer = await client.read()

    assert (answer["version"], answer["payload"]["Response"]["Pong"]["version"]) == (10, 10)


async def test_a_request_from_another_build_is_refused_with_both_versions(served: Served) -> None:
    async with served.client() as client:
        for request in ("Status", {"Subscribe": {"channels": ["stopped"]}}):
            error = (await client.ask(request, version=9999))["Error"]
            assert error["code"] == "VersionMismatch"
            assert error["details"] == {"daemon_version": 10, "client_version": 9999}
        served.hub.publish(stopped())
        assert "Response" in await client.ask("Status")


async def test_a_request_that_only_a_later_version_knows_is_a_matter_of_version_too(served: Served) -> None:
    async with served.client() as client:
        error = (await client.ask({"Teleport": {"to": 3}}, version=11))["Error"]
        assert (error["code"], error["details"]["client_version"]) == ("VersionMismatch", 11)
        assert "Response" in await client.ask("Status")


async def test_what_is_no_request_is_refused_on_its_own_id_before_its_version_is_looked_at(served: Served) -> None:
    async with served.client() as client:
        for version in (10, 9999):
            payload = {"Response": {"Version": {"lazydap": "x", "protocol": 1}}}
            await client.send_body(json.dumps({"version": version, "id": 5, "payload": payload}).encode())
            answer = await client.read()
            assert (answer["id"], answer["payload"]["Error"]["code"]) == (5, "BadRequest")
        assert "Response" in await client.ask("Status")


async def test_a_socket_is_readable_by_nobody_else_and_the_pid_file_says_who_listens(served: Served) -> None:
    assert stat.S_IMODE(served.places.socket.stat().st_mode) == 0o600
    assert served.places.pid.read_text() == str(os.getpid())


# -- unreadable and oversized ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">I", 7) + b"garbage",
        struct.pack(">I", 0),
        struct.pack(">I", MAX_BODY + 1),
        struct.pack(">I", 5) + b"{}{}",
        struct.pack(">I", 60) + envelope(1, "Nonsense"),
    ],
    ids=["no JSON", "empty", "too large", "cut off", "unknown request"],
)
async def test_a_frame_the_daemon_cannot_read_is_answered_before_it_hangs_up(served: Served, data: bytes) -> None:
    async with served.client() as client:
        await client.send_bytes(data)
        await client.stream.send_eof()
        answer = await client.read()
        assert answer["id"] == 0
        assert answer["payload"]["Error"]["code"] == "BadRequest"
        assert answer["payload"]["Error"]["details"] == {}
        assert "\n" not in answer["payload"]["Error"]["message"]
        assert await client.is_closed()


async def test_a_channel_nobody_knows_is_an_unreadable_frame(served: Served) -> None:
    async with served.client() as client:
        await client.send({"Subscribe": {"channels": ["stopped", "nonsense"]}})
        assert (await client.read())["payload"]["Error"]["code"] == "BadRequest"
        assert await client.is_closed()


async def test_a_frame_torn_into_bytes_is_read_like_a_whole_one(served: Served) -> None:
    body = envelope(3, "Status")
    async with served.client() as client:
        for byte in struct.pack(">I", len(body)) + body:
            await client.send_bytes(bytes((byte,)))
        assert (await client.read())["id"] == 3


async def test_a_reply_that_cannot_be_framed_is_refused_rather_than_hung_up_on(served: Served) -> None:
    served.engine.session = session(program="x" * MAX_BODY)
    async with served.client() as client:
        error = (await client.ask("Status"))["Error"]
        assert error["code"] == "BadRequest"
        assert error["details"] == {"max_frame_bytes": MAX_BODY}
        assert "16 MiB" in error["message"]
        served.engine.session = None
        assert "Response" in await client.ask("Status")


async def test_an_event_that_cannot_be_framed_does_not_take_the_subscription_with_it(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async with served.client("output", "stopped") as client:
        served.hub.publish(output("x" * MAX_BODY))
        served.hub.publish(stopped())
        assert "Stopped" in await client.event()
    assert "Output" in caplog.text


async def test_a_reply_of_many_megabytes_arrives_whole(served: Served) -> None:
    served.engine.session = session(program="y" * (MAX_BODY - 4096))
    async with served.client() as client:
        status = (await client.ask("Status"))["Response"]["Status"]
    assert len(status["session"]["program"]) == MAX_BODY - 4096


async def test_a_fault_of_the_daemon_is_told_to_the_one_who_met_it(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(_: Any) -> responses.Response:
        raise ZeroDivisionError("never")

    served.engine.scripts[requests.Continue] = fails
    async with served.client() as client:
        error = (await client.ask(WAITING))["Error"]
        assert error["code"] == "DaemonInternalError"
        assert "lazydap logs" in error["message"]
        assert "Response" in await client.ask("Status")
    assert "ZeroDivisionError" in caplog.text


# -- one at a time, in order -------------------------------------------------------------------------------------------


async def test_a_request_read_while_another_is_in_flight_is_answered_after_it(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client() as client:
        waiting = await client.send(WAITING)
        status = await client.send("Status")
        await _until(lambda: bool(served.engine.handled))
        await anyio.lowlevel.checkpoint()
        may_end.set()
        assert [(await client.read())["id"] for _ in range(2)] == [waiting, status]


async def test_an_unreadable_frame_mid_request_costs_neither_answer(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client() as client:
        waiting = await client.send(WAITING)
        await client.send_body(b"garbage")
        await client.send("Status")
        await _until(lambda: bool(served.engine.handled))
        may_end.set()
        assert (await client.read())["id"] == waiting
        unreadable = await client.read()
        assert (unreadable["id"], unreadable["payload"]["Error"]["code"]) == (0, "BadRequest")
        assert await client.is_closed()


async def test_a_client_that_hangs_up_leaves_the_daemon_serving_everybody_else(served: Served) -> None:
    served.engine.scripts[requests.Continue] = _held(anyio.Event())
    async with served.client() as other:
        async with served.client() as client:
            await client.send(WAITING)
            await _until(lambda: bool(served.engine.handled))
        await _until(lambda: bool(served.engine.cancelled))
        assert "Response" in await other.ask("Status")


async def test_a_hang_up_behind_a_second_request_still_ends_the_wait(served: Served) -> None:
    served.engine.scripts[requests.Continue] = _held(anyio.Event())
    async with served.client() as client:
        await client.send(WAITING)
        await client.send(WAITING)
        await _until(lambda: bool(served.engine.handled))
    await _until(lambda: bool(served.engine.cancelled))
    assert len(served.engine.handled) == 1


async def test_a_client_that_closes_its_side_first_still_gets_its_answers(served: Served) -> None:
    async with served.client() as client:
        await client.send("Status")
        await client.send("Ping")
        await client.stream.send_eof()
        assert [(await client.read())["id"] for _ in range(2)] == [1, 2]
        assert await client.is_closed()


async def test_two_connections_are_served_at_once(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client() as slow, served.client() as quick:
        await slow.send(WAITING)
        assert "Response" in await quick.ask("Status")
        may_end.set()
        assert "Response" in (await slow.read())["payload"]


async def test_a_flood_of_requests_on_one_connection_does_not_starve_another(served: Served) -> None:
    count = 300
    async with served.client() as flooding, served.client() as other:
        await flooding.send_bytes(b"".join(_framed(envelope(number, "BreakpointList")) for number in range(count)))
        assert "Response" in await other.ask("Status")
        assert len(served.engine.handled) < count / 3
        assert [(await flooding.read())["id"] for _ in range(count)] == list(range(count))


# -- subscriptions ----------------------------------------------------------------------------------------------------


async def test_subscribing_is_answered_with_the_state_the_subscription_starts_from(served: Served) -> None:
    served.engine.session = session()
    async with served.client() as client:
        status = await client.subscribe("stopped")

    assert status["session"]["state"] == "paused"


async def test_a_subscriber_is_pushed_events_as_they_happen(served: Served) -> None:
    async with served.client("stopped") as client:
        served.hub.publish(stopped())
        message = await client.read()

    assert (message["id"], message["payload"]["Event"]["Stopped"]["session_id"]) == (0, str(SESSION))


async def test_an_event_is_on_its_way_before_the_publisher_goes_on(served: Served) -> None:
    async with served.client("stopped") as client:
        raw = client.stream.extra(anyio.abc.SocketAttribute.raw_socket)
        served.hub.publish(stopped())
        # No turn of the loop in between: what is read here was written by `publish` itself.
        assert b"Stopped" in raw.recv(4096)


async def test_an_event_the_client_did_not_ask_for_is_not_pushed_at_it(served: Served) -> None:
    async with served.client("stopped") as client:
        served.hub.publish(output("unasked"))
        served.hub.publish(stopped())
        assert "Stopped" in await client.event()


async def test_a_subscriber_can_still_ask_questions_and_get_its_own_answers_back(served: Served) -> None:
    async with served.client("stopped") as client:
        served.hub.publish(stopped())
        number = await client.send("Status")
        messages = [await client.read() for _ in range(2)]

    assert [message["id"] for message in messages] == [0, number]


async def test_subscribing_again_replaces_the_kinds_rather_than_adding_to_them(served: Served) -> None:
    async with served.client("output") as client:
        await client.subscribe("stopped", "stopped")
        served.hub.publish(output("no more"))
        served.hub.publish(stopped())
        assert "Stopped" in await client.event()
        await client.subscribe()
        served.hub.publish(stopped())
        assert "Response" in await client.ask("Status")


async def test_subscribing_again_drops_what_still_waits_for_the_old_subscription(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client("stopped") as client:
        await client.send(WAITING)
        await client.send({"Subscribe": {"channels": ["stopped"]}})
        await _until(lambda: bool(served.engine.handled))
        served.hub.publish(stopped(1))
        may_end.set()
        assert [(await client.read())["id"] for _ in range(2)] == [2, 3]
        served.hub.publish(stopped(2))
        assert (await client.event())["Stopped"]["thread_id"] == 2


async def test_nothing_is_encoded_for_a_client_that_has_left(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served.client("stopped") as client:
        await client.ask("Ping")
    async with served.client() as other:
        await other.ask("Ping")
        monkeypatch.setattr(codec, "encode", None)
        served.hub.publish(stopped())
        monkeypatch.undo()


async def test_a_client_that_never_subscribed_is_sent_no_events_at_all(served: Served) -> None:
    async with served.client() as client:
        await client.ask("Ping")
        served.hub.publish(stopped())
        assert "Response" in await client.ask("Status")


async def test_nothing_happens_between_the_snapshot_and_the_first_event(served: Served) -> None:
    async with served.client() as client:
        number = await client.send({"Subscribe": {"channels": ["breakpoint_updated"]}})
        served.store.add_breakpoint(objects.NewBreakpoint(source="a.py", line=1, enabled=True), dry_run=False)
        assert (await client.read())["id"] == number
        served.hub.publish(events.BreakpointUpdated(breakpoint=objects.AdapterBreakpoint(id=1, verified=False)))
        assert "BreakpointUpdated" in await client.event()


async def test_the_reply_precedes_the_event_on_the_connection_that_caused_it(served: Served) -> None:
    async with served.client("breakpoint_updated") as client, served.client("breakpoint_updated") as other:
        number = await client.send(BREAK)
        first, second = await client.read(), await client.read()
        assert (first["id"], second["id"]) == (number, 0)
        assert "BreakpointUpdated" in await other.event()


async def test_events_of_a_wait_follow_its_answer_and_reach_others_at_once(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client("stopped") as waiting, served.client("stopped") as watching:
        number = await waiting.send(WAITING)
        await _until(lambda: bool(served.engine.handled))
        served.hub.publish(stopped(1))
        served.hub.publish(stopped(2))
        assert (await watching.event())["Stopped"]["thread_id"] == 1
        may_end.set()
        assert (await waiting.read())["id"] == number
        assert [(await waiting.event())["Stopped"]["thread_id"] for _ in range(2)] == [1, 2]


async def test_a_request_wins_over_an_event_when_both_are_there(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.scripts[requests.Continue] = _held(may_end)
    async with served.client("stopped") as client:
        await client.send(WAITING)
        second = await client.send("Status")
        await _until(lambda: bool(served.engine.handled))
        served.hub.publish(stopped())
        may_end.set()
        await client.read()
        assert [(await client.read())["id"] for _ in range(2)] == [second, 0]


async def test_the_channel_stop_detail_is_heard_only_by_those_who_name_it(served: Served) -> None:
    detail = events.StopDetail(session_id=SESSION, stop=objects.Stop(generation=3))
    async with served.client(*ALL_CHANNELS) as plain, served.client("stop_detail", version=4) as ours:
        served.hub.publish(detail)
        assert (await ours.event())["StopDetail"]["stop"]["generation"] == 3
        assert "Response" in await plain.ask("Status")


async def test_an_event_is_encoded_once_for_each_version(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    encode = codec.encode

    def counted(id: int, payload: codec.Payload, version: int = 10) -> bytes:  # noqa: A002
        if isinstance(payload, events.Stopped):
            encoded.append(version)
        return encode(id, payload, version)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(served.client("stopped", version=v)) for v in (4, 10) * 5]
        monkeypatch.setattr(codec, "encode", counted)
        served.hub.publish(stopped())
        assert all(["Stopped" in await client.event() for client in clients])
    assert sorted(encoded) == [4, 10]


# -- slow clients -----------------------------------------------------------------------------------------------------


async def test_a_client_that_does_not_read_loses_its_oldest_events_and_holds_up_nobody(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    count = KEPT_EVENTS + 2000
    async with served.client("output") as lazy, served.client("output") as reading:
        received = 0
        for number in range(count):
            served.hub.publish(output(f"{number} {'x' * 1000}"))
            if number % 100 == 99:
                while received <= number:
                    await reading.event()
                    received += 1
        numbers = [int((await lazy.event())["Output"]["chunk"]["output"].split()[0]) for _ in range(KEPT_EVENTS)]
        while numbers[-1] != count - 1:
            numbers.append(int((await lazy.event())["Output"]["chunk"]["output"].split()[0]))
        assert "Response" in await lazy.ask("Status")

    assert numbers == sorted(numbers)
    assert len(numbers) < count
    await _until(lambda: f"{count - len(numbers)} events" in caplog.text)


async def test_a_client_that_leaves_its_answer_unread_is_given_up(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection_module, "REPLY_SECONDS", 0.05)
    served.engine.session = session(program="x" * (4 * 2**20))
    client = blocking_socket(served.places.socket)
    client.sendall(_framed(envelope(1, "Status")))
    await _until(lambda: "did not read" in caplog.text)
    client.close()
    async with served.client() as other:
        served.engine.session = None
        assert "Response" in await other.ask("Status")


# -- breakpoints and watches -------------------------------------------------------------------------------------------


async def test_a_breakpoint_set_with_no_session_is_announced_to_subscribers(served: Served) -> None:
    async with served.client("breakpoint_updated") as watching, served.client() as client:
        report = (await client.ask(BREAK))["Response"]["Breakpoints"]
        assert (report["action"], report["breakpoints"][0]["id"]) == ("added", 1)
        assert (await watching.event())["BreakpointUpdated"] == {
            "session_id": None,
            "breakpoint": {"id": 1, "verified": False, "line": 3},
        }


async def test_a_breakpoint_removed_with_no_session_is_announced_too(served: Served) -> None:
    async with served.client("breakpoint_updated") as watching, served.client() as client:
        await client.ask(BREAK)
        await watching.event()
        selector = {"Location": {"source": "a.py", "line": 3}}
        await client.ask({"BreakpointRemove": {"selector": selector, "dry_run": False}})
        assert (await watching.event())["BreakpointUpdated"]["breakpoint"]["id"] == 1


async def test_a_dry_run_announces_nothing_because_nothing_happened(served: Served) -> None:
    async with served.client("breakpoint_updated", "watch_updated") as client:
        dry = {"BreakpointAdd": {**BREAK["BreakpointAdd"], "dry_run": True}}
        assert (await client.ask(dry))["Response"]["Breakpoints"]["dry_run"] is True
        await client.ask({"WatchAdd": {"watch": {"expression": "x"}, "dry_run": True}})
        assert "Response" in await client.ask("Status")
    assert (served.store.breakpoints, served.store.watches) == ((), ())


async def test_watches_are_added_listed_removed_and_announced(served: Served) -> None:
    async with served.client("watch_updated") as watching, served.client() as client:
        add = {"WatchAdd": {"watch": {"expression": "a + b", "label": "sum"}, "dry_run": False}}
        watches = (await client.ask(add))["Response"]["Watches"]
        assert watches == {
            "action": "added",
            "dry_run": False,
            "watches": [{"id": 1, "expression": "a + b", "label": "sum"}],
            "not_found": [],
        }
        assert await watching.event() == {"WatchUpdated": {"watch_id": 1}}
        assert (await client.ask(add))["Response"]["Watches"] == watches
        assert (await client.ask("WatchList"))["Response"]["Watches"]["watches"] == watches["watches"]
        remove = {"WatchRemove": {"selector": {"Ids": [1, 5]}, "dry_run": False}}
        assert (await client.ask(remove))["Response"]["Watches"]["not_found"] == [5]
        assert await watching.event() == {"WatchUpdated": {"watch_id": 1}}
        assert (await client.ask("WatchList"))["Response"]["Watches"]["watches"] == []


async def test_a_breakpoint_added_by_hand_is_announced_when_it_is_noticed(served: Served) -> None:
    async with served.client("breakpoint_updated", "watch_updated") as watching:
        state = served.places.root / ".lazydap" / "state.toml"
        await anyio.Path(state.parent).mkdir()
        await anyio.Path(state).write_text('[[breakpoints]]\nid = 4\nsource = "b.py"\nline = 9\n')
        served.store.add_watch(objects.NewWatch(expression="x"), dry_run=False)
        assert await served.store.flush()
        assert (await watching.event())["BreakpointUpdated"]["breakpoint"] == {"id": 4, "verified": False, "line": 9}


# -- doctor -----------------------------------------------------------------------------------------------------------


async def test_the_doctor_of_a_new_client_examines_only_the_daemon(served: Served) -> None:
    async with served.client() as client:
        report = (await client.ask("Doctor"))["Response"]["Doctor"]

    assert report["ok"] is True
    assert [check["name"] for check in report["checks"]] == ["daemon"]
    assert INSTANCE in report["checks"][0]["detail"]


async def test_the_doctor_of_an_old_client_examines_adapters_and_state_file(tmp_path: Path) -> None:
    def only_debugpy(kind: Any) -> str:
        return "/usr/bin/python3" if kind == "debugpy" else no_adapter(kind)

    def doctor(*, adapters: bool, state: bool) -> Any:
        return {"Doctor": {"check_adapters": adapters, "check_state": state}}

    async with serving(places_of(tmp_path / "p", os.environ), locate=only_debugpy) as served, served.client() as client:
        whole = (await client.ask(doctor(adapters=True, state=True), version=4))["Response"]["Doctor"]
        assert [(check["name"], check["ok"]) for check in whole["checks"]] == [
            ("adapter.codelldb", False),
            ("adapter.debugpy", True),
            ("state.file", True),
            ("daemon", True),
        ]
        assert whole["ok"] is True
        assert "not created yet" in whole["checks"][2]["detail"]
        part = (await client.ask(doctor(adapters=False, state=False), version=4))["Response"]["Doctor"]
        assert [check["name"] for check in part["checks"]] == ["daemon"]


# -- the end ----------------------------------------------------------------------------------------------------------


async def test_shutdown_is_acknowledged_and_tells_the_daemon_to_stop(served: Served) -> None:
    served.engine.session = session()
    served.store.add_watch(objects.NewWatch(expression="x"), dry_run=False)
    async with served.client() as client, served.client(*ALL_CHANNELS) as idle:
        ended = (await client.ask("Shutdown"))["Response"]["ShuttingDown"]
        assert [one["session_id"] for one in ended["sessions"]] == [str(SESSION)]
        assert served.server.is_ending
        assert await client.is_closed()
        assert await idle.is_closed()
        await served.ended(within=1.0)
    assert served.engine.shutdowns == 1
    assert not served.places.socket.exists()
    assert not served.places.pid.exists()
    assert "x" in (served.places.root / ".lazydap" / "state.toml").read_text()


async def test_everything_is_saved_before_the_socket_goes(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    was_saved: list[bool] = []
    release = Listener.release

    def released(listener: Listener) -> None:
        was_saved.append(not served.store.has_unsaved)
        release(listener)

    monkeypatch.setattr(Listener, "release", released)
    served.store.add_watch(objects.NewWatch(expression="x"), dry_run=False)
    served.server.end("now")
    await served.ended()

    assert was_saved[0]


async def test_a_finished_session_that_was_not_dropped_yet_is_named_in_the_shutdown(served: Served) -> None:
    served.engine.session = session("exited")
    async with served.client() as client:
        (named,) = (await client.ask("Shutdown"))["Response"]["ShuttingDown"]["sessions"]
    assert (named["session_id"], named["state"]) == (str(SESSION), "exited")


@pytest.mark.parametrize("version", [3, 4, 9999])
async def test_shutdown_crosses_protocol_versions_so_an_upgrade_can_land(served: Served, version: int) -> None:
    async with served.client() as client:
        assert "ShuttingDown" in (await client.ask("Shutdown", version=version))["Response"]
    await served.ended(within=1.0)


async def test_a_wait_under_way_is_answered_when_the_shutdown_ends_its_session(served: Served) -> None:
    may_end = anyio.Event()

    async def session_ends() -> None:
        may_end.set()

    served.engine.scripts[requests.Continue] = _held(may_end)
    served.engine.on_shutdown = session_ends
    async with served.client() as waiting, served.client() as client:
        number = await waiting.send(WAITING)
        await _until(lambda: bool(served.engine.handled))
        await client.ask("Shutdown")
        answer = await waiting.read()
        assert (answer["id"], "Response" in answer["payload"]) == (number, True)
        assert await waiting.is_closed()
        await served.ended(within=1.0)


async def test_a_request_that_never_ends_does_not_hold_up_the_end(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "DRAIN_SECONDS", 0.05)
    monkeypatch.setattr(server_module, "SESSION_SECONDS", 0.05)
    served.engine.scripts[requests.Continue] = _held(anyio.Event())
    served.engine.on_shutdown = anyio.sleep_forever
    async with served.client() as waiting, served.client() as client:
        await waiting.send(WAITING)
        await _until(lambda: bool(served.engine.handled))
        await client.ask("Shutdown")
        assert await waiting.is_closed()
        await served.ended(within=2.0)
    assert len(served.engine.cancelled) == 1


async def test_the_socket_is_gone_at_once_though_the_session_takes_its_time(served: Served) -> None:
    may_end = anyio.Event()
    served.engine.on_shutdown = may_end.wait
    async with served.client() as client:
        await client.ask("Shutdown")
        await _until(lambda: not served.places.socket.exists(), within=1.0)
        assert not served.has_ended.is_set()
        may_end.set()
    await served.ended(within=1.0)


async def test_a_subscriber_that_does_not_read_does_not_hold_up_the_end(served: Served) -> None:
    async with served.client("output"), served.client() as client:
        for _ in range(600):
            served.hub.publish(output("x" * 1000))
        await client.ask("Shutdown")
        await served.ended(within=1.0)


async def test_the_end_leaves_files_alone_that_another_daemon_has_taken(served: Served) -> None:
    served.places.socket.unlink()
    served.places.socket.write_text("another's")
    served.places.pid.write_text("1")
    served.server.end("now")
    await served.ended()

    assert served.places.socket.read_text() == "another's"
    assert served.places.pid.read_text() == "1"


async def test_an_unused_daemon_ends_by_itself(tmp_path: Path) -> None:
    async with serving(places_of(tmp_path / "p", os.environ), idle_exit=0.1) as served:
        async with served.client() as client:
            await anyio.sleep(0.3)
            assert "Response" in await client.ask("Status")
        await served.ended()
    assert served.engine.shutdowns == 1


@pytest.mark.parametrize("reason", ["session", "unsaved"])
async def test_a_daemon_that_is_needed_stays(tmp_path: Path, reason: str) -> None:
    async with serving(places_of(tmp_path / "p", os.environ), idle_exit=0.05) as served:
        if reason == "session":
            served.engine.session = session()
        else:
            served.store.add_watch(objects.NewWatch(expression="x"), dry_run=False)
            (served.places.root / ".lazydap").write_text("in the way")
        await anyio.sleep(0.3)
        assert not served.server.is_ending
        served.engine.session = session("exited")
        (served.places.root / ".lazydap").unlink(missing_ok=True)
        assert await served.store.flush()
        await served.ended()


# -- who listens ------------------------------------------------------------------------------------------------------


async def test_a_second_daemon_is_refused_and_touches_nothing(served: Served) -> None:
    with pytest.raises(DaemonUnreachable, match="already runs"):
        await Listener.bound(served.places)
    async with served.client() as client:
        assert "Response" in await client.ask("Status")
    assert served.places.pid.exists()


async def test_a_socket_file_that_nobody_listens_on_is_replaced(tmp_path: Path) -> None:
    places = places_of(tmp_path / "p", os.environ)
    places.socket.write_text("")
    async with serving(places) as served, served.client() as client:
        assert "Response" in await client.ask("Status")


@pytest.mark.parametrize("is_folder_gone", [False, True], ids=["file", "folder"])
async def test_a_socket_that_somebody_removed_is_made_anew_and_its_clients_stay(
    served: Served, is_folder_gone: bool
) -> None:
    async with served.client() as old:
        assert "Response" in await old.ask("Status")
        served.places.socket.unlink()
        served.places.pid.unlink()
        if is_folder_gone:
            shutil.rmtree(served.places.runtime)
        with anyio.fail_after(10):
            while not served.places.pid.exists():  # noqa: ASYNC110 - no event tells of a file
                await anyio.sleep(0.01)
        async with served.client() as new:
            assert "Response" in await new.ask("Status")
        assert "Response" in await old.ask("Status")
        assert stat.S_IMODE(served.places.runtime.stat().st_mode) == 0o700


def test_connecting_to_a_socket_with_nothing_behind_it_fails_as_unreachable(tmp_path: Path) -> None:
    with pytest.raises(DaemonUnreachable):
        BlockingClient.connect(places_of(tmp_path / "p", os.environ).socket, timeout=1.0)


# -- tools ------------------------------------------------------------------------------------------------------------


def _held(event: anyio.Event) -> Any:
    async def script(_: requests.Continue) -> responses.Response:
        await event.wait()
        return responses.Continued(session_id=SESSION, already_running=False)

    return script


def _framed(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


async def _until(is_so: Any, within: float = DEADLINE) -> None:
    with anyio.fail_after(within):
        while not is_so():  # noqa: ASYNC110  # what is waited for happens in the server, which tells nobody
            await anyio.sleep(0.002)
