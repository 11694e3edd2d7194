"""Owns the table of what older protocol versions lack or spell differently; knows no bytes.

All structs have the shape of the newest version, and what only older ones have beside it (doc/protocol.md,
"Versions"). Each row below says since which version something is as it is now, and what stands in for it before. A row
holds for every older version, so a version is nothing but a number compared with `since`.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from lazydap_core.domain.words import AdapterKind, BreakpointAction, Channel, ErrorCode
from lazydap_core.protocol import events, objects, requests, responses

NEWEST: Final = 10
OLDEST: Final = 4

# Our additions, named in every Pong; each is described in doc/protocol.md under its name.
FEATURES: Final[tuple[str, ...]] = (
    "stop_detail",
    "launch_options",
    "output_seq",
    "set_variable",
    "complete",
    "breakpoint_move",
    "actor",
    "state_file",
    "run_to",
    "attach",
    "restart",
    "cancel_launch",
    "goto",
    "step_in_targets",
    "exceptions",
    "exception_info",
    "terminal",
    "mute",
    "function_breakpoints",
    "data_breakpoints",
    "source",
    "await_stop",
    "program_line",
)


def is_spoken(version: int) -> bool:
    """Whether requests of this version are answered in kind; others get VersionMismatch."""
    return OLDEST <= version <= NEWEST


class Variant(msgspec.Struct, frozen=True):
    """A request, response or event that did not exist before `since`."""

    of: type[msgspec.Struct]
    since: int


class Field(msgspec.Struct, frozen=True):
    """A field that was not on the wire before `since`; it reads as `absent` then."""

    of: type[msgspec.Struct]
    name: str
    since: int
    absent: Any = None


class Required(msgspec.Struct, frozen=True):
    """A field that could not be absent before `since`; `stand_in` makes its value from the struct."""

    of: type[msgspec.Struct]
    name: str
    since: int
    stand_in: Callable[[Any], Any]


class Bare(msgspec.Struct, frozen=True):
    """A struct that before `since` was nothing but the value of one field."""

    of: type[msgspec.Struct]
    name: str
    since: int


class Former(msgspec.Struct, frozen=True):
    """A required field that is on the wire only before `until`; it reads as `absent` since."""

    of: type[msgspec.Struct]
    name: str
    until: int
    absent: Any


class Word(msgspec.Struct, frozen=True):
    """A word of a closed set that did not exist before `since`; `stand_in` is written then, None refuses."""

    of: Any
    word: str
    since: int
    stand_in: str | None = None


def _thread_name(thread: objects.ThreadInfo) -> str:
    return f"thread {thread.id}"


Row = Variant | Field | Required | Bare | Former | Word

ROWS: Final[tuple[Row, ...]] = (
    Variant(requests.WatchList, since=5),
    Variant(requests.WatchAdd, since=5),
    Variant(requests.WatchRemove, since=5),
    Variant(responses.Watches, since=5),
    Variant(events.WatchUpdated, since=5),
    Word(Channel, "watch_updated", since=5),
    # A session of an unknown kind would make Status unreadable, and with it every command of that client.
    Word(AdapterKind, "delve", since=6, stand_in="codelldb"),
    Field(events.Stopped, "adapter_thread_id", since=7),
    Field(responses.Stepped, "adapter_thread_id", since=7),
    Field(responses.Stepped, "dropped_events", since=7, absent=0),
    Field(objects.Capabilities, "supports_variable_paging", since=7, absent=False),
    Field(objects.Variable, "evaluate_name", since=7),
    Required(objects.ThreadInfo, "name", since=7, stand_in=_thread_name),
    Field(requests.Variables, "max", since=8),
    Bare(responses.Variables, "variables", since=8),
    Field(responses.Variables, "truncated", since=8, absent=False),
    Field(responses.Continued, "already_running", since=8, absent=False),
    Field(responses.Stepped, "user_frame", since=8),
    Field(responses.Stepped, "locals", since=8),
    Word(ErrorCode, "StaleHandle", since=8, stand_in="BadRequest"),
    Word(BreakpointAction, "updated", since=9, stand_in="added"),
    Word(BreakpointAction, "unchanged", since=9, stand_in="added"),
    Former(requests.Doctor, "check_adapters", until=10, absent=True),
    Former(requests.Doctor, "check_state", until=10, absent=True),
)


class Dialect:
    """What one version lacks of the newest shape."""

    def __init__(self, version: int) -> None:
        self.version = version
        self._missing: set[type] = set()
        self._absent: dict[type, dict[str, Any]] = {}
        self._required: dict[type, dict[str, Callable[[Any], Any]]] = {}
        self._bare: dict[type, str] = {}
        self._words: dict[Any, dict[str, str | None]] = {}
        for row in ROWS:
            self._apply(row)

    def _apply(self, row: Row) -> None:
        match row:
            case Former():
                if self.version >= row.until:
                    self._absent.setdefault(row.of, {})[row.name] = row.absent
                else:
                    self._required.setdefault(row.of, {})[row.name] = _never_absent
            case _ if self.version >= row.since:
                pass
            case Variant():
                self._missing.add(row.of)
            case Field():
                self._absent.setdefault(row.of, {})[row.name] = row.absent
            case Required():
                self._required.setdefault(row.of, {})[row.name] = row.stand_in
            case Bare():
                self._bare[row.of] = row.name
            case Word():
                self._words.setdefault(row.of, {})[row.word] = row.stand_in

    def knows(self, variant: type[msgspec.Struct]) -> bool:
        """Whether this request, response or event can be sent to a peer of this version at all."""
        return variant not in self._missing

    def absent(self, struct: type[msgspec.Struct]) -> dict[str, Any]:
        """The fields that are not on the wire, with the value they read as."""
        return self._absent.get(struct, {})

    def required(self, struct: type[msgspec.Struct]) -> dict[str, Callable[[Any], Any]]:
        """The fields that must be on the wire although they can be absent here, with what makes a value then."""
        return self._required.get(struct, {})

    def bare(self, struct: type[msgspec.Struct]) -> str | None:
        """The one field whose value is all that travels."""
        return self._bare.get(struct)

    def stand_ins(self, words: Any) -> dict[str, str | None]:
        """Words of this closed set that the version does not have, with what is written in their place."""
        return self._words.get(words, {})


def _never_absent(struct: Any) -> Any:
    raise AssertionError(f"{type(struct).__name__} lacks a field that always has a value")
