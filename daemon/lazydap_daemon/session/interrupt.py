"""Owns stopping a program by a signal, in place of an adapter's own `pause`; knows no adapter."""

import signal

from lazydap_daemon.adapters.process import Debuggee


class Interrupt:
    """The SIGSTOP that was sent to a program and that no stop has answered yet (doc/adapters.md, "Stops").

    Where the program stops for another reason first, or was signalled twice, a signal is left that would stop it again
    as soon as it goes on; it is taken back.
    """

    def __init__(self) -> None:
        self._program: Debuggee | None = None
        self._count = 0

    def send(self, program: Debuggee) -> bool:
        """Signal the program; False when it is gone."""
        if not program.signal(signal.SIGSTOP):
            return False
        self._program = program
        self._count += 1
        return True

    def answered(self, *, by_signal: bool) -> None:
        """The program has stopped, by the signal or for another reason."""
        if self._program is not None and (self._count > 1 or not by_signal):
            # It does no more than that to a program that stands: SIGCONT discards a SIGSTOP that is under way.
            self._program.signal(signal.SIGCONT)
        self._program, self._count = None, 0

    def withdraw(self) -> None:
        """Nobody waits for the stop any more."""
        self.answered(by_signal=False)
