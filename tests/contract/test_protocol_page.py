"""doc/protocol.md shows the types as they are, and every sample in it is a message that can be read."""

from typing import get_args

import pytest

from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.codec import decode, encode
from tests.contract import samples
from tests.contract.protocol_page import KINDS, PAGE, blocks, expected_blocks, page_with

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_as_the_types_are() -> None:
    assert page_with(TEXT) == TEXT, "run `python -m tests.contract.protocol_page`"


def test_the_page_shows_every_message_and_object_once() -> None:
    assert sorted(blocks(TEXT)) == sorted(expected_blocks())


@pytest.mark.parametrize("kind", KINDS)
def test_every_message_has_a_sample(kind: str) -> None:
    assert [struct.__name__ for struct in get_args(KINDS[kind]) if not samples.of(struct)] == []


@pytest.mark.parametrize(
    "sample", [*samples.REQUESTS, *samples.RESPONSES, *samples.EVENTS, *samples.ERRORS], ids=lambda s: type(s).__name__
)
def test_a_sample_is_read_back_as_it_was_written(
    sample: requests.Request | responses.Response | events.Event | responses.Error,
) -> None:
    assert decode(encode(7, sample)).payload == sample
