"""A log point's text, as debugpy and delve are given it: what fails is told in its place, and the rest as it was."""

import pytest

from lazydap_core.errors import Unsupported
from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.delve import DelveDriver

DEBUGPY = DebugpyDriver(interpreter=None)
DELVE = DelveDriver(executable=("dlv",))


def printed(text: str, **names: object) -> str:
    """What debugpy makes of a text: one expression of a format and its values."""
    values: list[str] = []
    literal, rest = "", DEBUGPY.log_message(text)
    while "{" in rest:
        before, _, rest = rest.partition("{")
        expression, _, rest = rest.partition("}")
        literal += before + "%s"
        values.append(expression)
    literal += rest
    return eval(f"{literal!r} % ({', '.join(values)},)", names, {}) if values else literal


def test_debugpy_tells_each_value_or_why_there_is_none() -> None:
    assert printed("seen {i} of {len(rows)}", i=3, rows=[1, 2]) == "seen 3 of 2"
    assert printed("{missing} at {i}", i=3) == "<NameError: name 'missing' is not defined> at 3"
    assert printed("{i +} at {i}", i=3).startswith("<SyntaxError: ")
    assert printed("{1 / i}, {'a' * 2}", i=0) == "<ZeroDivisionError: division by zero>, aa"


def test_debugpy_tells_a_percent_sign_as_it_is() -> None:
    assert printed("100% of {i}", i=3) == "100% of 3"
    assert printed("100% sure") == "100% sure"


def test_debugpy_is_not_sent_a_brace_that_is_left_open() -> None:
    with pytest.raises(Unsupported, match="is not closed"):
        DEBUGPY.log_message("seen {i")


def test_delve_tells_a_percent_sign_as_it_is_and_the_expressions_are_left_alone() -> None:
    assert DELVE.log_message("100% of {i % 2}, {m[T{}]}") == "100%% of {i % 2}, {m[T{}]}"
    assert DELVE.log_message("100% sure") == "100%% sure"
    assert DELVE.log_message("50% {i") == "50%% {i"
