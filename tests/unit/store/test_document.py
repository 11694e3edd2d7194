"""A state file that somebody has touched keeps everything that is not ours."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.breakpoints import Breakpoint, Watch
from lazydap_core.state_file import parse_state
from lazydap_daemon.store.document import Content, plain, rendered

ROOT = Path("/proj")
EMPTY = Content(1, 1, (), ())

TOUCHED = """\
# breakpoints of the team
version = 1 # never mind
next_breakpoint_id = 3
next_watch_id = 1

# about one
[[breakpoints]]
id = 1 # the first
source = "a.py"
line = 3
colour = "red"
# more of one

# about two
[[breakpoints]]
id = 2
source = "b.py"
condition = "x"
line = 3

# about the colours
[ui]
theme = "dark" # of course
"""

ONE = Breakpoint(id=1, source="/proj/a.py", line=3)
TWO = Breakpoint(id=2, source="/proj/b.py", line=3, condition="x")


def _edited(*breakpoints: Breakpoint, watches: tuple[Watch, ...] = (), before: str = TOUCHED) -> str:
    return rendered(before, EMPTY, Content(9, 1, breakpoints, watches), ROOT)


def _comments(text: str) -> list[str]:
    return [line.split("#", 1)[1].strip() for line in text.splitlines() if "#" in line]


def test_a_changed_counter_is_all_that_changes() -> None:
    assert _edited(ONE, TWO) == TOUCHED.replace("next_breakpoint_id = 3", "next_breakpoint_id = 9")


def test_a_new_breakpoint_stands_where_it_sorts_and_comments_stay_above_their_own() -> None:
    text = _edited(ONE, TWO, Breakpoint(id=3, source="/proj/aa.py", line=1))

    assert text == TOUCHED.replace("next_breakpoint_id = 3", "next_breakpoint_id = 9").replace(
        "# about two\n",
        '[[breakpoints]]\nid = 3\nsource = "aa.py"\nline = 1\nenabled = true\n\n# about two\n',
    )


def test_a_breakpoint_added_last_leaves_what_follows_alone() -> None:
    text = _edited(ONE, TWO, Breakpoint(id=3, source="/proj/c.py", line=1))

    assert '\n\n[[breakpoints]]\nid = 3\nsource = "c.py"\nline = 1\nenabled = true\n\n# about the colours\n[ui]' in text


def test_removing_a_breakpoint_keeps_the_comment_of_the_next_one() -> None:
    text = _edited(TWO)

    assert '[[breakpoints]]\n# about two\nid = 2\nsource = "b.py"' in text
    assert "# about the colours\n[ui]" in text
    assert [row["id"] for row in tomllib.loads(text)["breakpoints"]] == [2]


def test_removing_all_breakpoints_keeps_every_comment_of_others() -> None:
    text = _edited()

    assert "breakpoints" not in tomllib.loads(text)
    assert "# about the colours\n[ui]" in text
    assert _comments(text) == ["breakpoints of the team", "never mind", "about one", "about the colours", "of course"]


def test_a_modifier_that_was_cleared_goes_and_unknown_keys_stay() -> None:
    text = _edited(ONE, msgspec.structs.replace(TWO, condition=None, enabled=False))

    rows = tomllib.loads(text)["breakpoints"]
    assert rows == [
        {"id": 1, "source": "a.py", "line": 3, "colour": "red"},
        {"id": 2, "source": "b.py", "line": 3, "enabled": False},
    ]
    assert _comments(text) == _comments(TOUCHED)


def test_the_first_watch_comes_behind_what_is_there() -> None:
    text = _edited(ONE, TWO, watches=(Watch(id=1, expression="a + b"),))

    assert text.endswith('theme = "dark" # of course\n\n[[watches]]\nid = 1\nexpression = "a + b"\n')


def test_missing_counters_are_added_without_tearing_a_comment_from_its_table() -> None:
    before = '# the team\'s\n\n# about one\n[[breakpoints]]\nid = 1\nsource = "a.py"\nline = 3\n'

    text = _edited(ONE, before=before)

    assert "# about one\n[[breakpoints]]" in text
    assert tomllib.loads(text) | {"breakpoints": None} == {
        "version": 1,
        "next_breakpoint_id": 9,
        "next_watch_id": 1,
        "breakpoints": None,
    }


def test_entries_written_as_an_inline_array_become_tables() -> None:
    text = _edited(ONE, TWO, before='breakpoints = [{ id = 1, source = "a.py", line = 3 }]\nx = 1\n[ui]\nk = 1\n')

    document = tomllib.loads(text)
    assert [row["id"] for row in document["breakpoints"]] == [1, 2]
    assert (document["x"], document["ui"]) == (1, {"k": 1})


def test_a_file_of_a_daemon_without_watches_is_written_plainly() -> None:
    was = Content(2, 1, (ONE,), ())
    before = plain(was, ROOT).replace("next_watch_id = 1\n", "")

    assert rendered(before, was, Content(3, 1, (TWO, ONE), ()), ROOT) == plain(Content(3, 1, (ONE, TWO), ()), ROOT)


_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
_names = st.text(st.sampled_from("ab./-é\\\"'#["), min_size=1, max_size=8)
_breakpoints = st.lists(
    st.builds(
        Breakpoint,
        id=st.integers(1, 9),
        source=_names.map(lambda name: f"/proj/{name}x"),
        line=st.integers(0, 2**32 - 1),
        column=st.none() | st.integers(0, 9),
        condition=st.none() | _texts,
        hit_condition=st.none() | _texts,
        log_message=st.none() | _texts,
        enabled=st.booleans(),
    ),
    unique_by=lambda entry: entry.id,
    max_size=5,
).map(tuple)
_watches = st.lists(
    st.builds(Watch, id=st.integers(1, 9), expression=_texts, label=st.none() | _texts),
    unique_by=lambda entry: entry.id,
    max_size=4,
).map(tuple)
_contents = st.builds(Content, st.integers(10, 99), st.integers(10, 99), _breakpoints, _watches)
_foreign = st.sampled_from(
    [
        "",
        "# a remark\n",
        "mine = 1 # here\n\n",
        '[tool]\nkey = """\n[[breakpoints]]\n# not one\n"""\n\n# last\n[tool.deep]\nx = 1\n',
        '[[launch_configs]]\nname = "n"\nprogram = "p"\n[[launch_configs]]\nname = "m"\n',
    ]
)


@given(_foreign, _contents, _foreign, _contents, _contents)
def test_any_file_holds_what_was_written_and_all_that_was_there(
    head: str, first: Content, tail: str, second: Content, third: Content
) -> None:
    tables = head.find("[")
    if tables >= 0:
        head, tail = head[:tables], head[tables:] if not tail.startswith("[") else tail
    if not tail.startswith("["):
        head, tail = head + tail.replace("mine", "yours"), ""
    text = head + plain(first, ROOT) + tail
    foreign = _others(text)
    for was, now in ((first, second), (second, third)):
        text = rendered(text, was, now, ROOT)
        _agrees(text, now)
        assert _others(text) == foreign
        for comment in tomlkit.parse(head).body:
            assert comment[1].as_string() in text


def _others(text: str) -> dict[str, Any]:
    ours = {"version", "next_breakpoint_id", "next_watch_id", "breakpoints", "watches"}
    return {key: value for key, value in tomllib.loads(text).items() if key not in ours}


def _agrees(text: str, content: Content) -> None:
    state = parse_state(text, ROOT)
    assert {entry.id: entry for entry in state.watches} == {entry.id: entry for entry in content.watches}
    read = {entry.id: (Path(entry.source), msgspec.structs.replace(entry, source="")) for entry in state.breakpoints}
    assert read == {
        entry.id: (Path(entry.source), msgspec.structs.replace(entry, source="")) for entry in content.breakpoints
    }
    assert (state.next_breakpoint_id, state.next_watch_id) == (content.next_breakpoint_id, content.next_watch_id)
