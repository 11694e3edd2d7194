"""The program's output as lines: what a terminal would show, bounded in every direction."""

from hypothesis import given
from hypothesis import strategies as st

from lazydap_nvim.tape import DROPPED_AT_ONCE, LONGEST_LINE, MOST_LINES, Change, Line, Tape


def fed(*pieces: str, stream: str = "") -> tuple[Line, ...]:
    tape = Tape()
    for piece in pieces:
        tape.feed(piece, stream)
    return tape.change().lines


def texts(*pieces: str) -> list[str]:
    return [line.text for line in fed(*pieces)]


def test_lines_are_split_and_the_one_that_has_not_ended_is_there() -> None:
    assert texts("one\ntwo") == ["one", "two"]


def test_a_carriage_return_writes_over_the_line() -> None:
    assert texts("10%\r20%\r100%\n") == ["100%", ""]
    assert texts("windows\r\nlines\r\n") == ["windows", "lines", ""]
    assert texts("abcdef\rxy") == ["xycdef"]


def test_backspace_tab_and_erasing_are_obeyed() -> None:
    assert texts("ab\bc") == ["ac"]
    assert texts("a\tb") == ["a       b"]
    assert texts("progress\r\x1b[Kdone") == ["done"]
    assert texts("abc\x1b[1Gx\x1b[Cy") == ["xby"]


def test_colours_become_spans_of_bytes() -> None:
    (line, _) = fed("ä\x1b[1;31mred\x1b[0m plain\n")
    assert line == Line("ä" + "red plain", ((2, 5, "f1_bold"),))


def test_colours_of_every_spelling_have_a_name() -> None:
    (line,) = fed("\x1b[38;5;200ma\x1b[48;2;1;2;255mb\x1b[39mc\x1b[97;100md")
    assert [style for _, _, style in line.spans] == ["f200", "bx0102ff_f200", "bx0102ff", "b8_f15"]


def test_an_uncoloured_text_has_the_style_of_its_stream() -> None:
    (line, _) = fed("oops\n", stream="stderr")
    assert line.spans == ((0, 4, "stderr"),)


def test_sequences_that_mean_nothing_here_leave_no_trace() -> None:
    assert texts("\x1b]0;title\x07a\x1b[2J\x1b[?25lb\x07c\x1b(B\x1b=d") == ["abcd"]


def test_a_sequence_cut_anywhere_is_one_sequence() -> None:
    text = "a\x1b[1;31mb\x1b[0mc\x1b]0;t\x1b\\d"
    whole = fed(text)
    for at in range(len(text)):
        assert fed(text[:at], text[at:]) == whole


def test_a_line_without_an_end_is_bounded_and_counted() -> None:
    (line,) = fed("x" * (LONGEST_LINE + 10))
    assert line.text == "x" * LONGEST_LINE + "… and 10 more characters"


def test_an_escape_that_never_ends_is_given_up() -> None:
    assert texts("\x1b]" + "x" * 1000 + "\nnext")[-1] == "next"


def test_the_oldest_lines_fall_out_and_are_counted() -> None:
    tape = Tape()
    tape.feed("".join(f"{number}\n" for number in range(MOST_LINES + 1)))
    change = tape.change()
    assert (change.lost, change.lines[0].text, change.lines[-2].text) == (
        DROPPED_AT_ONCE,
        str(DROPPED_AT_ONCE),
        str(MOST_LINES),
    )


def applied(shown: list[str], change: Change) -> list[str]:
    rest = shown[change.drop :]
    return [*rest[: change.first], *(line.text for line in change.lines)]


@given(st.lists(st.tuples(st.text(alphabet="ab\n\r", max_size=30), st.integers(0, 3)), max_size=8))
def test_a_copy_kept_by_changes_is_the_tape(pieces: list[tuple[str, int]]) -> None:
    tape, whole = Tape(12, 3), Tape(12, 3)
    shown: list[str] = [""]
    for text, times in pieces:
        for _ in range(times + 1):
            tape.feed(text)
            whole.feed(text)
        if times % 2:
            shown = applied(shown, tape.change())
    shown = applied(shown, tape.change())
    assert shown == [line.text for line in whole.change().lines]
    assert tape.lost == whole.lost
