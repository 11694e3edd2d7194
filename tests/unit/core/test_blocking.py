"""The client that waits, against a scripted daemon."""

import os
import socket
import time
from pathlib import Path
from uuid import UUID

import pytest

from lazydap_core.client.blocking import BlockingClient, send_shutdown
from lazydap_core.errors import BadRequest, DaemonUnreachable, ReplyTimedOut, SessionNotFound, VersionMismatch
from lazydap_core.protocol import events, requests, responses
from tests.fakes.daemon import Script, running_daemon

WATCH = {"WatchUpdated": {"watch_id": 7}}
VERSION = {"Version": {"lazydap": "1", "protocol": 10}}


def test_a_request_gets_its_answer(short_folder: Path) -> None:
    with (
        running_daemon(short_folder, {"features": ["stop_detail"]}) as daemon,
        BlockingClient.connect(daemon.socket) as client,
    ):
        status = client.request(requests.Status())

        assert isinstance(status, responses.Status)
        assert status.instance == client.pong.instance == "fake"
        assert client.features == {"stop_detail"}
        assert [entry["id"] for entry in daemon.requests()] == [1, 2]
        assert daemon.asked() == ["Ping", "Status"]


def test_an_answer_that_comes_byte_by_byte_is_an_answer(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"torn": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        assert client.request(requests.Version()) == responses.Version(lazydap="1", protocol=10)


def test_the_daemons_error_is_raised_with_its_details(short_folder: Path) -> None:
    error = {"code": "SessionNotFound", "message": "no such session", "details": {"session_id": "s"}}
    script: Script = {"answers": {"Version": [[{"error": error}]]}}
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        with pytest.raises(SessionNotFound, match="no such session") as refused:
            client.request(requests.Version())

        assert refused.value.details == {"session_id": "s"}
        assert isinstance(client.request(requests.Status()), responses.Status)


def test_events_between_answers_are_kept_in_order(short_folder: Path) -> None:
    numbered = [{"event": {"WatchUpdated": {"watch_id": number}}} for number in range(3)]
    script: Script = {"answers": {"Version": [[numbered[0], numbered[1], {"reply": VERSION}, numbered[2]]]}}
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        client.request(requests.Version())

        heard = [client.next_event(5.0) for _ in range(3)]

        assert heard == [events.WatchUpdated(watch_id=number) for number in range(3)]
        assert client.next_event(0.0) is None


def test_events_are_handed_out_until_the_time_is_over(short_folder: Path) -> None:
    with running_daemon(short_folder, {}) as daemon, BlockingClient.connect(daemon.socket) as client:
        client.request(requests.Subscribe(channels=("watch_updated",)))
        daemon.broadcast(WATCH)

        started = time.monotonic()
        assert list(client.events(0.2)) == [events.WatchUpdated(watch_id=7)]
        assert time.monotonic() - started >= 0.2


def test_a_late_answer_is_not_taken_for_the_next_one(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"wait": 0.3}, {"reply": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        with pytest.raises(ReplyTimedOut):
            client.request(requests.Version(), 0.05)

        assert isinstance(client.request(requests.Status()), responses.Status)


@pytest.mark.parametrize("last", [{"close": True}, {"half": VERSION}, {"exit": 1}])
def test_a_daemon_that_goes_away_in_the_middle_is_unreachable(short_folder: Path, last: dict[str, object]) -> None:
    script: Script = {"answers": {"Version": [[last]]}}
    with (
        running_daemon(short_folder, script) as daemon,
        BlockingClient.connect(daemon.socket) as client,
        pytest.raises(DaemonUnreachable, match="closed the connection"),
    ):
        client.request(requests.Version())


def test_a_frame_the_daemon_could_not_read_fails_the_request_that_was_in_it(short_folder: Path) -> None:
    refusal: Script = {"Error": {"code": "BadRequest", "message": "unreadable", "details": {}}}
    script: Script = {"answers": {"Version": [[{"as": [0, refusal]}, {"close": True}]]}}
    with (
        running_daemon(short_folder, script) as daemon,
        BlockingClient.connect(daemon.socket) as client,
        pytest.raises(BadRequest, match="unreadable"),
    ):
        client.request(requests.Version())


def test_nonsense_instead_of_an_answer_is_unreachable(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"raw": "00000003" + b"{}}".hex()}]]}}
    with (
        running_daemon(short_folder, script) as daemon,
        BlockingClient.connect(daemon.socket) as client,
        pytest.raises(DaemonUnreachable, match="unreadable"),
    ):
        client.request(requests.Version())


@pytest.mark.parametrize("version", [3, 11])
def test_a_daemon_of_another_version_is_left_alone(short_folder: Path, version: int) -> None:
    with running_daemon(short_folder, {"version": version}) as daemon:
        with pytest.raises(VersionMismatch):
            BlockingClient.connect(daemon.socket)

        assert daemon.asked() == ["Ping"]
        assert daemon.process.poll() is None


def test_a_daemon_of_another_version_can_be_asked_to_end(short_folder: Path) -> None:
    with running_daemon(short_folder, {"version": 4}) as daemon:
        send_shutdown(daemon.socket, 4)
        assert daemon.process.wait(5) == 0


def test_a_greeting_that_is_not_answered_ends_in_time(short_folder: Path) -> None:
    with running_daemon(short_folder, {"answers": {"Ping": [[{"silence": True}]]}}) as daemon:
        started = time.monotonic()
        with pytest.raises(ReplyTimedOut):
            BlockingClient.connect(daemon.socket, 0.2)
        assert 0.15 < time.monotonic() - started < 3


def test_no_socket_is_unreachable_and_says_what_to_do(short_folder: Path) -> None:
    with pytest.raises(DaemonUnreachable, match="lazydap status"):
        BlockingClient.connect(short_folder / "none.sock")


def test_a_queue_of_connections_that_is_full_is_waited_for(short_folder: Path) -> None:
    path = short_folder / "busy.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(os.fspath(path))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as first:
            first.connect(os.fspath(path))
            started = time.monotonic()
            with pytest.raises(ReplyTimedOut):
                BlockingClient.connect(path, 0.2)
            assert time.monotonic() - started > 0.15


def test_a_request_that_cannot_be_written_whole_costs_the_connection(short_folder: Path) -> None:
    script: Script = {"answers": {"Version": [[{"wait": 2.0}]]}}
    large = requests.Eval(session_id=UUID(int=1), expression="x" * 2**22, context="repl")
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        with pytest.raises(ReplyTimedOut):
            client.request(requests.Version(), 0.05)
        with pytest.raises(ReplyTimedOut):
            client.request(large, 0.1)
        with pytest.raises(DaemonUnreachable):
            client.request(requests.Status(), 0.1)


def test_only_the_newest_events_are_kept(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazydap_core.client.blocking.KEPT_EVENTS", 2)
    numbered = [{"event": {"WatchUpdated": {"watch_id": number}}} for number in range(5)]
    script: Script = {"answers": {"Version": [[*numbered, {"reply": VERSION}]]}}
    with running_daemon(short_folder, script) as daemon, BlockingClient.connect(daemon.socket) as client:
        client.request(requests.Version())

        assert [client.next_event(1.0) for _ in range(2)] == [events.WatchUpdated(watch_id=number) for number in (3, 4)]
        assert client.dropped_events == 3
