"""Formats, tables and errors, on results made by hand."""

import csv
import io
import json

import pytest

from lazydap_cli import failure, formats, table
from lazydap_cli.results import Listing, Script, Single
from lazydap_core.errors import (
    AdapterNotFound,
    DaemonUnreachable,
    DapProtocolError,
    SessionNotFound,
    UsageError,
    VersionMismatch,
)

PLAIN = table.Look(None, colour=False)

LISTING = Listing(
    {"things": [{"z": 1, "a": "☃"}, {"a": None}]},
    [{"z": 1, "a": "☃"}, {"a": None}],
    [7, 8],
    ("id", "a_name"),
    [(7, "☃"), (8, None)],
    "a note",
)
SINGLE = Single({"b": [], "a": {"é": True}}, [("label", "value"), ("", "more"), ("x", None)])


def test_json_is_sorted_with_two_spaces_and_letters_as_they_are() -> None:
    assert formats.rendered(SINGLE, "json", PLAIN) == '{\n  "a": {\n    "é": true\n  },\n  "b": []\n}\n'


def test_a_row_of_jsonl_is_the_element_of_the_json() -> None:
    assert formats.rendered(LISTING, "jsonl", PLAIN) == '{"a":"☃","z":1}\n{"a":null}\n'


def test_ids_are_one_a_line() -> None:
    assert formats.rendered(LISTING, "ids", PLAIN) == "7\n8\n"


def test_csv_has_a_header_and_a_dash_for_what_is_missing() -> None:
    assert formats.rendered(LISTING, "csv", PLAIN) == "id,a_name\n7,☃\n8,-\n"


def test_csv_is_read_back_whatever_the_cells_hold() -> None:
    cells = ["plain", 'a "quote"', "a,comma", "two\nlines", "cr\rhere", "", "  blanks "]
    listing = Listing({}, [], [], ("x",), [(cell,) for cell in cells])
    text = formats.rendered(listing, "csv", PLAIN)
    assert [row[0] for row in csv.reader(io.StringIO(text, newline="")) if row] == ["x", *(c for c in cells if c)]


def test_a_long_refusal_is_one_line_that_can_be_read_and_whole_in_json() -> None:
    drawn = "error: use of undeclared identifier 'nope'\n    1 | nope + 1\n      | ^~~~"
    refused = DapProtocolError(f"the adapter refused evaluate: {drawn}")
    assert failure.report(refused, "table") == (
        "error: DapProtocolError: the adapter refused evaluate: error: use of undeclared identifier 'nope'\n"
    )
    assert json.loads(failure.report(refused, "json"))["message"].endswith(drawn)
    long = DapProtocolError("x" * 5000)
    told = failure.report(long, "table")
    assert len(told) < 320
    assert "--format json" in told
    assert "x" * 5000 in failure.report(long, "json")


@pytest.mark.parametrize("chosen", ["jsonl", "csv", "ids"])
def test_a_format_for_lists_refuses_what_is_no_list(chosen: str) -> None:
    with pytest.raises(UsageError) as caught:
        formats.rendered(SINGLE, chosen, PLAIN)
    assert caught.value.details == {"format": chosen}


@pytest.mark.parametrize("chosen", ["table", "json", "jsonl", "csv", "ids"])
def test_a_script_is_printed_as_it_is(chosen: str) -> None:
    assert formats.rendered(Script("x\ny"), chosen, PLAIN) == "x\ny"


def test_a_table_is_aligned_without_blanks_at_the_end() -> None:
    assert formats.rendered(LISTING, "table", PLAIN) == "ID  A NAME\n7   ☃\n8   -\n\na note\n"


def test_wide_letters_take_two_cells() -> None:
    listing = Listing({}, [], [], ("a", "b"), [("日本", "x"), ("abcd", "y")])
    assert formats.rendered(listing, "table", PLAIN) == "A     B\n日本  x\nabcd  y\n"


def test_a_table_is_cut_to_the_width_at_its_widest_column() -> None:
    listing = Listing({}, [], [], ("name", "value", "type"), [("items", "x" * 100, "list"), ("n", "5", "int")])
    lines = formats.rendered(listing, "table", table.Look(40, colour=False)).splitlines()
    assert max(map(table.cells, lines)) <= 40
    assert lines[1].startswith("items  xxxx")
    assert "…" in lines[1]
    assert lines[1].endswith("list")
    assert lines[2].split() == ["n", "5", "int"]


def test_the_last_column_can_be_kept_whole() -> None:
    listing = Listing({}, [], [], ("line",), [("x" * 100,)], whole=True)
    assert "x" * 100 in formats.rendered(listing, "table", table.Look(40, colour=False))


def test_values_of_a_single_thing_are_cut_too() -> None:
    text = formats.rendered(Single({}, [("value", "y" * 100)]), "table", table.Look(30, colour=False))
    assert table.cells(text.rstrip("\n")) == 30


def test_what_would_steer_a_terminal_is_escaped() -> None:
    listing = Listing({}, [], [], ("a",), [("\x1b[2J\tx\nend\n",)])
    assert "\x1b" not in formats.rendered(listing, "table", PLAIN)
    assert r"\x1b[2J\tx\nend" in formats.rendered(listing, "table", PLAIN)


def test_colour_is_for_terminals_that_want_it() -> None:
    def colour(at_a_terminal: bool, **environ: str) -> bool:
        return table.look_of(environ, at_a_terminal=at_a_terminal, terminal_columns=80).colour

    assert colour(True)
    assert not colour(False)
    assert not colour(True, NO_COLOR="1")
    assert colour(True, NO_COLOR="")
    assert not colour(True, TERM="dumb")


def test_only_a_terminal_has_a_width() -> None:
    assert table.look_of({"COLUMNS": "50"}, at_a_terminal=False, terminal_columns=0).width is None
    assert table.look_of({"COLUMNS": "50"}, at_a_terminal=True, terminal_columns=80).width == 50
    assert table.look_of({"COLUMNS": "x"}, at_a_terminal=True, terminal_columns=80).width == 80
    assert table.look_of({}, at_a_terminal=True, terminal_columns=0).width is None


def test_an_error_is_one_line_with_the_code_of_the_protocol() -> None:
    error = SessionNotFound("no\n  session", session_id="x")
    assert failure.report(error, "table") == "error: SessionNotFound: no; session\n"
    assert json.loads(failure.report(error, "json")) == {
        "details": {"session_id": "x"},
        "error": "SessionNotFound",
        "message": "SessionNotFound: no\n  session",
    }
    assert failure.report(error, "csv").count("\n") == 1


def test_a_usage_error_has_no_code_in_its_message() -> None:
    assert json.loads(failure.report(UsageError("x", kind="Y"), "json"))["message"] == "x"


def test_exit_codes_say_who_can_help() -> None:
    assert failure.exit_code(UsageError("")) == 2
    assert failure.exit_code(DaemonUnreachable("")) == 3
    assert failure.exit_code(VersionMismatch("")) == 3
    assert failure.exit_code(AdapterNotFound("")) == 4
    assert failure.exit_code(SessionNotFound("")) == 1
    assert failure.exit_code(failure.CommandFailed("")) == 1
