"""How long an answer may take that waits behind others."""

from lazydap_daemon.dap.connection import Pending
from lazydap_daemon.dap.errors import StreamBroken
from lazydap_daemon.session.turns import Turns


def asked(seq: int) -> Pending:
    return Pending("variables", seq, None)


def test_the_time_of_a_request_begins_when_that_of_the_one_before_is_over() -> None:
    turns = Turns()
    assert turns.limit(asked(1), 30) == 30
    assert 39 < turns.limit(asked(2), 10) <= 40
    assert 49 < turns.limit(asked(3), 10) <= 50


def test_what_is_answered_takes_no_more_time_of_anybodys() -> None:
    turns, first = Turns(), asked(1)
    turns.limit(first, 30)
    first.settle(StreamBroken("gone"))
    assert turns.limit(asked(2), 10) == 10


def test_what_was_sent_later_but_is_waited_for_first_takes_nothing_from_what_was_sent_before() -> None:
    turns = Turns()
    turns.limit(asked(2), 30)
    assert turns.limit(asked(1), 10) == 10
