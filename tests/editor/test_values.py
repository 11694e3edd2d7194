"""Values at the end of lines: which line they stand on, how much of them, and when they are dimmed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editor.editor import Editor

Start = Callable[..., Editor]

PYTHON = '''\
LIMIT = 3


def area(width, height):
    """width and height in metres"""
    result = width * height  # result of height
    return result


def main():
    total = 0
    text = "total"
    for side in range(LIMIT):
        total += area(side, self.total)
    print(total)
'''


def line(marker: str) -> int:
    return next(number for number, text in enumerate(PYTHON.splitlines(), 1) if marker in text)


@pytest.fixture
def source(project: Path) -> Path:
    file = project / "a.py"
    file.write_text(PYTHON)
    return file


@pytest.fixture
def editor(start_editor: Start, source: Path) -> Editor:
    return start_editor(source)


def values(path: Path, at: int, name: str, *variables: list[Any], stale: bool = False) -> dict[str, Any]:
    entry = {"root": str(path.parent), "path": str(path), "line": at, "name": name, "stale": stale}
    return {"generation": 1, "values": [entry | {"variables": list(variables)}]}


def test_a_value_stands_on_the_last_line_that_mentions_its_name(editor: Editor, source: Path) -> None:
    editor.apply(
        values(source, line("return result"), "area", ["width", "2", "int"], ["height", "3", "int"], ["result", "6"])
    )
    assert editor.virtual_texts() == {
        line("result = width"): "width = 2, height = 3",
        line("return result"): "result = 6",
    }


def test_values_stay_within_the_stopped_function_and_above_the_stop(editor: Editor, source: Path) -> None:
    editor.apply(values(source, line("total += "), "main", ["total", "1"], ["LIMIT", "3"], ["result", "9"]))
    assert editor.virtual_texts() == {line("total += "): "total = 1", line("for side"): "LIMIT = 3"}


def test_a_module_shows_values_from_the_top_of_the_file(editor: Editor, source: Path) -> None:
    editor.apply(values(source, line("print(total)"), "<module>", ["LIMIT", "3"]))
    assert editor.virtual_texts() == {line("for side"): "LIMIT = 3"}


def test_names_in_strings_comments_and_members_are_not_taken_for_variables(editor: Editor, source: Path) -> None:
    editor.apply(values(source, line("text = "), "main", ["total", "0"]))
    assert editor.virtual_texts() == {line("total = 0"): "total = 0"}


def test_a_changed_value_is_told_from_the_others(editor: Editor, source: Path) -> None:
    editor.apply(values(source, line("total = 0"), "main", ["total", "0", "int", True]))
    assert editor.groups(line("total = 0")) == {"LazydapValueChanged"}


def test_values_of_an_earlier_stop_stay_dimmed_until_new_ones_come(editor: Editor, source: Path) -> None:
    at = line("total = 0")
    editor.apply(values(source, at, "main", ["total", "0", "int", True], stale=True))
    assert editor.groups(at) == {"LazydapValueStale"}
    editor.apply(values(source, at, "main", ["total", "5", "int", True]))
    assert editor.virtual_texts() == {at: "total = 5"}
    editor.apply({"generation": 3, "values": []})
    editor.expect_no_virtual_text()


def test_long_values_share_the_width(editor: Editor, source: Path) -> None:
    at = line("result = width")
    editor.apply(values(source, at, "area", ["width", "w" * 200], ["height", "h" * 200], ["result", "[\n1]"]))
    text = editor.virtual_texts()[at]
    assert len(text) <= 60
    assert "width = www" in text
    assert "height = hhh" in text
    assert text.endswith("result = [ 1]")


def test_a_single_long_value_is_cut_at_the_width_of_the_options(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init="vim.g.lazydap = { values_width = 20 }")
    editor.apply(values(source, line("total = 0"), "main", ["total", "äöü" * 20]))
    text = editor.virtual_texts()[line("total = 0")]
    assert len(text) == 20
    assert text.endswith("…")


def test_only_lines_on_the_screen_have_values(start_editor: Start, project: Path) -> None:
    file = project / "long.py"
    file.write_text("def f():\n    first = 1\n" + "    pass\n" * 200 + "    last = 2\n")
    editor = start_editor(file)
    editor.apply(values(file, 203, "f", ["first", "1"], ["last", "2"]))
    assert editor.virtual_texts() == {2: "first = 1"}
    editor.command("normal! G")
    editor.lua("vim.cmd.redraw()")
    editor.expect_virtual_text(203, "last = 2")
    assert editor.virtual_texts() == {203: "last = 2"}


def test_a_very_long_line_is_left_alone(start_editor: Start, project: Path) -> None:
    file = project / "wide.py"
    file.write_text("def f():\n    a = 1\n    a = [" + "0, " * 400 + "]\n")
    editor = start_editor(file)
    editor.apply(values(file, 3, "f", ["a", "1"]))
    assert editor.virtual_texts() == {2: "a = 1"}


def test_a_diff_window_shows_no_values(editor: Editor, source: Path) -> None:
    editor.apply(values(source, line("total = 0"), "main", ["total", "0"]))
    editor.expect_virtual_text(line("total = 0"), "total = 0")
    editor.command("diffthis")
    editor.expect_no_virtual_text()
    editor.command("diffoff")
    editor.expect_virtual_text(line("total = 0"), "total = 0")


def test_values_can_be_switched_off(start_editor: Start, source: Path) -> None:
    editor = start_editor(source, init="vim.g.lazydap = { values = false }")
    editor.apply(values(source, line("total = 0"), "main", ["total", "0"]))
    assert editor.virtual_texts() == {}


C = """\
#include <stdio.h>

static int area(int width, int height)
{
    int result = width * height;
#ifdef TWICE
    result *= 2;
#endif
    return result;
}

int main(int argc,
         char **argv)
{
    int total = 0;
    for (int i = 0; i < 3; i++) {
        total += area(i, i + 1); /* total and argc */
    }
    printf("%d\\n", total);
    return 0;
}
"""

RECURSIVE = """\
class Tree:
    def count(self, node):
        if node:
            left = self.count(node.left)
            return left + 1
        return 0
"""


@pytest.mark.parametrize(
    ("name", "stop", "start"),
    [
        ("area", "return result", "static int area"),
        ("main", "total += area", "int main("),
        ("main", "int total", "int main("),
        ("area(int, int)", "result *= 2", "static int area"),
        ("???", "total += area", "int main("),
    ],
)
def test_the_function_of_a_stop_in_c_is_found_without_a_parser(
    start_editor: Start, name: str, stop: str, start: str
) -> None:
    lines = C.splitlines()
    at = next(number for number, text in enumerate(lines, 1) if stop in text)
    editor = start_editor()
    found: int = editor.lua("return require('lazydap.names').start_of_function(...)", lines[:at], name)
    assert lines[found - 1].startswith(start)


def test_a_function_that_calls_itself_still_begins_at_its_head(start_editor: Start) -> None:
    lines = RECURSIVE.splitlines()
    editor = start_editor()
    for stop in (4, 5):
        found = editor.lua("return require('lazydap.names').start_of_function(...)", lines[:stop], "Tree.count")
        assert lines[found - 1] == "    def count(self, node):"


def test_comments_of_c_are_no_mention(start_editor: Start, project: Path) -> None:
    file = project / "a.c"
    file.write_text(C)
    editor = start_editor(file)
    at = next(number for number, text in enumerate(C.splitlines(), 1) if "total += area" in text)
    editor.apply(values(file, at, "main", ["argc", "1"], ["i", "2"], ["total", "0"]))
    assert editor.virtual_texts() == {12: "argc = 1", at: "i = 2, total = 0"}
