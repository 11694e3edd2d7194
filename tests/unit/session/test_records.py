"""The record of events, the minted handles, the adapter's opinions, the owed stops and the life of a session."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.breakpoints import Breakpoint
from lazydap_core.domain.words import LIVE_STATES
from lazydap_core.errors import BadRequest, StaleHandle
from lazydap_core.protocol import events, objects
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session import translate
from lazydap_daemon.session.book import Book
from lazydap_daemon.session.handles import Handles
from lazydap_daemon.session.history import MAX_EVENTS, MAX_OUTPUT_BYTES, History
from lazydap_daemon.session.markers import Markers
from lazydap_daemon.session.state import StateEvent, following

SESSION = uuid4()


def output(text: str) -> events.Output:
    return events.Output(session_id=SESSION, chunk=objects.OutputChunk(category="stdout", output=text, timestamp_ms=1))


def test_a_flood_of_small_outputs_drops_the_oldest_and_counts_them() -> None:
    history = History()
    for number in range(MAX_EVENTS + 10):
        history.append(output(str(number)))
    assert (len(history), history.dropped, history.output_count) == (MAX_EVENTS, 10, MAX_EVENTS)
    assert history.lost_since(0) == 10
    assert history.lost_since(10) == 0


def test_a_few_huge_outputs_are_bounded_in_bytes_too() -> None:
    history = History()
    for _ in range(20):
        history.append(output("x" * 2**20))
    kept = sum(len(chunk.output) for chunk in history.output())
    assert kept <= MAX_OUTPUT_BYTES
    assert history.dropped == 20 - len(history)


def test_the_watermark_never_goes_back() -> None:
    history = History()
    history.mark_delivered(5)
    history.mark_delivered(3)
    assert history.delivered == 5


def test_the_same_frame_of_one_stop_has_one_handle_and_the_next_stop_another() -> None:
    handles = Handles()
    first = handles.mint("frame id", SESSION, 1000)
    assert handles.mint("frame id", SESSION, 1000) == first
    assert handles.mint("variables reference", SESSION, 1000) != first
    handles.forget()
    assert handles.mint("frame id", SESSION, 1000) > first


def test_a_handle_of_an_earlier_stop_is_stale_and_an_invented_one_says_where_handles_come_from() -> None:
    handles = Handles()
    old = handles.mint("frame id", SESSION, 7)
    handles.forget()
    with pytest.raises(StaleHandle) as stale:
        handles.adapter_number("frame id", SESSION, old)
    assert stale.value.details == {"handle": old, "kind": "frame id", "stale": True}
    for invented in (0, -1, 999):
        with pytest.raises(BadRequest, match="lazydap stack") as never:
            handles.adapter_number("frame id", SESSION, invented)
        assert never.value.details["stale"] is False


def test_a_variables_handle_is_no_frame_id() -> None:
    handles = Handles()
    reference = handles.mint("variables reference", SESSION, 3)
    with pytest.raises(BadRequest):
        handles.adapter_number("frame id", SESSION, reference)
    assert handles.adapter_number("variables reference", SESSION, reference) == 3


def test_nothing_to_expand_stays_zero() -> None:
    assert Handles().mint("variables reference", SESSION, 0) == 0


def breakpoint_at(line: int, our_id: int = 1) -> Breakpoint:
    return Breakpoint(id=our_id, source="/p/a.py", line=line)


def test_an_adapter_id_of_zero_is_an_id() -> None:
    book = Book()
    book.record([breakpoint_at(4)], [dap.Breakpoint(id=0, verified=True, line=4)])
    assert book.our_ids((0, -1)) == (1,)
    assert book.update(dap.Breakpoint(id=0, verified=False, message="gone")).id == 1


def test_a_moved_breakpoint_names_the_adapters_line_and_a_verified_one_has_no_message() -> None:
    book = Book()
    book.record([breakpoint_at(4)], [dap.Breakpoint(id=1, verified=True, line=6, message="Resolved locations: 0")])
    status = book.decorated(breakpoint_at(4))
    assert (status.line, status.adapter_line, status.verified, status.message) == (4, 6, True, None)


def test_surplus_answers_get_no_id_and_missing_ones_change_nothing() -> None:
    book = Book()
    book.record([breakpoint_at(4)], [dap.Breakpoint(id=1, verified=True), dap.Breakpoint(id=2, verified=True)])
    assert book.our_ids((1, 2)) == (1,)
    book.record([breakpoint_at(4), breakpoint_at(5, 2)], [dap.Breakpoint(id=1, verified=True)])
    assert not book.decorated(breakpoint_at(5, 2)).verified


def test_a_stop_takes_back_only_the_mark_it_answers() -> None:
    markers = Markers()
    markers.step(3, "over")
    pause = markers.pause()
    markers.stopped("pause")
    assert (markers.step_thread, markers.pause_outstanding) == (3, False)
    markers.withdraw(pause)
    assert markers.step_thread == 3
    markers.pause()
    markers.stopped("breakpoint")
    assert (markers.step_thread, markers.pause_outstanding) == (None, True)
    markers.resume()
    assert not markers.pause_outstanding


EVENTS: list[StateEvent] = ["resumed", "continued", "stopped", "refused", "exited", "terminated", "adapter_died"]


@given(st.lists(st.sampled_from(EVENTS)))
def test_a_finished_session_never_comes_back_to_life(told: list[StateEvent]) -> None:
    state = "initialising"
    finished = None
    for event in told:
        state = following(state, event)
        if finished is not None:
            assert state == finished
        elif state not in LIVE_STATES:
            finished = state


def test_numbers_no_client_can_read_are_brought_into_range() -> None:
    assert [translate.position(number) for number in (7, -1, 2**32 - 1, 2**40)] == [7, 0, 0, 0]
    assert [translate.exit_code(number) for number in (3, -1, 2**32 - 1, 247)] == [3, -1, -1, 247]
