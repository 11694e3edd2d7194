"""The scripted adapter's two pipes: requests in, messages out, now or later; one thread, and `select`."""

import heapq
import json
import os
import select
import signal
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Wire:
    """Both pipes of the process: requests in, messages out, now or later."""

    def __init__(self, record: str | None) -> None:
        self.is_open = True
        self.bytes_per_write = 0
        self.pause = 0.0
        self._record = Path(record) if record else None
        self._buffer = bytearray()
        self._requests: deque[Json] = deque()
        self._later: list[tuple[float, int, Json]] = []
        self._count = 0
        self._seq = 0

    def note(self, entry: Json) -> None:
        """Append one line to the record, with the time of the monotonic clock."""
        if self._record is not None:
            with self._record.open("a", encoding="utf-8") as record:
                record.write(json.dumps({"time": time.monotonic(), **entry}) + "\n")

    def send(self, *messages: Json, delay: float = 0.0) -> None:
        """Write messages in one write, or one by one after `delay` seconds."""
        if delay:
            for message in messages:
                self._count += 1
                heapq.heappush(self._later, (time.monotonic() + delay, self._count, message))
            return
        self.write(b"".join(self._frame(message) for message in messages))

    def _frame(self, message: Json) -> bytes:
        self._seq += 1
        body = json.dumps({"seq": self._seq, **message}).encode()
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def write(self, data: bytes, stream: int = 1) -> None:
        """Write bytes as they are, in pieces where that was asked for."""
        size = self.bytes_per_write or len(data)
        for start in range(0, len(data), size or 1):
            piece = data[start : start + size]
            while piece:
                piece = piece[os.write(stream, piece) :]
            if self.pause:
                sleep(self.pause)

    def next_request(self, deadline: float | None) -> Json | None:
        """The next request; None at the deadline (monotonic seconds) or at the end of the input."""
        while not self._requests:
            self._flush_due()
            if not self.is_open:
                return None
            wait = self._seconds_until(deadline)
            if wait is not None and wait <= 0 and deadline is not None and time.monotonic() >= deadline:
                return None
            readable, _, _ = select.select([0], [], [], wait)
            if readable:
                self._read()
        return self._requests.popleft()

    def put_back(self, requests: list[Json]) -> None:
        """Requests that were taken too early come next."""
        self._requests.extendleft(reversed(requests))

    def _seconds_until(self, deadline: float | None) -> float | None:
        moments = [each for each in (deadline, self._later[0][0] if self._later else None) if each is not None]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _flush_due(self) -> None:
        while self._later and self._later[0][0] <= time.monotonic():
            self.write(self._frame(heapq.heappop(self._later)[2]))

    def _read(self) -> None:
        data = os.read(0, 65536)
        self.is_open = bool(data)
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = int(self._buffer[:end].rpartition(b":")[2])
            body = self._buffer[end + 4 : end + 4 + length]
            if len(body) < length:
                return
            del self._buffer[: end + 4 + length]
            message = json.loads(body)
            self.note({key: message[key] for key in message if key != "seq"} | {"number": message.get("seq")})
            self._requests.append(message)


class Child:
    """A process that stands for the program; started without `subprocess`, whose import takes longer than all else."""

    def __init__(self, argv: Sequence[str]) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1)]
        self.pid = os.posix_spawnp(argv[0], list(argv), os.environ, file_actions=actions)
        os.close(null)

    def end(self) -> None:
        """Kill it, and wait for it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def sleep(seconds: float) -> None:
    """Do nothing, and read nothing, for so long."""
    select.select([], [], [], seconds)


def response(request: Json, *, ok: bool = True, body: Any = None, message: str | None = None) -> Json:
    """The answer to `request`."""
    answer: Json = {
        "type": "response",
        "request_seq": request["seq"],
        "success": ok,
        "command": request["command"],
    }
    if body is not None:
        answer["body"] = body
    if message is not None:
        answer["message"] = message
    return answer
