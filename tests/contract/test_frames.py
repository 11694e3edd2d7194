"""Every message of versions 4 and 10 is written as the older implementation writes it, and read from that."""

from typing import Any, get_args

import pytest

from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.codec import decode, encode
from lazydap_core.protocol.framing import frame
from tests.contract.golden_data import golden_lines

KINDS: dict[str, Any] = {
    "request": requests.Request,
    "response": responses.Response,
    "event": events.Event,
    "error": responses.Error,
}
# Ours alone: no other program has written one.
OURS = {events.StopDetail} | {
    struct
    for union in KINDS.values()
    for struct in get_args(union)
    if struct.__module__.startswith("lazydap_core.protocol.additions.")
}
# Missing in the golden data of version 4; tests/unit/protocol/test_dialects.py has them.
BY_HAND = {requests.Version, requests.BreakpointList, responses.Threads, responses.Variables}
SINCE_5 = {requests.WatchList, requests.WatchAdd, requests.WatchRemove, responses.Watches, events.WatchUpdated}


@pytest.mark.parametrize("version", [4, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_read_and_written_back_to_the_same_bytes(kind: str, version: int) -> None:
    for line in golden_lines(f"v{version}/frames.jsonl"):
        if line["kind"] != kind:
            continue
        body = line["json"].encode()

        envelope = decode(body)
        written = encode(envelope.id, envelope.payload, envelope.version)

        assert isinstance(envelope.payload, KINDS[kind])
        assert kind == "error" or type(envelope.payload).__name__ == line["name"]
        assert written == body
        framed = frame(written).hex()
        assert framed == line["frame_hex"] if "frame_hex" in line else framed.startswith(line["frame_header_hex"])


@pytest.mark.parametrize("version", [4, 10])
@pytest.mark.parametrize("kind", ["request", "response", "event"])
def test_golden_data_covers_every_message(kind: str, version: int) -> None:
    covered = {line["name"] for line in golden_lines(f"v{version}/frames.jsonl") if line["kind"] == kind}
    expected = set(get_args(KINDS[kind])) - OURS - (SINCE_5 | BY_HAND if version == 4 else set[Any]())

    assert covered == {struct.__name__ for struct in expected}
