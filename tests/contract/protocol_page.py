"""Owns the generated parts of doc/protocol.md: tables and frames, written from the types themselves.

`python -m tests.contract.protocol_page` writes them anew between their marks; a test says when that is due.
"""

import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin

import msgspec

from lazydap_core import errors
from lazydap_core.domain import words
from lazydap_core.protocol import dialect, events, objects, requests, responses
from lazydap_core.protocol.additions.terminal import Typed
from lazydap_core.protocol.codec import encode
from lazydap_core.protocol.dialect import ROWS, Bare, Field, Former, Required, Variant, Word
from tests.contract import samples

PAGE: Final = Path(__file__).parents[2] / "doc" / "protocol.md"
_BLOCK: Final = re.compile(r"(<!-- generated: (?P<name>[^>]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)

KINDS: Final[dict[str, Any]] = {
    "request": requests.Request,
    "response": responses.Response,
    "event": events.Event,
}
# What no other daemon or client writes; readers ignore keys that they do not know.
OURS: Final[tuple[tuple[type[Any], str], ...]] = (
    (requests.Launch, "options"),
    (responses.Pong, "features"),
    (responses.Status, "root"),
    (responses.Status, "muted"),
    (responses.Launched, "adapter_command"),
    (responses.Launched, "stop"),
    (responses.Launched, "terminal"),
    (objects.SessionSummary, "adapter_command"),
    (objects.SessionSummary, "stop"),
    (objects.SessionSummary, "terminal"),
    (objects.OutputChunk, "seq"),
    (requests.Output, "after_seq"),
    (responses.Status, "not_saved"),
    (responses.Breakpoints, "not_saved"),
    (responses.Watches, "not_saved"),
    (responses.ShuttingDown, "not_saved"),
    (objects.NewBreakpoint, "anchor"),
    (objects.BreakpointStatus, "anchor"),
    (requests.Step, "target_id"),
    (events.SessionStarted, "by"),
    (events.SessionEnded, "by"),
    (events.Stopped, "by"),
    (events.Continued, "by"),
    (requests.Disconnect, "even_attached"),
    (objects.SessionSummary, "attached"),
    (responses.Stepped, "disconnected"),
)
_SETS: Final[dict[str, Any]] = {
    "adapter kind": words.AdapterKind,
    "session state": words.SessionState,
    "wait outcome": words.WaitOutcome,
    "step kind": words.StepKind,
    "evaluation context": words.EvalContext,
    "variable filter": words.VariableFilter,
    "breakpoint action": words.BreakpointAction,
    "watch action": words.WatchAction,
    "filter action": words.FilterAction,
    "data access": words.DataAccess,
    "thread change": words.ThreadChange,
    "channel": words.Channel,
    "error code": words.ErrorCode,
}
_NAMED: Final[dict[Any, str]] = {
    objects.U32: "u32",
    objects.U64: "u64",
    objects.I32: "i32",
    objects.I64: "i64",
    objects.SessionId: "session id",
    str: "string",
    bool: "bool",
    bytes: "base64",
    Typed: "base64",
    objects.Cells: "1 to 9999",
    int: "integer",
    Any: "any JSON",
    dict[str, str]: "object of strings",
    dict[str, Any]: "object",
    objects.WaitMode: "wait mode",
    objects.BreakpointSelector: "breakpoint selector",
    objects.WatchSelector: "watch selector",
    objects.NamedSelector: "named selector",
    objects.EndReason: "end reason",
    **{literal: name for name, literal in _SETS.items()},
}


def page_with(text: str) -> str:
    """The page with every generated part as the types are now."""
    return _BLOCK.sub(lambda block: block[1] + _content(block["name"]) + block[3], text)


def blocks(text: str) -> list[str]:
    """The names of the generated parts, in order."""
    return [block["name"] for block in _BLOCK.finditer(text)]


def expected_blocks() -> set[str]:
    """What the page must show: every message, every object they hold, and the tables."""
    messages = {f"{kind} {struct.__name__}" for kind, union in KINDS.items() for struct in get_args(union)}
    return messages | set(_TABLES) | {"object LaunchOptions"} | {f"object {struct.__name__}" for struct in _objects()}


def _content(name: str) -> str:
    if name in _TABLES:
        return _TABLES[name]()
    kind, _, wanted = name.partition(" ")
    structs = _objects() | {objects.LaunchOptions} if kind == "object" else get_args(KINDS[kind])
    (found,) = [struct for struct in structs if struct.__name__ == wanted]
    return _fields(found) + ("" if kind == "object" else _frames(found))


def _objects() -> set[type[Any]]:
    found: set[type[Any]] = set()
    messages = [struct for union in KINDS.values() for struct in get_args(union)]
    waiting: list[Any] = list(messages)
    while waiting:
        annotation = waiting.pop()
        if annotation in _NAMED:
            continue
        if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
            if annotation not in messages:
                found.add(annotation)
            waiting.extend(field.type for field in msgspec.structs.fields(annotation))
        else:
            waiting.extend(get_args(annotation))
    return found


def _fields(struct: type[Any]) -> str:
    fields = [field for field in msgspec.structs.fields(struct) if not _is_former(struct, field.name)]
    if not fields:
        return ""
    rows = [(f"`{field.name}`", _type(field.type), _absent(field), _notes(struct, field.name)) for field in fields]
    return _table(("key", "type", "absent", "note"), rows)


def _is_former(struct: type[Any], name: str) -> bool:
    return any(isinstance(row, Former) and (row.of, row.name) == (struct, name) for row in ROWS)


def _absent(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "never"
    return "left out" if field.default is None else "`null`"


def _notes(struct: type[Any], name: str) -> str:
    since = [f"since {row.since}" for row in ROWS if isinstance(row, Field) and (row.of, row.name) == (struct, name)]
    return ", ".join(since + (["ours"] if (struct, name) in OURS else []))


def _type(annotation: Any) -> str:
    if annotation in _NAMED:
        return _NAMED[annotation]
    if get_origin(annotation) in (Union, types.UnionType):
        cases = tuple(case for case in get_args(annotation) if case is not type(None))
        return _type(cases[0]) if len(cases) == 1 else _type(Union[cases])  # noqa: UP007
    if get_origin(annotation) is tuple:
        return f"list of {_type(get_args(annotation)[0])}"
    return annotation.__name__


def _frames(struct: type[Any]) -> str:
    bodies = [_body(sample).decode() for sample in samples.of(struct)]
    return "\n```json\n" + "\n".join(bodies) + "\n```\n"


def _body(sample: Any) -> bytes:
    return encode(0 if isinstance(sample, events.Event) else 7, sample)


def _words(literal: Any) -> str:
    since = {row.word: row.since for row in ROWS if isinstance(row, Word) and row.of == literal}
    return ", ".join(f"`{word}`" + (f" (since {since[word]})" if word in since else "") for word in get_args(literal))


def _since(row: dialect.Row) -> int:
    return row.until if isinstance(row, Former) else row.since


def _row(row: dialect.Row) -> tuple[str, str, str]:
    kind = next((kind for kind, union in KINDS.items() if row.of in get_args(union)), "object")
    owner = f"{kind} `{row.of.__name__}`" if isinstance(row.of, type) else ""
    match row:
        case Variant():
            return str(row.since), owner, "unknown"
        case Field():
            return str(row.since), f"`{row.name}` in {owner}", "not on the wire"
        case Required():
            return str(row.since), f"`{row.name}` in {owner} may be absent", "always there; a stand-in is written"
        case Bare():
            return str(row.since), f"{owner} is an object", f"the bare value of `{row.name}`"
        case Former():
            return str(row.until), f"`{row.name}` in {owner} is gone", "required"
        case Word():
            before = "unknown" if row.stand_in is None else f"`{row.stand_in}` is written"
            return str(row.since), f"{_NAMED[row.of]} `{row.word}`", before


def _meaning(code: str) -> str:
    return str(getattr(errors, code).__doc__)


def _table(head: tuple[str, ...], rows: list[Any]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


_TABLES: Final[dict[str, Callable[[], str]]] = {
    "words": lambda: _table(("set", "words"), [(key, _words(literal)) for key, literal in _SETS.items()]),
    "versions": lambda: _table(("since", "what", "before"), [_row(row) for row in sorted(ROWS, key=_since)]),
    "ours": lambda: _table(("in", "key"), [(f"`{struct.__name__}`", f"`{key}`") for struct, key in OURS]),
    "errors": lambda: _table(
        ("code", "meaning"), [(f"`{code}`", _meaning(code)) for code in get_args(words.ErrorCode)]
    ),
    "error": lambda: _fields(responses.Error) + _frames(responses.Error),
}


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
