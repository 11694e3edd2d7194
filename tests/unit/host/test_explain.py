"""The lines that people read."""

import pytest
from msgspec.structs import replace

from lazydap_core import errors
from lazydap_core.domain.words import AdapterKind
from lazydap_core.protocol.objects import OutputChunk
from lazydap_nvim.explain import ending_line, error_line, last_stderr_line, lost_line, met_line, status_line
from lazydap_nvim.model import Session
from tests.unit.host.building import breakpoint_at, frame, project, session, stop


def chunk(output: str, category: str = "stderr") -> OutputChunk:
    return OutputChunk(category=category, output=output, timestamp_ms=1)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (errors.SessionNotPaused("x"), "the program is running: :LazydapPause stops it"),
        (errors.SessionNotFound("x"), "nothing is live: :LazydapLaunch starts a program"),
        (errors.SessionAlreadyActive("x"), "a program is already live: :LazydapStop first"),
        (errors.StaleHandle("x"), "the program has moved on: ask again"),
        (errors.AdapterNotFound("no debugpy:\n  install it"), "no debugpy: install it"),
        (errors.DaemonInternalError(""), "DaemonInternalError: see :LazydapLog"),
    ],
)
def test_an_error_is_one_line(error: errors.LazydapError, line: str) -> None:
    assert error_line(error) == line


NAME_ERROR = """Traceback (most recent call last):
  File "/x/pydevd/_pydevd_bundle/pydevd_vars.py", line 636, in _evaluate
    return eval(compiled, globals, locals)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "<string>", line 1, in <module>
NameError: name 'nope' is not defined
"""
SYNTAX_ERROR = """Traceback (most recent call last):
  File "/x/pydevd/_pydevd_bundle/pydevd_vars.py", line 467, in _compile
    compiled = compile(expression, "<string>", "eval")
  File "<string>", line 1
    1 +
       ^
SyntaxError: invalid syntax
"""


def refused(words: str, command: str = "evaluate") -> errors.DapProtocolError:
    line = "; ".join(words.split("\n"))
    return errors.DapProtocolError(f"the adapter refused {command}: {line}", command=command, adapter_message=words)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (NAME_ERROR, "NameError: name 'nope' is not defined"),
        (SYNTAX_ERROR, "SyntaxError: invalid syntax"),
        (NAME_ERROR.replace("not defined", "not\ndefined"), "NameError: name 'nope' is not defined"),
        ("could not find symbol value for nope", "could not find symbol value for nope"),
        ("error: undeclared identifier 'nope'\n    1 | nope\n      | ^", "error: undeclared identifier 'nope'"),
        (
            (
                "Expression evaluation in pure C not supported. Ran expression as 'ISO C++'.\n"
                "error: <user expression 0>:1:1: use of undeclared identifier 'nope'\n    1 | nope\n      | ^~~~"
            ),
            "use of undeclared identifier 'nope'",
        ),
        ("Traceback (most recent call last):", "the adapter refused evaluate: Traceback (most recent call last):"),
    ],
)
def test_of_an_expression_that_fails_the_adapters_own_words_are_shown(words: str, line: str) -> None:
    assert error_line(refused(words)) == line


def test_where_the_adapter_says_nothing_what_it_refused_is_named() -> None:
    error = errors.DapProtocolError("the adapter refused evaluate: no reason", command="evaluate", adapter_message="")
    assert error_line(error) == "the adapter refused evaluate: no reason"
    assert error_line(refused("no room", "setBreakpoints")) == "the adapter refused setBreakpoints: no room"


@pytest.mark.parametrize(
    ("over", "line", "is_well"),
    [
        (session(state="exited", exit_code=0), "a.py ended: exit code 0", True),
        (session(state="exited", exit_code=1), "a.py ended: exit code 1: ValueError: bad", False),
        (session(state="terminated"), "a.py ended", True),
        (session(state="terminated", ended="disconnected", is_ending=True), "a.py ended", True),
        (session(state="terminated", ended="disconnected"), "the session of a.py ended", True),
        (
            session(state="adapter_died", ended="EOF"),
            "a.py: adapter died (EOF): :LazydapLaunch again",
            False,
        ),
    ],
)
def test_an_ending_is_one_line_with_the_programs_last_words(over: Session, line: str, is_well: bool) -> None:
    chunks = (chunk("Traceback\n  File\n"), chunk("Value"), chunk("Error: bad\n\n"), chunk("bye\n", "stdout"))
    assert ending_line(over, chunks) == (line, is_well)


def test_a_program_without_last_words_has_none() -> None:
    assert last_stderr_line([chunk("\n\n"), chunk("out", "stdout")]) is None
    assert ending_line(session(state="exited", exit_code=2)) == ("a.py ended: exit code 2", False)


@pytest.mark.parametrize(
    ("adapter", "exit_code", "line"),
    [
        ("debugpy", 245, "a.py ended by SIGSEGV"),
        ("delve", -9, "a.py ended by SIGKILL"),
        ("codelldb", 11, "a.py ended: exit code 11 (as after SIGSEGV)"),
    ],
)
def test_a_program_that_a_signal_ended_is_not_said_to_have_exited(
    adapter: AdapterKind, exit_code: int, line: str
) -> None:
    over = replace(session(state="exited", exit_code=exit_code), adapter=adapter)
    assert ending_line(over) == (line, False)


def test_an_editor_that_comes_later_is_told_where_the_program_is() -> None:
    paused = project(session=session(state="paused", stop=stop(1, 7)))
    assert met_line(paused) == "a.py is stopped at a.py:7: :LazydapHere goes there"
    nowhere = replace(stop(1), frame=frame(0, "main", path=None))
    sourceless = project(session=session(state="paused", stop=nowhere))
    assert met_line(sourceless) == "a.py is stopped in main, which has no source here"
    assert met_line(project(session=session())) == "a.py is running: :LazydapPause stops it where it is"
    assert met_line(project(session=session(state="paused"))) is None
    assert met_line(project(session=session(state="exited"))) is None


def test_everyday_lines_fit_eighty_columns_beside_what_neovim_keeps_of_the_row() -> None:
    # The program's folder and file, and a place in it, have ordinary names; Neovim keeps twelve cells.
    main = "/home/me/orders/main.py"
    stopped = session(state="paused", program=main, stop=stop(1, reason="breakpoint", frame=frame(128, path=main)))
    live = project(root="/home/me/orders", session=stopped, breakpoints=(breakpoint_at(1), breakpoint_at(2)))
    dead = session(state="adapter_died", ended="exit code 1", program=main)
    lines = [status_line(live), lost_line(live)[0], lost_line(project(root="/home/me/orders"))[0], ending_line(dead)[0]]
    assert [line for line in lines if len("lazydap: " + line) > 68] == []


def test_a_status_is_one_line() -> None:
    marks = (breakpoint_at(1), breakpoint_at(2))
    assert status_line(project(is_connected=False)).startswith("p: no daemon runs; 0 breakpoints")
    assert status_line(project(breakpoints=marks)).startswith("p: nothing is live; 2 breakpoints")
    assert status_line(project(launching="/p/a.py")) == "p: launching a.py; 0 breakpoints"
    assert status_line(project(session=session())) == "p: a.py is running; debugpy; 0 breakpoints"
    stopped = project(session=session(state="paused", stop=stop(1, 7)), breakpoints=marks[:1])
    assert status_line(stopped) == "p: stopped at a.py:7 (step); 1 breakpoint"
    over = project(session=session(state="exited", exit_code=1))
    assert status_line(over) == "p: a.py ended: exit code 1; 0 breakpoints"
