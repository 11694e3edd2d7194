"""Owns the ways in which bytes get to an adapter and back; knows nothing of what is said, only how a caller is told."""

import asyncio
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import anyio
import psutil

HOST: Final = "127.0.0.1"

CONNECT_DEADLINE: Final = 15.0
"""Seconds that an adapter has from its start until it is connected."""

GREETING_DEADLINE: Final = 5.0
"""Seconds that a caller has to say who it is."""

MAX_CALLERS: Final = 16
"""Callers that may be about to say who they are."""

_MAX_LINE: Final = 256
_POLL: Final = 0.02


@dataclass(frozen=True)
class StandardStreams:
    """Over the adapter's own standard input and output."""

    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallsBack:
    """The adapter connects to a socket of ours; `{port}` and `{token}` in its arguments are filled in.

    The first line that it sends is the header `Auth-Token: TOKEN`, or where it has no such thing, not `shows_token`, it
    is known by the port that it calls from: whoever else connects is turned away.
    """

    arguments: tuple[str, ...]
    shows_token: bool = True


@dataclass(frozen=True)
class Listens:
    """The adapter waits for one caller, on a port of its own choice that only its open sockets tell."""

    arguments: tuple[str, ...]


Transport = StandardStreams | CallsBack | Listens


class Doorway:
    """A listening socket for one caller, from this machine only, which shows `token` or is a process that is known."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(16)
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind((HOST, 0))
        self._listener.listen(MAX_CALLERS)
        self.port: int = self._listener.getsockname()[1]

    def close(self) -> None:
        """Nobody can call any more."""
        self._listener.close()

    async def caller(self, pid: int | None = None) -> socket.socket:
        """The first caller who shows the token; the header line is read, what follows it is not.

        Where a `pid` is given it is that process, which shows nothing. Everybody else is turned away. Waits without
        end.
        """
        admitted: list[socket.socket] = []
        slots = anyio.Semaphore(MAX_CALLERS)
        loop = asyncio.get_running_loop()
        async with anyio.create_task_group() as callers:

            async def greet(caller: socket.socket) -> None:
                try:
                    with anyio.move_on_after(GREETING_DEADLINE):
                        is_known = await self._shows_token(caller) if pid is None else self._is_of(pid, caller)
                        if is_known and not admitted:
                            admitted.append(caller)
                            callers.cancel_scope.cancel()
                finally:
                    slots.release()
                    if caller not in admitted:
                        caller.close()

            while True:
                await slots.acquire()
                caller, _ = await loop.sock_accept(self._listener)
                caller.setblocking(False)
                callers.start_soon(greet, caller)
        return admitted[0]

    async def _shows_token(self, caller: socket.socket) -> bool:
        name, _, value = (await _first_line(caller)).partition(b":")
        return name.strip().lower() == b"auth-token" and secrets.compare_digest(value.strip(), self.token.encode())

    def _is_of(self, pid: int, caller: socket.socket) -> bool:
        """Whether the other end of the connection is held by that process."""
        try:
            held = psutil.Process(pid).net_connections("tcp4")
            calling = caller.getpeername()
        except (psutil.Error, OSError):
            return False
        return any(each.laddr == calling and each.raddr == (HOST, self.port) for each in held)


async def _first_line(caller: socket.socket) -> bytes:
    """Up to `_MAX_LINE` bytes of it. Byte by byte, because what follows belongs to the conversation."""
    loop = asyncio.get_running_loop()
    line = bytearray()
    while len(line) < _MAX_LINE and not line.endswith(b"\n"):
        try:
            byte = await loop.sock_recv(caller, 1)
        except OSError:
            break
        if not byte:
            break
        line += byte
    return bytes(line)


async def called(pid: int) -> socket.socket:
    """A connection to the port on which that process, or one that it started, listens. Waits until there is one."""
    loop = asyncio.get_running_loop()
    while True:
        for port in _ports(pid):
            calling = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            calling.setblocking(False)
            try:
                await loop.sock_connect(calling, (HOST, port))
            except BaseException as error:
                calling.close()
                if not isinstance(error, OSError):
                    raise
            else:
                return calling
        await anyio.sleep(_POLL)


def _ports(pid: int) -> Iterator[int]:
    try:
        process = psutil.Process(pid)
        for member in (process, *process.children(recursive=True)):
            for connection in member.net_connections("tcp4"):
                if connection.status == psutil.CONN_LISTEN and connection.laddr.ip == HOST:
                    yield connection.laddr.port
    except psutil.Error:
        return
