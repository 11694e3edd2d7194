"""When the time of an answer begins that waits behind others."""

import anyio

from lazydap_daemon.dap.connection import Pending
from lazydap_daemon.dap.errors import StreamBroken
from lazydap_daemon.session.turns import Turns


def asked(seq: int) -> Pending:
    return Pending("variables", seq, None)


async def test_the_time_of_a_request_begins_when_the_one_before_is_answered() -> None:
    turns, first, begun = Turns(), asked(1), anyio.Event()
    await turns.begun(first, 30)

    async def second() -> None:
        await turns.begun(asked(2), 10)
        begun.set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(second)
            await anyio.wait_all_tasks_blocked()
            assert not begun.is_set()
            first.settle(StreamBroken("gone"))
            await begun.wait()


async def test_it_begins_as_well_when_the_time_of_the_one_before_is_over() -> None:
    turns = Turns()
    await turns.begun(asked(1), 0.01)
    with anyio.fail_after(5):
        await turns.begun(asked(2), 10)
        await turns.begun(asked(1), 10)


async def test_an_answer_out_of_turn_is_not_waited_for() -> None:
    turns, second = Turns(), asked(2)
    await turns.begun(asked(1), 30)
    second.settle(StreamBroken("gone"))
    with anyio.fail_after(5):
        await turns.begun(second, 10)
