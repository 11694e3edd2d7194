"""The codec of the debug adapter protocol, fed every way bytes can arrive."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_daemon.dap.codec import MAX_BODY, MAX_HEADER, MessageDecoder, encode, repaired
from lazydap_daemon.dap.errors import FramingBroken
from tests.fed import fed_every_way

HELLO = b'Content-Length: 15\r\n\r\n{"text":"hello"'.replace(b'"hello"', b'"hell"}')
BODY = b'{"text":"hell"}'


def decoded(pieces: list[bytes]) -> list[bytes]:
    decoder = MessageDecoder()
    return [body for piece in pieces for body in decoder.feed(piece)]


def test_a_message_is_its_header_and_its_body_in_one_object() -> None:
    assert encode({"a": "é"}) == 'Content-Length: 10\r\n\r\n{"a":"é"}'.encode()


@pytest.mark.parametrize(
    "stream",
    [
        HELLO * 3,
        HELLO.replace(b"Content-Length", b"content-length") * 3,
        HELLO.replace(b"Content-Length: ", b"CONTENT-LENGTH:\t") * 3,
        HELLO.replace(b"Content", b"Auth-Token: secret\r\nContent", 1) * 3,
        HELLO.replace(b"\r\n\r\n", b"\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n", 1) * 3,
        b"a warning\n" + HELLO + b"two\r\nlines\r\n\r\n" + HELLO + b"no line end" + HELLO,
    ],
    ids=["plain", "lower case", "upper case, tab", "header before", "header behind", "noise between"],
)
def test_bodies_come_out_whole_however_the_bytes_arrive(stream: bytes) -> None:
    for way, pieces in fed_every_way(stream, trailing=b"C"):
        assert decoded(pieces) == [BODY] * 3, way


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=5), st.data())
def test_what_is_encoded_is_decoded_at_any_cut(messages: list[dict[str, int | str]], data: st.DataObject) -> None:
    stream = b"".join(encode(message) for message in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert [json.loads(body) for body in decoded(pieces)] == messages


def test_an_empty_body_is_a_body() -> None:
    assert decoded([b"Content-Length: 0\r\n\r\n" + HELLO]) == [b"", BODY]


def test_noise_is_kept_for_whoever_asks_once() -> None:
    decoder = MessageDecoder()
    assert decoder.feed(b"Traceback: \xff\n" + HELLO) == [BODY]
    assert decoder.take_noise() == b"Traceback: \xff\n"
    assert decoder.take_noise() == b""


def test_headers_of_a_message_are_no_noise() -> None:
    decoder = MessageDecoder()
    decoder.feed(b"Auth-Token: secret\r\n" + HELLO)
    assert decoder.take_noise() == b""


def test_endless_noise_is_not_kept() -> None:
    decoder = MessageDecoder()
    for _ in range(100):
        assert decoder.feed(b"x" * MAX_HEADER) == []
    assert decoder.feed(b"\n" + HELLO) == [BODY]
    assert len(decoder.take_noise()) == MAX_HEADER


@pytest.mark.parametrize("length", [b"9999999999999", b"1" * 400, b"%d" % (MAX_BODY + 1)])
def test_a_length_over_the_bound_is_refused_before_anything_is_kept(length: bytes) -> None:
    decoder = MessageDecoder()
    assert decoder.feed(b"Content-Length: " + length + b"\r\n\r\n") == []
    assert decoder.failure is not None
    with pytest.raises(FramingBroken, match="more than"):
        decoder.feed(HELLO)


@pytest.mark.parametrize("length", [b"", b"abc", b"-1", b"1.5", b"0x10"])
def test_a_length_that_is_no_number_breaks_the_decoder_for_good(length: bytes) -> None:
    decoder = MessageDecoder()
    assert decoder.feed(HELLO + b"Content-Length: " + length + b"\r\n\r\n") == [BODY]
    for _ in range(2):
        with pytest.raises(FramingBroken, match="no number"):
            decoder.feed(HELLO)


def test_a_header_without_an_end_breaks_the_decoder() -> None:
    decoder = MessageDecoder()
    decoder.feed(b"Content-Length: 2\r\n" + b"x" * (MAX_HEADER + 1))
    assert decoder.failure is not None


def test_the_end_within_a_message_is_told_from_the_end_between_two() -> None:
    whole, torn = MessageDecoder(), MessageDecoder()
    whole.feed(HELLO + b"last words")
    torn.feed(HELLO[:-1])
    assert whole.finish()
    assert whole.take_noise() == b"last words"
    assert not torn.finish()


def test_text_that_is_no_unicode_is_sent_with_replacements() -> None:
    frame = encode({"arguments": {"env": ["A=\udcff", ("B", 1)], "\udcff": None}})
    assert frame.partition(b"\r\n\r\n")[2] == b'{"arguments":{"env":["A=?",["B",1]],"?":null}}'


def test_bodies_that_strict_readers_refuse_are_repaired() -> None:
    assert repaired(b'{"a":"\\ud800","b":"\xff","c":"\\ud83d\\ude00"}') == '{"a":"?","b":"\ufffd","c":"😀"}'.encode()
    with pytest.raises(ValueError, match="Expecting"):
        repaired(b"{")
