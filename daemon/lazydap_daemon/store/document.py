"""Owns the text of state.toml: writes the project's entries into it and leaves all else as it stands.

A text that is exactly what we would write ourselves is written anew, which costs microseconds; one that a person has
touched is edited with tomlkit, so that comments, order and tables of others stay (doc/architecture.md, "State file").
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import tomlkit
from tomlkit.items import AoT, Comment, Item, Table, Whitespace

from lazydap_core.domain.breakpoints import Breakpoint, FilterChoice, FunctionBreakpoint, Watch
from lazydap_daemon.store.sources import components, stored_source

VERSION: Final = 1
MUTED: Final = "breakpoints_muted"

Row = dict[str, str | int | bool]
Order = Callable[[Row], Any]
Body = list[tuple[Any, Item]]


@dataclass(frozen=True)
class Content:
    """What of state.toml is ours: counters, the one switch and the lists, in the order of the memory."""

    next_breakpoint_id: int
    next_watch_id: int
    breakpoints: tuple[Breakpoint, ...]
    watches: tuple[Watch, ...]
    function_breakpoints: tuple[FunctionBreakpoint, ...] = ()
    exception_filters: tuple[FilterChoice, ...] = ()
    is_muted: bool = False


def rendered(before: str, was: Content, now: Content, root: Path) -> str:
    """The new text of the file whose text `before` holds `was`; blank `before` gives the plain form."""
    if not before.strip() or before in _plain_forms(was, root):
        return plain(now, root)
    return _edited(before, now, root)


def _plain_forms(content: Content, root: Path) -> tuple[str, str]:
    """As we write it, and as daemons do that know no watches."""
    text = plain(content, root)
    return text, text.replace(f"\nnext_watch_id = {content.next_watch_id}\n", "\n", 1)


def plain(content: Content, root: Path) -> str:
    """The whole file when nobody else wrote into it: counters first, entries sorted."""
    sections = ["".join(f"{key} = {_literal(value)}\n" for key, value in _head_keys(content).items())]
    for name, rows, _ in _lists(content, root):
        for row in rows:
            keys = "".join(f"{key} = {_literal(value)}\n" for key, value in row.items())
            sections.append(f"[[{name}]]\n{keys}")
    return "\n".join(sections)


def _head_keys(content: Content) -> dict[str, int | bool]:
    keys: dict[str, int | bool] = {
        "version": VERSION,
        "next_breakpoint_id": content.next_breakpoint_id,
        "next_watch_id": content.next_watch_id,
    }
    return {**keys, MUTED: True} if content.is_muted else keys


def _lists(content: Content, root: Path) -> Iterable[tuple[str, list[Row], Order]]:
    breakpoints = [_breakpoint_row(entry, root) for entry in content.breakpoints]
    watches = [_watch_row(entry) for entry in content.watches]
    anchors = [_anchor_row(entry, entry.anchor) for entry in content.breakpoints if entry.anchor is not None]
    yield "breakpoints", sorted(breakpoints, key=_breakpoint_order), _breakpoint_order
    yield "watches", sorted(watches, key=_id_order), _id_order
    yield "anchors", sorted(anchors, key=_id_order), _id_order
    functions = [_plain_row(entry) for entry in content.function_breakpoints]
    yield "function_breakpoints", sorted(functions, key=_id_order), _id_order
    filters = [_plain_row(entry) for entry in content.exception_filters]
    yield "exception_filters", sorted(filters, key=_filter_order), _filter_order


def _breakpoint_row(entry: Breakpoint, root: Path) -> Row:
    row: Row = {"id": entry.id, "source": stored_source(entry.source, root), "line": entry.line}
    for key in ("column", "condition", "hit_condition", "log_message"):
        value: str | int | None = getattr(entry, key)
        if value is not None:
            row[key] = value
    row["enabled"] = entry.enabled
    return row


def _watch_row(entry: Watch) -> Row:
    row: Row = {"id": entry.id, "expression": entry.expression}
    if entry.label is not None:
        row["label"] = entry.label
    return row


def _anchor_row(entry: Breakpoint, text: str) -> Row:
    return {"id": entry.id, "line": entry.line, "text": text}


def _plain_row(entry: FunctionBreakpoint | FilterChoice) -> Row:
    return {key: value for key, value in msgspec.structs.asdict(entry).items() if value is not None}


def _breakpoint_order(row: Row) -> Any:
    return components(str(row.get("source", ""))), row.get("line", 0)


def _id_order(row: Row) -> Any:
    return row.get("id", 0)


def _filter_order(row: Row) -> Any:
    return str(row.get("adapter", "")), str(row.get("filter", ""))


def _literal(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    # A JSON string is a TOML basic string, but for the one control character that JSON leaves alone.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_KNOWN_KEYS: Final[dict[str, frozenset[str]]] = {
    "breakpoints": frozenset(
        ("id", "source", "line", "column", "condition", "hit_condition", "log_message", "enabled")
    ),
    "watches": frozenset(("id", "expression", "label")),
    "anchors": frozenset(("id", "line", "text")),
    "function_breakpoints": frozenset(("id", "name", "condition", "hit_condition", "enabled")),
    "exception_filters": frozenset(("adapter", "filter", "enabled", "condition")),
}
# What an entry is known by, where it has no number.
_IDENTITY: Final[dict[str, tuple[str, ...]]] = {"exception_filters": ("adapter", "filter")}
_NUMBER: Final = ("id",)


def _edited(before: str, content: Content, root: Path) -> str:
    keys = _head_keys(content)
    present = tomlkit.parse(before)
    missing = {key: keys[key] for key in keys if key not in present}
    document = tomlkit.parse(_with_keys(before, missing))
    if MUTED in present:
        keys[MUTED] = content.is_muted
    for key, value in keys.items():
        if document[key] != value:
            document[key] = value
    for name, rows, order in _lists(content, root):
        _edit_list(document, name, rows, order)
    return tomlkit.dumps(document)


# Comment lines and blank lines at the very start, which no string can contain.
_HEAD: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")


def _with_keys(text: str, missing: dict[str, int | bool]) -> str:
    """Add keys by hand: tomlkit would put them between a table and the comment above it."""
    if not missing:
        return text
    end = cast("re.Match[str]", _HEAD.match(text)).end()
    is_table_next = text.startswith("[", end)
    if is_table_next and end and not text[:end].endswith("\n\n"):
        end = 0
    lines = "".join(f"{key} = {_literal(value)}\n" for key, value in missing.items())
    gap = "\n" if is_table_next or end == 0 else ""
    return f"{text[:end]}{lines}{gap}{text[end:]}"


def _edit_list(document: tomlkit.TOMLDocument, name: str, rows: Sequence[Row], order: Order) -> None:
    present = cast("object", document.get(name))  # pyright: ignore[reportUnknownMemberType]
    tables: list[_Entry] = []
    after: Body = []
    if isinstance(present, AoT):
        tables, after = _taken_apart(list(present.body))
    elif present is not None:
        # Written as an inline array: nothing but the values can be kept in the form of tables.
        del document[name]
    identity = _IDENTITY.get(name, _NUMBER)
    known = {entry.known_by(identity): entry for entry in tables}
    kept = {tuple(row[key] for key in identity) for row in rows}
    entries = [entry for entry in tables if entry.known_by(identity) in kept]
    for row in rows:
        entry = known.get(tuple(row[key] for key in identity))
        if entry is None:
            entries.insert(_slot(entries, row, order), _new_entry(row))
        else:
            _update(entry.table, row, _KNOWN_KEYS[name])
    _put_back(document, name, entries, after, first_before=tables[0] if tables else None)


@dataclass
class _Entry:
    """One table of an array, the comments above it (`lead`) and those after its last key (`tail`)."""

    table: Table
    lead: Body
    tail: Body

    def known_by(self, identity: tuple[str, ...]) -> tuple[object, ...]:
        plain = cast("dict[str, object]", self.table.unwrap())
        return tuple(plain.get(key) for key in identity)


def _taken_apart(tables: list[Table]) -> tuple[list[_Entry], Body]:
    """Split the array: tomlkit keeps the comments above a table in the table before it."""
    entries: list[_Entry] = []
    lead: Body = []
    for table in tables:
        tail, following = _split(_popped_tail(table))
        entries.append(_Entry(table, lead, tail))
        lead = following
    if entries and _ends_blank(entries[-1].tail):
        # The blank line below the array stays there whichever entry comes to be the last.
        lead = [entries[-1].tail.pop(), *lead]
    return entries, lead


def _popped_tail(table: Table) -> Body:
    body = cast("Body", table.value.body)
    size = len(body)
    while size and isinstance(body[size - 1][1], (Comment, Whitespace)):
        size -= 1
    tail = body[size:]
    del body[size:]
    return tail


def _split(trivia: Body) -> tuple[Body, Body]:
    """Comments up to the last blank line belong to the table above, those behind it to what follows."""
    size = len(trivia)
    while size and isinstance(trivia[size - 1][1], Comment):
        size -= 1
    return trivia[:size], trivia[size:]


def _slot(entries: Sequence[_Entry], row: Row, order: Order) -> int:
    """Before the first entry that sorts behind `row`, so a sorted file stays sorted and another keeps its order."""
    for index, entry in enumerate(entries):
        if order(cast("Row", entry.table)) > order(row):
            return index
    return len(entries)


def _new_entry(row: Row) -> _Entry:
    table = tomlkit.table()
    for key, value in row.items():
        table.add(key, value)
    return _Entry(table, [], [])


def _update(table: Table, row: Row, known: frozenset[str]) -> None:
    for key in known:
        if key in table and key not in row:
            del table[key]
    for key, value in row.items():
        if key == "enabled" and key not in table and value is True:
            continue
        if key not in table or table[key] != value:
            table[key] = value


def _put_back(
    document: tomlkit.TOMLDocument, name: str, entries: list[_Entry], after: Body, first_before: _Entry | None
) -> None:
    """Join the tables again, each with its comments above it and one blank line between."""
    if not entries:
        if first_before is not None:
            # Deleting leaves an empty slot in the body, where the comments that remain may stand.
            slot = [key.key if key else None for key, _ in document.body].index(name)
            del document[name]
            document.body[slot] = (None, Whitespace("".join(item.as_string() for _, item in after)))
        return
    if first_before is not None and entries[0] is not first_before and entries[0].lead:
        # What stands above the array is the file's; this table's own comments move below its header.
        body = cast("Body", entries[0].table.value.body)
        body[:0] = entries[0].lead
    array = AoT([], parsed=True)  # as if parsed: else it puts blank lines of its own between the tables
    for index, entry in enumerate(entries):
        entry.table.trivia.indent = ""
        is_last = index + 1 == len(entries)
        following = after if is_last else entries[index + 1].lead
        tail = entry.tail
        if not is_last and not _ends_blank(tail):
            tail = [*tail, (None, Whitespace("\n"))]
        _append(entry.table.value.body, [*tail, *following])
        array.insert(index, cast("dict[str, Any]", entry.table))
    document[name] = array


def _append(body: Any, trivia: Body) -> None:
    body.extend(trivia)


def _ends_blank(trivia: Body) -> bool:
    return bool(trivia) and isinstance(trivia[-1][1], Whitespace) and "\n" in trivia[-1][1].s
