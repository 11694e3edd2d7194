"""Owns the file descriptors that a conversation runs over; carries bytes, and knows nothing of messages."""

import asyncio
import os
import socket
from collections.abc import Callable
from typing import Final, Protocol

import anyio

from lazydap_daemon.dap.errors import StreamBroken

CHUNK: Final = 65536
"""Bytes read at once; no more than one chunk is handled before the event loop gets its turn."""

MAX_UNWRITTEN: Final = 4 * 2**20
"""Bytes that may wait for a peer that does not read."""


class Wire(Protocol):
    """A way to a peer and back. Writing never waits, and never tears a message; reading pushes."""

    def write(self, data: bytes) -> None:
        """Send all of `data`, now or as soon as the peer takes it. Raises StreamBroken, saying what the peer did."""
        ...

    async def drained(self) -> None:
        """Wait until the peer has taken everything, or never will."""
        ...

    async def pump(self, receive: Callable[[bytes], None]) -> str:
        """Hand on what arrives, as it arrives, until the stream ends; returns what the peer did ("closed its stream").

        What `receive` raises ends the pump, and is raised.
        """
        ...


class DescriptorWire:
    """A wire over two pipes, or over one descriptor that is both.

    Bytes are handed on from the event loop's own callback: a reading task would be woken one turn of the loop later,
    which takes longer than all that is done with a message (doc/adapters.md, "Latency").
    """

    def __init__(self, readable: int, writable: int) -> None:
        self.is_pumping = False
        self._readable = readable
        self._writable = writable
        self._unwritten = bytearray()
        self._drained = anyio.Event()
        self._broken: str | None = None
        self._open = {readable, writable}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    def write(self, data: bytes) -> None:
        """See `Wire.write`."""
        if self._broken is None and not self._unwritten:
            data = data[self._write_some(data) :]
        if self._broken is not None:
            raise StreamBroken(self._broken)
        if not data:
            return
        if len(self._unwritten) + len(data) > MAX_UNWRITTEN:
            self._break("reads nothing of what it is sent")
            raise StreamBroken("reads nothing of what it is sent")
        if not self._unwritten:
            self._drained = anyio.Event()
            asyncio.get_running_loop().add_writer(self._writable, self._write_more)
        self._unwritten += data

    async def drained(self) -> None:
        """See `Wire.drained`."""
        if self._unwritten:
            await self._drained.wait()

    async def pump(self, receive: Callable[[bytes], None]) -> str:
        """See `Wire.pump`; there can be only one at a time."""
        loop = asyncio.get_running_loop()
        ended = anyio.Event()
        endings: list[str] = []
        failures: list[BaseException] = []

        def readable() -> None:
            data = self._read(endings)
            if data is None:
                return
            if data:
                try:
                    receive(data)
                except BaseException as error:  # noqa: BLE001 - raised below; the loop would log it and go on
                    failures.append(error)
            if endings or failures:
                loop.remove_reader(self._readable)
                ended.set()

        loop.add_reader(self._readable, readable)
        self.is_pumping = True
        try:
            await ended.wait()
        finally:
            self.is_pumping = False
            loop.remove_reader(self._readable)
        for failure in failures:
            raise failure
        return endings[0]

    def _read(self, endings: list[str]) -> bytes | None:
        """What there is; None when there is nothing yet; at the end nothing, and how it ended in `endings`."""
        try:
            data = os.read(self._readable, CHUNK)
        except BlockingIOError:
            return None
        except OSError as error:
            endings.append(f"lost its stream: {error.strerror}")
            return b""
        if not data:
            endings.append("closed its stream")
        return data

    def close_input(self) -> None:
        """Tell the peer that nothing more comes; what it has not taken yet is dropped."""
        self._break("has been told that nothing more comes")
        if self._writable != self._readable:
            self._close(self._writable)

    def close(self) -> None:
        """Close both ways; nobody may be pumping."""
        self.close_input()
        self._close(self._readable)

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.discard(descriptor)
            os.close(descriptor)

    def _write_some(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._writable, data)
        except BlockingIOError:
            return 0
        except OSError:
            self._break("has closed its input")
            return 0

    def _write_more(self) -> None:
        del self._unwritten[: self._write_some(self._unwritten)]
        if not self._unwritten and self._broken is None:
            asyncio.get_running_loop().remove_writer(self._writable)
            self._drained.set()

    def _break(self, detail: str) -> None:
        if self._unwritten:
            asyncio.get_running_loop().remove_writer(self._writable)
            self._unwritten.clear()
        if self._broken is None:
            self._broken = detail
        self._drained.set()


class SocketWire(DescriptorWire):
    """A wire over a connected stream socket, which it owns from then on; what is written leaves at once."""

    def __init__(self, connected: socket.socket) -> None:
        # Nagle's algorithm would hold a message back until the last one is acknowledged (doc/adapters.md, "Latency").
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(connected.fileno(), connected.fileno())
        self._socket = connected

    def close_input(self) -> None:
        """The peer sees the end of the stream, and can still be heard."""
        super().close_input()
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            # It has gone away before, or this is the second time.
            return

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.discard(descriptor)
            self._socket.close()
