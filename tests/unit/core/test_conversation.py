"""What a client says and hears, fed in every way bytes can arrive."""

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.client.conversation import Answer, Conversation, frozen_shutdown
from lazydap_core.errors import BadRequest, DaemonUnreachable, SessionNotFound, Unsupported, VersionMismatch
from lazydap_core.protocol import events, requests, responses

PONG = {"Response": {"Pong": {"version": 10, "instance": "i", "uptime_ms": 1, "features": ["stop_detail", "later"]}}}
VERSION = {"Response": {"Version": {"lazydap": "1", "protocol": 10}}}
WATCH = {"Event": {"WatchUpdated": {"watch_id": 7}}}


def _frame(number: int, payload: dict[str, Any], version: int = 10) -> bytes:
    body = json.dumps({"version": version, "id": number, "payload": payload}).encode()
    return struct.pack(">I", len(body)) + body


def _greeted() -> Conversation:
    conversation = Conversation()
    conversation.greeting()
    list(conversation.feed(_frame(1, PONG)))
    return conversation


def test_the_first_thing_said_is_a_ping_with_id_one() -> None:
    assert Conversation().greeting() == _as_sent('{"version":10,"id":1,"payload":{"Request":"Ping"}}')


def test_a_conversation_with_a_name_of_its_own_leaves_the_next_one_without() -> None:
    named = '{"version":10,"id":1,"client":"command line","payload":{"Request":"Ping"}}'
    assert Conversation("command line").greeting() == _as_sent(named)
    assert Conversation().greeting() == _as_sent('{"version":10,"id":1,"payload":{"Request":"Ping"}}')


def test_ids_count_up_from_the_greeting() -> None:
    conversation = _greeted()
    assert [conversation.ask(requests.Status())[0] for _ in range(3)] == [2, 3, 4]


def test_features_are_those_the_daemon_has_announced() -> None:
    conversation = Conversation()
    conversation.greeting()
    assert conversation.features == frozenset()
    list(conversation.feed(_frame(1, PONG)))
    assert conversation.features == {"stop_detail", "later"}


def test_a_daemon_that_announces_nothing_has_no_features() -> None:
    conversation = Conversation()
    conversation.greeting()
    list(conversation.feed(_frame(1, {"Response": {"Pong": {"version": 10, "instance": "i", "uptime_ms": 1}}})))
    assert conversation.features == frozenset()


@pytest.mark.parametrize("version", [4, 9])
def test_an_older_daemon_is_spoken_to_in_its_own_version(version: int) -> None:
    conversation = Conversation()
    conversation.greeting()
    pong = {"Response": {"Pong": {"version": version, "instance": "i", "uptime_ms": 1}}}
    list(conversation.feed(_frame(1, pong, version)))

    assert conversation.ask(requests.Status())[1] == _as_sent(
        f'{{"version":{version},"id":2,"payload":{{"Request":"Status"}}}}'
    )


def test_what_an_older_daemon_has_no_word_for_is_said_and_uses_no_id() -> None:
    conversation = Conversation()
    conversation.greeting()
    list(conversation.feed(_frame(1, {"Response": {"Pong": {"version": 4, "instance": "i", "uptime_ms": 1}}}, 4)))

    with pytest.raises(Unsupported, match=r"older lazydap \(protocol version 4 has no WatchList\): end it"):
        conversation.ask(requests.WatchList())
    assert conversation.ask(requests.Status())[0] == 2


@pytest.mark.parametrize("version", [3, 11, 99])
def test_a_daemon_of_another_version_is_refused_with_both_numbers(version: int) -> None:
    conversation = Conversation()
    conversation.greeting()
    pong = {"Response": {"Pong": {"version": version, "instance": "i", "uptime_ms": 1}}}

    with pytest.raises(VersionMismatch, match="lazydap shutdown") as refused:
        list(conversation.feed(_frame(1, pong, version)))

    assert refused.value.details == {"client_version": 10, "daemon_version": version}


def test_an_error_is_the_answer_to_its_request() -> None:
    conversation = _greeted()
    error = {"Error": {"code": "SessionNotFound", "message": "none", "details": {"session_id": "x"}}}
    (answer,) = conversation.feed(_frame(2, error))
    assert isinstance(answer, Answer)
    assert answer.id == 2
    assert isinstance(answer.outcome, SessionNotFound)
    assert answer.outcome.details == {"session_id": "x"}


def test_an_error_about_an_unreadable_frame_is_nobodys_answer() -> None:
    (answer,) = _greeted().feed(_frame(0, {"Error": {"code": "BadRequest", "message": "what?", "details": {}}}))
    assert isinstance(answer, Answer)
    assert answer.id == 0
    assert isinstance(answer.outcome, BadRequest)


def test_what_came_before_a_fault_is_heard_before_it() -> None:
    heard: list[object] = []
    with pytest.raises(DaemonUnreachable, match="unreadable"):
        heard.extend(_greeted().feed(_frame(0, WATCH) + struct.pack(">I", 3) + b"{}}"))
    assert heard == [events.WatchUpdated(watch_id=7)]


def test_what_came_before_a_huge_frame_is_heard_before_it() -> None:
    heard: list[object] = []
    with pytest.raises(DaemonUnreachable, match="unreadable"):
        heard.extend(_greeted().feed(_frame(0, WATCH) + b"\xff\xff\xff\xff"))
    assert heard == [events.WatchUpdated(watch_id=7)]


def test_a_peer_that_asks_questions_is_no_daemon() -> None:
    with pytest.raises(DaemonUnreachable, match="not a lazydap daemon"):
        list(_greeted().feed(_frame(3, {"Request": "Ping"})))


@given(st.lists(st.sampled_from(["answer", "event"]), max_size=6), st.data())
def test_answers_and_events_keep_their_order_however_the_bytes_arrive(kinds: list[str], data: st.DataObject) -> None:
    conversation = _greeted()
    stream = b"".join(
        _frame(index + 2, VERSION) if kind == "answer" else _frame(0, WATCH) for index, kind in enumerate(kinds)
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    heard = [one for piece in pieces for one in conversation.feed(piece)]

    assert heard == [
        Answer(index + 2, responses.Version(lazydap="1", protocol=10))
        if kind == "answer"
        else events.WatchUpdated(watch_id=7)
        for index, kind in enumerate(kinds)
    ]


@pytest.mark.parametrize("version", [4, 11])
def test_the_shutdown_that_never_changes_carries_the_peers_version(version: int) -> None:
    body = frozen_shutdown(version)[4:]
    assert json.loads(body) == {"version": version, "id": 1, "payload": {"Request": "Shutdown"}}


def _as_sent(text: str) -> bytes:
    return struct.pack(">I", len(text)) + text.encode()
