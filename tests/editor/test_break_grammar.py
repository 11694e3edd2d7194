"""The grammar of :LazydapBreak, as pure text."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.editor.editor import Editor

Parse = Callable[[str], Any]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with Editor(cwd=tmp_path_factory.mktemp("grammar")) as started:
        yield started


@pytest.fixture(scope="module")
def parse(editor: Editor) -> Parse:
    def parse(line: str) -> Any:
        request, fault = editor.lua(
            "local request, fault = require('lazydap.grammar').parse(...) "
            "return { request or vim.NIL, fault or vim.NIL }",
            line,
        )
        return fault if request is None else request

    return parse


def request(*ask: str, place: dict[str, Any] | None = None, **parts: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {"parts": parts or [], "ask": list(ask)}
    return wanted if place is None else wanted | {"place": place}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", request()),
        ("   ", request()),
        ("if x > 3", request(condition="x > 3")),
        ("hit 3", request(hit_condition="3")),
        ("hit >= 3", request(hit_condition=">=3")),
        ("hit %2", request(hit_condition="%2")),
        ("hit ==10", request(hit_condition="==10")),
        ("log x is {x}", request(log_message="x is {x}")),
        (
            "if x > 3 hit >=2 log got {x}",
            request(condition="x > 3", hit_condition=">=2", log_message="got {x}"),
        ),
        ("  if   x   hit   2  ", request(condition="x", hit_condition="2")),
        ("log if and hit 3 are words here", request(log_message="if and hit 3 are words here")),
    ],
)
def test_parts_are_read_in_their_order(parse: Parse, line: str, wanted: dict[str, Any]) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("src/a.py:12", {"file": "src/a.py", "line": 12}),
        (r"my\ file.py:3", {"file": "my file.py", "line": 3}),
        (":7", {"file": "", "line": 7}),
        ("C:odd:name:5", {"file": "C:odd:name", "line": 5}),
        ("main", {"func": "main"}),
        ("ns::Class::method", {"func": "ns::Class::method"}),
        ("./if", {"func": "./if"}),
        ("iffy", {"func": "iffy"}),
    ],
)
def test_a_first_word_that_is_no_keyword_is_the_place(parse: Parse, line: str, place: dict[str, Any]) -> None:
    assert parse(line) == request(place=place)
    assert parse(f"{line} if x hit 2") == request(place=place, condition="x", hit_condition="2")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('if name == "log hit 3" log found', request(condition='name == "log hit 3"', log_message="found")),
        ("if f(log , x) log y", request(condition="f(log , x)", log_message="y")),
        ("if d[ log ] hit 2", request(condition="d[ log ]", hit_condition="2")),
        ("if {a: log } log y", request(condition="{a: log }", log_message="y")),
        ("if f( [ log ) ] log y", request(condition="f( [ log ) ]", log_message="y")),
        (r'if s == "\" log " log y', request(condition=r's == "\" log "', log_message="y")),
        ("if 'log' == x", request(condition="'log' == x")),
    ],
)
def test_keywords_inside_quotes_and_brackets_are_text(parse: Parse, line: str, wanted: dict[str, Any]) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("if c == ' log done", request(condition="c == '", log_message="done")),
        ("if f(x log done", request(condition="f(x", log_message="done")),
        ("if x) hit 2", request(condition="x)", hit_condition="2")),
        ("if &'a x log y", request(condition="&'a x", log_message="y")),
    ],
)
def test_a_quote_or_bracket_never_closed_is_a_plain_character(parse: Parse, line: str, wanted: dict[str, Any]) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("if hits > 3", request(condition="hits > 3")),
        ("if logger.log > 3", request(condition="logger.log > 3")),
        ("if x hit y", request(condition="x hit y")),
        ("if x hit 3 y", request(condition="x hit 3 y")),
        ("if hit_count == 3 hit 2", request(condition="hit_count == 3", hit_condition="2")),
        ("if (hit) > 3", request(condition="(hit) > 3")),
        ("if x hit 3 hit 4", request(condition="x hit 3", hit_condition="4")),
    ],
)
def test_hit_ends_an_expression_only_before_a_count(parse: Parse, line: str, wanted: dict[str, Any]) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("if", request("condition")),
        ("hit", request("hit_condition")),
        ("log", request("log_message")),
        ("if x log", request("log_message", condition="x")),
        ("if x > 1 hit", request("hit_condition", condition="x > 1")),
        ("if hit 3", request("condition", hit_condition="3")),
        ("if log text", request("condition", log_message="text")),
        ("hit log text", request("hit_condition", log_message="text")),
        ("if hit log", request("condition", "hit_condition", "log_message")),
        ("a.py:3 if", request("condition", place={"file": "a.py", "line": 3})),
    ],
)
def test_a_part_without_text_is_asked_for(parse: Parse, line: str, wanted: dict[str, Any]) -> None:
    assert parse(line) == wanted


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("a.py:0", "lines count from 1: a.py:0"),
        ("main x > 3", "expected if, hit or log, not x"),
        ("hit x", "hit wants a count such as 3, >=3 or %2, not x"),
        ("hit 3x", "hit wants a count such as 3, >=3 or %2, not 3x"),
        ("hit =3", "hit wants a count such as 3, >=3 or %2, not =3"),
        ("hit 3 if x", "if, hit and log go in this order, each once: hit 3 if x"),
        ("hit 3 hit 4", "if, hit and log go in this order, each once: hit 3 hit 4"),
        ("hit 3 then", "expected if, hit or log, not then"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(parse: Parse, line: str, fault: str) -> None:
    assert parse(line) == fault


WORDS = st.lists(st.sampled_from(["a", "log", "hit", "if", "3", ">=2", "x.y", "==", "hits"]), min_size=1).map(" ".join)


@settings(max_examples=200)
@given(condition=WORDS, hit=st.none() | st.sampled_from(["3", ">=2", "%5"]), log=st.none() | WORDS)
def test_a_written_breakpoint_is_read_as_the_same_one(
    editor: Editor, parse: Parse, condition: str, hit: str | None, log: str | None
) -> None:
    parts = {"condition": condition, "hit_condition": hit, "log_message": log}
    parts = {name: text for name, text in parts.items() if text is not None}
    command: str = editor.lua(
        "return require('lazydap.grammar').format(...)", {"path": "my dir/a.py", "line": 3} | parts
    )
    read = parse(command.removeprefix("LazydapBreak "))
    # Brackets are added only where the bare condition would be read as something else.
    if read["parts"].get("condition") == f"({condition})":
        parts["condition"] = f"({condition})"
    assert read == request(place={"file": "my dir/a.py", "line": 3}, **parts)
