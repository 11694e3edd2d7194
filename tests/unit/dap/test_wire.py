"""The wire over descriptors: nothing waits, nothing is torn, every ending is told."""

import os
import socket
from collections.abc import Iterator

import anyio
import pytest

from lazydap_daemon.dap import wire as wire_module
from lazydap_daemon.dap.errors import StreamBroken
from lazydap_daemon.dap.wire import DescriptorWire, SocketWire


class Pipes:
    """A wire, and the peer's two ends."""

    def __init__(self) -> None:
        self.peer_reads, writable = os.pipe()
        readable, self.peer_writes = os.pipe()
        self.wire = DescriptorWire(readable, writable)
        self.received: list[bytes] = []

    def close_peer(self, descriptor: int) -> None:
        os.close(descriptor)
        if descriptor == self.peer_reads:
            self.peer_reads = -1
        else:
            self.peer_writes = -1


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    for descriptor in (made.peer_reads, made.peer_writes):
        if descriptor >= 0:
            os.close(descriptor)


async def test_what_arrives_is_handed_on_until_the_end(pipes: Pipes) -> None:
    os.write(pipes.peer_writes, b"one")
    async with anyio.create_task_group() as tasks:

        async def ends() -> None:
            assert await pipes.wire.pump(pipes.received.append) == "closed its stream"

        tasks.start_soon(ends)
        with anyio.fail_after(5):
            while pipes.received != [b"one"]:
                await anyio.lowlevel.checkpoint()
        assert pipes.wire.is_pumping
        os.write(pipes.peer_writes, b"two")
        pipes.close_peer(pipes.peer_writes)
    assert pipes.received == [b"one", b"two"]
    assert not pipes.wire.is_pumping
    pipes.wire.close()


async def test_an_error_of_the_receiver_ends_the_pump(pipes: Pipes) -> None:
    def fails(data: bytes) -> None:
        raise OSError(5, str(data))

    os.write(pipes.peer_writes, b"one")
    with pytest.raises(OSError, match="one"), anyio.fail_after(5):
        await pipes.wire.pump(fails)
    os.write(pipes.peer_writes, b"two")
    with anyio.move_on_after(0.01):
        await pipes.wire.pump(pipes.received.append)
    assert pipes.received == [b"two"]
    pipes.wire.close()


async def test_a_peer_that_reads_late_gets_everything_in_order(pipes: Pipes) -> None:
    blocks = [bytes([number]) * 50_000 for number in range(20)]
    for block in blocks:
        pipes.wire.write(block)
    got = bytearray()
    with anyio.fail_after(5):
        while len(got) < sum(map(len, blocks)):
            await anyio.wait_readable(pipes.peer_reads)
            got += os.read(pipes.peer_reads, 4096)
        await pipes.wire.drained()
    assert bytes(got) == b"".join(blocks)
    pipes.wire.close()


async def test_a_peer_that_has_taken_everything_is_not_waited_for(pipes: Pipes) -> None:
    pipes.wire.write(b"one")
    with anyio.fail_after(5):
        await pipes.wire.drained()
    pipes.wire.close()


async def test_a_peer_that_never_reads_is_given_up(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_module, "MAX_UNWRITTEN", 100_000)
    pipes.wire.write(b"x" * 100_000)
    for _ in range(2):
        with pytest.raises(StreamBroken, match="reads nothing"):
            pipes.wire.write(b"x" * 100_000)
    with anyio.fail_after(5):
        await pipes.wire.drained()
    pipes.wire.close()


async def test_a_peer_that_closed_its_input_is_told(pipes: Pipes) -> None:
    pipes.close_peer(pipes.peer_reads)
    for _ in range(2):
        with pytest.raises(StreamBroken, match="has closed its input"):
            pipes.wire.write(b"one")
    pipes.wire.close()


async def test_a_peer_that_closes_its_input_while_it_is_written_to_wakes_who_waits(pipes: Pipes) -> None:
    pipes.wire.write(b"x" * 1_000_000)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pipes.wire.drained)
        await anyio.lowlevel.checkpoint()
        pipes.close_peer(pipes.peer_reads)
    pipes.wire.close()


async def test_nothing_is_written_to_a_closed_input(pipes: Pipes) -> None:
    pipes.wire.write(b"x" * 1_000_000)
    pipes.wire.close_input()
    pipes.wire.close_input()
    with pytest.raises(StreamBroken, match="nothing more comes"):
        pipes.wire.write(b"one")
    pipes.wire.close()


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        peer, _ = listener.accept()
    with ours, peer:
        yield ours, peer


async def test_a_socket_sends_each_message_at_once(sockets: tuple[socket.socket, socket.socket]) -> None:
    ours, peer = sockets
    wire = SocketWire(ours)
    assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    wire.write(b"one")
    assert peer.recv(10) == b"one"
    wire.close()
    assert ours.fileno() == -1


async def test_a_peer_that_is_told_of_the_end_can_still_be_heard(sockets: tuple[socket.socket, socket.socket]) -> None:
    ours, peer = sockets
    wire = SocketWire(ours)
    received: list[bytes] = []
    wire.close_input()
    assert peer.recv(10) == b""
    with pytest.raises(StreamBroken):
        wire.write(b"too late")
    peer.sendall(b"last words")
    peer.close()
    with anyio.fail_after(5):
        assert await wire.pump(received.append) == "closed its stream"
    assert b"".join(received) == b"last words"
    wire.close()
    wire.close()


async def test_a_peer_that_is_killed_is_told(sockets: tuple[socket.socket, socket.socket]) -> None:
    ours, peer = sockets
    wire = SocketWire(ours)
    wire.write(b"unread")
    # With something unread, closing is a reset.
    peer.close()
    with anyio.fail_after(5):
        assert await wire.pump(lambda _: None) == "lost its stream: Connection reset by peer"
    wire.close_input()
    wire.close()
