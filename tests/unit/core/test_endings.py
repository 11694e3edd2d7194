"""How the ending of a program reads."""

import pytest

from lazydap_core.domain.endings import exit_code_words, signal_of
from lazydap_core.domain.words import AdapterKind


@pytest.mark.parametrize(
    ("exit_code", "adapter", "words"),
    [
        (245, "debugpy", "245 (SIGSEGV)"),
        (247, "debugpy", "247 (SIGKILL)"),
        (-11, "delve", "-11 (SIGSEGV)"),
        (11, "codelldb", "11 (as after SIGSEGV)"),
        (15, "codelldb", "15 (as after SIGTERM)"),
        (139, "codelldb", "139 (as after SIGSEGV)"),
        (139, "debugpy", "139 (as after SIGSEGV)"),
    ],
)
def test_the_exit_code_that_a_signal_leaves_names_the_signal(exit_code: int, adapter: AdapterKind, words: str) -> None:
    assert exit_code_words(exit_code, adapter) == words


@pytest.mark.parametrize(
    ("exit_code", "adapter"),
    # A program's own numbers: `sys.exit(-1)` among them, and small ones that are also those of signals.
    [
        (0, "debugpy"),
        (255, "debugpy"),
        (11, "debugpy"),
        (2, "delve"),
        (1, "codelldb"),
        (4, "codelldb"),
        (-1, "codelldb"),
    ],
)
def test_an_exit_code_of_the_programs_own_is_told_as_it_is(exit_code: int, adapter: AdapterKind) -> None:
    assert exit_code_words(exit_code, adapter) == str(exit_code)
    assert signal_of(exit_code, adapter) is None
