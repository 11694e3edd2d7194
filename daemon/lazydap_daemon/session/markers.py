"""Owns which movements of ours the adapter still owes a stop for, so that a stop can be called what it is."""

from lazydap_core.domain.words import StepKind


class Markers:
    """One slot for a step and one for a pause (doc/adapters.md, "Stops").

    A mark is set before its request is sent, because the stop may arrive before the answer; a refused request takes
    back only its own mark.
    """

    def __init__(self) -> None:
        self._next = 1
        self._step: tuple[int, int, StepKind] | None = None
        self._pause: int | None = None
        self._is_continuing = False
        self._jump: tuple[int, int] | None = None

    def step(self, thread_id: int, kind: StepKind) -> int:
        """Note that `thread_id` is being stepped; returns the mark."""
        mark = self._take_number()
        self._step = (mark, thread_id, kind)
        self._is_continuing = False
        return mark

    def jump(self, thread_id: int) -> int:
        """Note that `thread_id` is being put to another line; returns the mark."""
        self.resume()
        self._is_continuing = False
        self._jump = (self._take_number(), thread_id)
        return self._jump[0]

    def pause(self) -> int:
        """Note that the program was asked to pause; returns the mark."""
        self._pause = self._take_number()
        return self._pause

    def resume(self) -> None:
        """A continue is really being sent: nothing older is owed any more."""
        self._step = self._pause = None
        self._is_continuing = True

    def withdraw(self, mark: int) -> None:
        """The request behind this mark was refused."""
        if self._step is not None and self._step[0] == mark:
            self._step = None
        if self._jump is not None and self._jump[0] == mark:
            self._jump = None
        if self._pause == mark:
            self._pause = None

    def stopped(self, reason: str) -> None:
        """A stop was reported under its final reason: it answers a pause, or whatever else was under way."""
        self._is_continuing = False
        self._jump = None
        if reason == "pause":
            self._pause = None
        else:
            self._step = None

    @property
    def pause_outstanding(self) -> bool:
        """Whether a pause was asked for and has not been answered by a stop."""
        return self._pause is not None

    @property
    def is_continuing(self) -> bool:
        """Whether the last movement was a continue that no stop has answered yet."""
        return self._is_continuing

    @property
    def step_thread(self) -> int | None:
        """The thread that is being stepped, None when no step is under way."""
        return None if self._step is None else self._step[1]

    @property
    def jumping_thread(self) -> int | None:
        """The thread that is being put to another line, None when none is."""
        return None if self._jump is None else self._jump[1]

    def _take_number(self) -> int:
        number = self._next
        self._next += 1
        return number
