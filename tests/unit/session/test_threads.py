"""Which threads a client is told of, when its adapter tells none, or those of an earlier moment."""

import pytest

from lazydap_core.errors import DapProtocolError
from lazydap_daemon.dap.messages import Thread, ThreadsBody
from lazydap_daemon.session.threads import Threads


class Adapter:
    """Answers `threads` with the next of `answers`; None is a refusal."""

    def __init__(self, *answers: list[int] | None) -> None:
        self.answers = list(answers)
        self.is_running = False

    async def __call__(self) -> ThreadsBody:
        numbers = self.answers.pop(0)
        if numbers is None:
            raise DapProtocolError("the adapter refused threads: notStopped", command="threads")
        return ThreadsBody(threads=tuple(Thread(id=number, name="") for number in numbers))


async def listed(threads: Threads) -> list[int]:
    return [thread.id for thread in await threads.listed()]


async def test_the_first_answer_is_not_believed_where_it_is_old() -> None:
    adapter = Adapter([1], [1, 2], [1, 3])
    threads = Threads(adapter, lambda: False, first_answer_is_old=True)
    assert await listed(threads) == [1, 2]
    assert await listed(threads) == [1, 3]


async def test_the_threads_of_a_running_program_are_the_last_known_where_the_adapter_tells_none() -> None:
    adapter = Adapter([1], None, None, [1, 2], None)
    threads = Threads(adapter, lambda: adapter.is_running, first_answer_is_old=True)
    adapter.is_running = True
    assert await listed(threads) == [1]
    assert await listed(threads) == [1]
    adapter.is_running = False
    assert await listed(threads) == [1, 2]
    adapter.is_running = True
    assert await listed(threads) == [1, 2]


@pytest.mark.parametrize("is_running", [True, False])
async def test_a_refusal_is_told_where_nothing_is_known_or_the_program_stands(*, is_running: bool) -> None:
    threads = Threads(Adapter(*([] if is_running else [[1]]), None), lambda: is_running, first_answer_is_old=False)
    if not is_running:
        assert await listed(threads) == [1]
    with pytest.raises(DapProtocolError):
        await threads.listed()


async def test_a_refusal_that_a_stop_has_overtaken_is_no_fault() -> None:
    adapter = Adapter([1])
    threads = Threads(adapter, lambda: adapter.is_running, first_answer_is_old=False)
    assert await listed(threads) == [1]

    async def refuse_while_it_stops() -> ThreadsBody:
        adapter.is_running = False
        raise DapProtocolError("the adapter refused threads: notStopped", command="threads")

    adapter.is_running = True
    threads._ask = refuse_while_it_stops  # pyright: ignore[reportPrivateUsage]
    assert await listed(threads) == [1]


async def test_a_placeholder_is_no_thread() -> None:
    adapter = Adapter([0], [7, 8], [0], [])
    threads = Threads(adapter, lambda: True, first_answer_is_old=False, placeholder=0)
    assert await listed(threads) == []
    assert await listed(threads) == [7, 8]
    assert await listed(threads) == [7, 8]
    assert await listed(threads) == []


async def test_the_number_of_a_placeholder_is_a_thread_elsewhere() -> None:
    threads = Threads(Adapter([0, 1]), lambda: False, first_answer_is_old=False)
    assert await listed(threads) == [0, 1]
