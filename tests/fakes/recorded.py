"""What a real codelldb said and how long it took, from the conversations in `transcripts`.

It imports only the standard library, because it is used in a process that must start in milliseconds.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

Json = dict[str, Any]
Direction = Literal[">", "<"]

FOLDER = Path(__file__).with_name("transcripts")


class Entry(NamedTuple):
    """One message, and the milliseconds since the adapter was started."""

    at: float
    direction: Direction
    message: Json


class Recording:
    """One conversation."""

    def __init__(self, name: str) -> None:
        self.name = name
        text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        self.entries = [Entry(line["t"], line["dir"], line["msg"]) for line in lines if "msg" in line]

    def said(self, seq: int) -> Json:
        """The adapter's message with that number."""
        return self._entry("<", seq).message

    def body(self, seq: int) -> Any:
        """That message's body, free to be changed."""
        return json.loads(json.dumps(self.said(seq)["body"]))

    def text(self, seq: int) -> str:
        """The error text of a refusal, or the text of an `output`."""
        message = self.said(seq)
        return message["message"] if "message" in message else message["body"]["output"]

    def seconds(self, start: tuple[Direction, int], end: int) -> float:
        """From a message until the adapter's message `end`."""
        return (self._entry("<", end).at - self._entry(*start).at) / 1000

    def modules(self) -> Iterator[Json]:
        """The bodies of its `module` events, in order."""
        for entry in self.entries:
            if entry.message.get("event") == "module":
                yield entry.message["body"]

    def _entry(self, direction: Direction, seq: int) -> Entry:
        for entry in self.entries:
            if entry.direction == direction and entry.message["seq"] == seq:
                return entry
        raise LookupError(f"{self.name}: no message {direction} {seq}")


@cache
def recording(name: str) -> Recording:
    """That conversation."""
    return Recording(name)
