"""However a byte stream is cut, the same messages come out of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.errors import FrameTooLarge, Undecodable
from lazydap_core.protocol.codec import canonical
from lazydap_core.protocol.framing import FrameDecoder, frame
from tests.contract.golden_data import golden_lines
from tests.fed import fed_every_way

STREAMS = [line for line in golden_lines("both/decode.jsonl") if line["kind"] == "stream"]
BODIES = [line["json"].encode() for line in golden_lines("v10/frames.jsonl")[::25]]


def _outcome(chunks: list[bytes]) -> list[str]:
    """Messages in order, up to the first thing that cannot be read."""
    decoder = FrameDecoder()
    outcome: list[str] = []
    for chunk in chunks:
        try:
            bodies, is_broken = decoder.feed(chunk), False
        except FrameTooLarge as error:
            bodies, is_broken = list(error.complete), True
        for body in bodies:
            try:
                outcome.append(canonical(body, 4).decode())
            except Undecodable:
                return [*outcome, "error"]
        if is_broken:
            return [*outcome, "error"]
    return outcome


@pytest.mark.parametrize("line", STREAMS, ids=lambda line: line["case"])
def test_a_stream_is_read_as_elsewhere(line: dict[str, Any]) -> None:
    expected = [
        item["message"]["json"] if "message" in item else "error" for item in line["result"] if "pending" not in item
    ]

    is_partial = line["result"][-1].get("pending", 0) > 0
    # A partial frame is waiting for just such a byte.
    for way, chunks in fed_every_way(bytes.fromhex(line["hex"]), trailing=b"" if is_partial else b"\x00"):
        assert _outcome(chunks) == expected, way


@given(data=st.data())
def test_every_way_to_cut_a_stream_gives_the_same_bodies(data: st.DataObject) -> None:
    bodies = data.draw(st.lists(st.sampled_from(BODIES) | st.binary(max_size=300), max_size=8))
    stream = b"".join(map(frame, bodies))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    decoder = FrameDecoder()

    got = [
        body
        for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)
        for body in decoder.feed(stream[start:end])
    ]

    assert got == bodies
    assert decoder.is_between_frames
