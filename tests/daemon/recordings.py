"""Recorded conversations with the older implementation: what was asked, what was answered, and how two answers compare.

The files are tests/contract/conversations/*.jsonl; each row is a frame with its direction, or the end of a command.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from tests.contract.protocol_page import OURS

FOLDER = Path(__file__).parents[1] / "contract" / "conversations"
PROGRAMS = FOLDER / "proj"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.jsonl")))

RECORDED_PROJECT = "/proj"
RECORDED_PYTHON = "/opt/py/bin/python3"
REST_MS = 400
"""A pause this long before the next request means that the recorder let the program come to rest."""

Json = dict[str, Any]
NamedEvent = tuple[str, Json]


def is_object(value: Any) -> TypeGuard[Json]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a JSON array."""
    return isinstance(value, list)


@dataclass
class Exchange:
    """One request and its answer; `heard` are the events of each subscriber up to the next request."""

    connection: int
    number: int
    name: str
    request: Any
    answer: Json
    came_to_rest: bool = False
    heard: dict[int, list[NamedEvent]] = field(default_factory=dict[int, list[NamedEvent]])

    @property
    def body(self) -> Json:
        """What the request holds; empty for one without fields."""
        return self.request[self.name] if is_object(self.request) else {}

    @property
    def error(self) -> Json:
        """The error that answered it, or nothing."""
        return self.answer.get("Error", {})


@dataclass
class Recording:
    """A whole conversation; `subscribers` are the connections that stay open from one request to the next."""

    name: str
    version: int
    exchanges: list[Exchange]
    subscribers: list[int]
    state_file: str | None


def recording(name: str, project: Path) -> Recording:
    """The conversation of that name, as if its project had been `project` and its Python ours."""
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    text = text.replace(f'"{RECORDED_PYTHON}"', json.dumps(sys.executable))
    text = text.replace(f'"{RECORDED_PROJECT}', json.dumps(str(project))[:-1])
    rows: list[Json] = [json.loads(line) for line in text.split("\n") if line]
    version, _, topic = name.partition("-")
    return Recording(
        name=topic,
        version=int(version.removeprefix("v")),
        exchanges=list(_exchanges(rows)),
        subscribers=[row["conn"] for row in rows if row["dir"] == "raw"],
        state_file=next((row["text"] for row in rows if row["dir"] == "state.toml"), None),
    )


def _exchanges(rows: list[Json]) -> Iterator[Exchange]:
    asked: Exchange | None = None
    active_at = 0
    for row in rows:
        match row["dir"]:
            case "c>d":
                request = row["json"]["payload"]["Request"]
                if asked is not None:
                    asked.came_to_rest = _is_moving(asked) and row["t"] - active_at >= REST_MS
                    yield asked
                name = request if isinstance(request, str) else next(iter(request))
                asked = Exchange(row["conn"], row["json"]["id"], name, request, {})
            case "d>c" if asked is not None and row["json"]["id"] == 0:
                asked.heard.setdefault(row["conn"], []).append(named_event(row["json"]))
            case "d>c" if asked is not None:
                asked.answer = row["json"]["payload"]
                active_at = row["t"]
            # `lazydap status` leaves no frames here (they can be derived), so the pause before it counts.
            case "cli-end" if row["argv"] != ["status"]:
                active_at = row["t"]
            case _:
                pass
    if asked is not None:
        yield asked


def _is_moving(exchange: Exchange) -> bool:
    return exchange.body.get("wait") == "NoWait" and not exchange.error


def named_event(message: Json) -> NamedEvent:
    """Name and content of an event."""
    return next(iter(message["payload"]["Event"].items()))


def ordered(heard: list[NamedEvent]) -> list[NamedEvent]:
    """The events whose order is no chance; without those by which we tell what an adapter makes of a change."""
    return [
        (name, event)
        for name, event in heard
        if name in _ORDERED and not (name == "BreakpointUpdated" and event["session_id"] is not None)
    ]


def unordered(heard: list[NamedEvent]) -> Json:
    """What was printed and which threads came and went, session by session.

    Whether the beginning of the first thread is still part of the launch is chance, so it is left out.
    """
    printed: dict[str, list[Json]] = {}
    threads: dict[str, list[str]] = {}
    for name, event in heard:
        if name == "Output":
            printed.setdefault(event["session_id"], []).append(event["chunk"])
        elif name == "ThreadChanged" and event["update"] != {"thread_id": _MAIN_THREAD, "kind": "started"}:
            is_main = event["update"]["thread_id"] == _MAIN_THREAD
            threads.setdefault(event["session_id"], []).append(f"{event['update']['kind']} {is_main}")
    return {
        "printed": [told for chunks in printed.values() if (told := texts(chunks))],
        "threads": [sorted(changes) for changes in threads.values()],
    }


# Comparing.

_ORDERED = ("SessionStarted", "SessionEnded", "Stopped", "Continued", "BreakpointUpdated", "WatchUpdated")
_COUNTED = ("daemon_pid", "uptime_ms", "elapsed_ms", "buffered_events", "captured_output_chunks", "dropped", "total")
_WORDED = ("lazydap_version", "message", "adapter_message")
_CHATTER = ("console", "telemetry")
_OURS = frozenset(key for _, key in OURS)
_MAIN_THREAD = 1
_RETURNED = "(return) "


class Mask:
    """Takes from an answer what differs between two runs of one program: numbers handed out, times, texts, chatter.

    Where `is_endless` a program loops; where a pause finds it, and how often it has run by then, is chance too.
    """

    def __init__(self, project: Path) -> None:
        self._folder = f"{project}/"
        self.is_endless = False

    def __call__(self, payload: Any) -> Any:
        """The comparable part of a payload."""
        if is_list(payload):
            return [self(item) for item in payload]
        if is_object(payload):
            return {key: self._value(key, value, payload) for key, value in payload.items()}
        return payload

    def _value(self, key: str, value: Any, entry: Json) -> Any:  # noqa: C901, PLR0911, PLR0912 - one case a rule
        match key:
            case _ if value is None:
                return None
            case "session_id":
                return "a session"
            case "id" if _is_frame(entry):
                return "a frame"
            case "frame_id" | "variables_reference" if value:
                return "a handle"
            # debugpy numbers threads, frames and containers from one counter: what was looked at moves it.
            case "thread_id" if value > _MAIN_THREAD:
                return "another thread"
            case "id" if value > _MAIN_THREAD and entry.keys() == {"id", "name"}:
                return "another thread"
            case "frames":
                return [self(frame) for frame in self.own(value)]
            case "line" if self.is_endless and _is_frame(entry):
                return "a line of the loop"
            case "value" if self.is_endless:
                return "a value of the moment"
            case "variables":
                return self([row for row in value if not row["name"].startswith(_RETURNED)])
            case "captured_output" | "chunks":
                return texts(value)
            case "thread_updates" | "breakpoint_updates":
                return "updates"
            case "value" if value.startswith("<"):
                return "an address"
            case _ if key in _COUNTED:
                return f"{type(value).__name__} of {key}"
            case _ if key in _WORDED:
                return f"text of {key}"
            case _:
                return self(value)

    def own(self, frames: list[Json]) -> list[Json]:
        """The frames of the project's own files."""
        return [frame for frame in frames if frame.get("source", {}).get("path", "").startswith(self._folder)]


def texts(chunks: list[Json]) -> dict[str, str]:
    """All text of each category, however it was cut, without what the adapter says of itself."""
    found: dict[str, str] = {}
    for chunk in chunks:
        if chunk["category"] not in _CHATTER:
            found[chunk["category"]] = found.get(chunk["category"], "") + chunk["output"]
    # Threads print in any order.
    return {category: text if "worker" not in text else _sorted_lines(text) for category, text in found.items()}


def _sorted_lines(text: str) -> str:
    return "".join(sorted(text.splitlines(keepends=True)))


def differences(there: Any, here: Any, where: str = "") -> list[str]:
    """How a masked answer of ours differs from the recorded one; keys that only lazydap has do not count."""
    if is_object(there) and is_object(here):
        found = [f"{where}.{key}: {there[key]!r} only there" for key in there.keys() - here.keys()]
        found += [f"{where}.{key}: {here[key]!r} only here" for key in here.keys() - there.keys() - _OURS]
        for key in there.keys() & here.keys():
            found += differences(there[key], here[key], f"{where}.{key}")
        return sorted(found)
    if is_list(there) and is_list(here):
        found = [
            text
            for index, pair in enumerate(zip(there, here, strict=False))
            for text in differences(*pair, f"{where}[{index}]")
        ]
        found += [f"{where}: {item!r} only there" for item in there[len(here) :]]
        return found + [f"{where}: {item!r} only here" for item in here[len(there) :]]
    same = there == here and isinstance(there, bool) == isinstance(here, bool)
    return [] if same else [f"{where}: {there!r} there, {here!r} here"]


class Numbers:
    """Which number of ours stands for which recorded one: sessions, frames and variables references."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._ours: dict[tuple[str, Any], Any] = {}

    def learn(self, there: Any, here: Any) -> None:
        """Pair the numbers of two answers to one question."""
        if is_object(there) and is_object(here):
            for key in there.keys() & here.keys():
                kind = _kind(key, there)
                if kind is not None:
                    self._ours[kind, there[key]] = here[key]
                elif key == "frames":
                    self.learn(self._mask.own(there[key]), self._mask.own(here[key]))
                else:
                    self.learn(there[key], here[key])
        elif is_list(there) and is_list(here):
            for pair in zip(there, here, strict=False):
                self.learn(*pair)

    def translated(self, request: Any) -> Any:
        """A recorded request with our numbers; one that was never handed out stays as it is."""
        if not is_object(request):
            return request
        changed: Json = {}
        for key, value in request.items():
            kind = _kind(key, request)
            changed[key] = self.translated(value) if kind is None else self._ours.get((kind, value), value)
        return changed


def _kind(key: str, entry: Json) -> str | None:
    if key == "session_id":
        return "session"
    if key == "frame_id" or (key == "id" and _is_frame(entry)):
        return "frame"
    return "reference" if key == "variables_reference" else None


def _is_frame(entry: Json) -> bool:
    return "column" in entry and "name" in entry
