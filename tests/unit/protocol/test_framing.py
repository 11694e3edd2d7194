"""Frames are cut out of a stream within fixed bounds."""

import pytest

from lazydap_core.errors import FrameTooLarge
from lazydap_core.protocol.framing import MAX_BODY, FrameDecoder, frame
from tests.fed import fed_every_way


def test_a_frame_is_a_big_endian_length_and_the_body() -> None:
    assert frame(b"{}") == b"\x00\x00\x00\x02{}"


def test_frames_come_out_in_order_however_they_arrive() -> None:
    for way, chunks in fed_every_way(frame(b"one") + frame(b"") + frame(b"three"), trailing=b"\x00\x00"):
        decoder = FrameDecoder()
        assert [body for chunk in chunks for body in decoder.feed(chunk)] == [b"one", b"", b"three"], way


def test_the_rest_of_a_frame_is_waited_for() -> None:
    decoder = FrameDecoder()

    assert decoder.feed(frame(b"body")[:-1]) == []
    assert not decoder.is_between_frames
    assert decoder.feed(b"y") == [b"body"]
    assert decoder.is_between_frames


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    body = bytes(MAX_BODY)

    assert FrameDecoder().feed(frame(body)) == [body]


def test_a_header_over_the_limit_is_refused_before_any_of_its_body_has_come() -> None:
    with pytest.raises(FrameTooLarge) as refused:
        FrameDecoder().feed((MAX_BODY + 1).to_bytes(4, "big"))

    assert refused.value.details == {"frame_bytes": MAX_BODY + 1, "max_frame_bytes": MAX_BODY}


def test_bodies_before_a_refused_header_are_not_lost() -> None:
    with pytest.raises(FrameTooLarge) as refused:
        FrameDecoder().feed(frame(b"good") + b"\xff\xff\xff\xff")

    assert refused.value.complete == (b"good",)


def test_a_broken_decoder_stays_broken() -> None:
    decoder = FrameDecoder()
    for chunk in (b"\xff\xff\xff\xff", frame(b"{}"), b""):
        with pytest.raises(FrameTooLarge):
            decoder.feed(chunk)

    assert not decoder.is_between_frames


def test_a_body_over_the_limit_is_not_framed() -> None:
    with pytest.raises(FrameTooLarge):
        frame(bytes(MAX_BODY + 1))
