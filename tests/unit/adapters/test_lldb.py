"""What is LLDB's own, whichever adapter drives it."""

import pytest

from lazydap_daemon.adapters.lldb import demangled


@pytest.mark.parametrize(
    ("inside", "written"),
    [
        ("St13runtime_error", "std::runtime_error"),
        ("N4shop7pricing8TooCheapE", "shop::pricing::TooCheap"),
        ("NSt8ios_base7failureE", "std::ios_base::failure"),
        ("8TooCheap", "TooCheap"),
        ("i", "int"),
        ("PKc", "const char*"),
        ("5BoundIiE", "5BoundIiE"),
        ("St", "St"),
    ],
)
def test_a_type_is_told_as_it_is_written_or_as_the_program_has_it(inside: str, written: str) -> None:
    assert demangled(inside) == written
