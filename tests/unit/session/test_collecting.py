"""What a waiting client is told, from the events of its session alone."""

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.protocol import events, objects
from lazydap_daemon.session.collecting import MAX_CAPTURED_BYTES, Collector
from lazydap_daemon.session.history import History, Numbered

SESSION = uuid4()


def output(text: str) -> events.Output:
    return events.Output(session_id=SESSION, chunk=objects.OutputChunk(category="stdout", output=text, timestamp_ms=1))


def stopped(thread: int | None = 1, *, all_threads: bool = True, reason: str = "breakpoint") -> events.Stopped:
    return events.Stopped(
        session_id=SESSION, thread_id=thread, reason=reason, all_threads_stopped=all_threads, hit_breakpoint_ids=()
    )


def updated(our_id: int | None, adapter_id: int | None, line: int) -> events.BreakpointUpdated:
    update = objects.AdapterBreakpoint(id=our_id, adapter_id=adapter_id, verified=True, line=line)
    return events.BreakpointUpdated(session_id=SESSION, breakpoint=update)


def ended(reason: objects.EndReason) -> events.SessionEnded:
    return events.SessionEnded(session_id=SESSION, reason=reason)


def collected(*told: events.Event, all_threads: bool = False) -> Collector:
    collector = Collector(all_threads=all_threads)
    for number, event in enumerate(told, start=1):
        collector.feed(Numbered(number, event))
    return collector


def test_output_printed_before_the_wait_is_reported_once() -> None:
    history = History()
    history.append(output("early"))
    collector = Collector(all_threads=False)
    collector.fold_backlog(history.since(0), lost=0, high_water=history.last_number)
    collector.feed(Numbered(1, output("early")))
    assert [chunk.output for chunk in collector.chunks] == ["early"]


def test_a_stop_from_before_the_wait_does_not_settle_it() -> None:
    history = History()
    history.append(stopped())
    collector = Collector(all_threads=False)
    collector.fold_backlog(history.since(0), lost=0, high_water=1)
    assert collector.outcome is None


def test_the_second_wait_does_not_repeat_what_the_first_delivered() -> None:
    history = History()
    history.append(output("one"))
    history.mark_delivered(history.last_number)
    history.append(output("two"))
    assert [n.event for n in history.since(history.delivered)] == [output("two")]


def test_threads_that_stop_behind_the_first_are_listed_once_each() -> None:
    collector = collected(stopped(1, all_threads=False), stopped(2), stopped(3), stopped(2), stopped(1))
    assert collector.outcome == "paused"
    assert collector.additional_threads == [2, 3]
    assert collector.all_threads_stopped


def test_waiting_for_all_threads_is_not_settled_by_a_partial_stop() -> None:
    collector = collected(stopped(1, all_threads=False), all_threads=True)
    assert collector.outcome is None
    assert collected(stopped(1, all_threads=False), stopped(2), all_threads=True).outcome == "paused"


def test_a_program_that_ends_right_behind_its_stop_is_still_reported_as_stopped() -> None:
    collector = collected(stopped(), ended(objects.Exited(exit_code=3)))
    assert (collector.outcome, collector.exit_code) == ("paused", 3)


def test_each_ending_has_its_own_outcome() -> None:
    assert collected(ended(objects.Exited(exit_code=0))).outcome == "exited"
    assert collected(ended("terminated")).outcome == "terminated"
    assert collected(ended("disconnected")).outcome == "terminated"
    assert collected(ended(objects.AdapterDied(detail="gone"))).outcome == "adapter_died"


def test_several_updates_of_one_breakpoint_collapse_to_the_last() -> None:
    collector = collected(updated(1, 10, 4), updated(2, 11, 5), updated(None, 10, 6), updated(2, None, 7))
    assert [(b.adapter_id, b.line) for b in collector.breakpoints] == [(10, 6), (None, 7)]


def test_output_past_the_cap_is_cut_as_a_prefix_and_never_resumes() -> None:
    big = "x" * 100_000
    collector = collected(*[output(big)] * 15, output("small"))
    assert sum(len(chunk.output) for chunk in collector.chunks) <= MAX_CAPTURED_BYTES
    assert collector.is_truncated
    assert collector.chunks[-1].output == big


def test_output_that_fell_out_before_the_wait_is_counted_and_later_output_still_taken() -> None:
    collector = Collector(all_threads=False)
    collector.fold_backlog((), lost=7, high_water=9)
    collector.feed(Numbered(10, output("after")))
    assert (collector.dropped_events, collector.is_truncated) == (7, True)
    assert [chunk.output for chunk in collector.chunks] == ["after"]


@given(st.lists(st.sampled_from(["output", "stop", "end", "thread"]), max_size=12), st.integers(0, 12))
def test_no_event_is_counted_twice_wherever_the_wait_is_armed(kinds: list[str], armed_after: int) -> None:
    history = History()
    made = {
        "output": lambda: output("o"),
        "stop": stopped,
        "end": lambda: ended("terminated"),
        "thread": lambda: events.ThreadChanged(
            session_id=SESSION, update=objects.ThreadUpdate(thread_id=1, kind="started")
        ),
    }
    collector = Collector(all_threads=False)
    for index, kind in enumerate(kinds):
        if index == armed_after:
            collector.fold_backlog(history.since(0), lost=0, high_water=history.last_number)
        numbered = history.append(made[kind]())
        if index >= armed_after:
            collector.feed(numbered)
            collector.feed(numbered)
    if armed_after < len(kinds):
        assert len(collector.chunks) == kinds.count("output")
        assert len(collector.threads) == kinds.count("thread")
        assert collector.high_water == history.last_number
