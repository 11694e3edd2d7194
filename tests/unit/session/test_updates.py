"""Which words of an adapter about a breakpoint reach the clients, and which of them say nothing new."""

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.protocol import objects
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session import updates as module
from lazydap_daemon.session.book import Book
from lazydap_daemon.session.updates import Updates

OURS = Breakpoint(
    id=1, source="/p/a.c", line=30, column=None, condition=None, hit_condition=None, log_message=None, enabled=True
)


def told(
    adapter_id: int, *, verified: bool = True, line: int | None = 30, message: str | None = None
) -> dap.Breakpoint:
    return dap.Breakpoint(id=adapter_id, verified=verified, line=line, message=message)


def made() -> tuple[Book, Updates, list[objects.AdapterBreakpoint]]:
    book, known = Book(), list[objects.AdapterBreakpoint]()
    return book, Updates(book, known.append), known


def test_a_line_with_three_places_is_told_of_once() -> None:
    book, updates, known = made()
    book.record([OURS], [told(5, verified=False, line=None, message="Resolved locations: 0")])
    for _ in range(3):
        updates.take(told(5, message="Resolved locations: 3"))
    assert [(one.id, one.verified, one.line, one.message) for one in known] == [(1, True, 30, None)]


def test_how_many_places_there_are_is_no_news() -> None:
    book, updates, known = made()
    book.record([OURS], [told(5, message="Resolved locations: 0")])
    updates.take(told(5, message="Resolved locations: 1"))
    assert known == []


def test_a_breakpoint_that_is_lost_or_moves_is_news() -> None:
    book, updates, known = made()
    book.record([OURS], [told(5)])
    updates.take(told(5, line=31))
    updates.take(told(5, verified=False, line=31, message="gone"))
    assert [(one.line, one.verified, one.message) for one in known] == [(31, True, None), (31, False, "gone")]


def test_what_comes_before_the_answer_that_introduces_it_waits_for_the_answer() -> None:
    book, updates, known = made()
    with updates.held():
        updates.take(told(5, line=31))
        assert known == []
        book.record([OURS], [told(5)])
        updates.release()
    assert [(one.id, one.line) for one in known] == [(1, 31)]


def test_what_is_never_introduced_is_told_as_the_adapters_own() -> None:
    _, updates, known = made()
    with updates.held():
        updates.take(told(77))
    assert [(one.id, one.adapter_id) for one in known] == [(None, 77)]


def test_no_more_waits_than_there_is_room_for() -> None:
    _, updates, known = made()
    with updates.held():
        for number in range(module.EARLY_UPDATES + 3):
            updates.take(told(number))
        assert len(known) == 3


def test_the_breakpoint_behind_an_exception_filter_is_nobodys() -> None:
    book, updates, known = made()
    book.filters[2] = "Rust: on panic"
    updates.take(told(2))
    assert known == []
