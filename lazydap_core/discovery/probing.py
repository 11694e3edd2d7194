"""Owns asking a program whether it works: bounded in time and output, nothing left running; knows no adapter."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import msgspec

PROBE_SECONDS: Final = 5.0
LARGEST_ANSWER: Final = 2**16
READ_BYTES: Final = 4096

ADAPTER_ONLY: Final = ("PYTHONHOME", "PYTHONPATH")
"""What belongs to another Python than the one an adapter embeds or is."""


class Answer(msgspec.Struct, frozen=True):
    """What a program wrote, and the code it ended with; None when it had said enough or taken too long."""

    output: str
    code: int | None

    @property
    def last_line(self) -> str:
        """The last line that is not blank, to tell a person what went wrong."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        if lines:
            return lines[-1]
        return f"it did not answer within {PROBE_SECONDS:.0f} s" if self.code is None else f"exit code {self.code}"


def ask(
    command: tuple[str, ...],
    environ: Mapping[str, str],
    *,
    say: bytes = b"",
    folder: str | None = None,
    is_enough: Callable[[str], bool] | None = None,
) -> Answer:
    """Run `command` in `folder` with `say` on its standard input and return what it wrote to its two outputs.

    It is ended, with everything it started in its session, when it has written what `is_enough` accepts, and after
    `PROBE_SECONDS`.
    """
    environment = {name: value for name, value in environ.items() if name not in ADAPTER_ONLY}
    try:
        child = subprocess.Popen(  # noqa: S603  # the user's own adapters
            command,
            stdin=subprocess.PIPE if say else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
            start_new_session=True,
            bufsize=0,  # so that closing the input has nothing left to write to a program that is gone
        )
    except OSError as error:
        return Answer(f"it cannot be run: {error.strerror}", 127)
    with child:
        try:
            if child.stdin:
                with suppress(BrokenPipeError):
                    child.stdin.write(say)
            output = _listen(child, is_enough)
            return Answer(output, _exit_code(child))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def _listen(child: "subprocess.Popen[bytes]", is_enough: Callable[[str], bool] | None) -> str:
    assert child.stdout  # noqa: S101  # piped
    deadline = time.monotonic() + PROBE_SECONDS
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while len(output) < LARGEST_ANSWER and (remaining := deadline - time.monotonic()) > 0:
            if not selector.select(remaining):
                break
            data = os.read(child.stdout.fileno(), READ_BYTES)
            output += data
            if not data or (is_enough and is_enough(output.decode("utf-8", "replace"))):
                break
    return output.decode("utf-8", "replace")


def _exit_code(child: "subprocess.Popen[bytes]") -> int | None:
    """The code of a child that is ending by itself: its outputs are closed, so that takes no time."""
    try:
        return child.wait(0.2)
    except subprocess.TimeoutExpired:
        return None
