"""Owns the ways in which a byte stream may arrive, for the tests of both codecs."""

from collections.abc import Iterator


def fed_every_way(data: bytes, *, trailing: bytes = b"\x00") -> Iterator[tuple[str, list[bytes]]]:
    """Ways to cut `data`, each with its name: whole, byte by byte, with the first bytes of more to come behind it.

    `trailing` is what follows in the last way: it must be a beginning of a message, not a whole one.
    """
    yield "whole", [data]
    yield "byte by byte", [data[at : at + 1] for at in range(len(data))]
    yield "with a trailing byte", [data + trailing]
    yield "in halves", [data[: len(data) // 2], data[len(data) // 2 :]]
