"""Owns everything that is sent to the editor: batches one at a time, messages without floods; knows no daemon."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

import msgspec

from lazydap_nvim import view
from lazydap_nvim.model import Model, one_line
from lazydap_nvim.verbs import Severity

ACKNOWLEDGE_SECONDS: Final = 2.0
"""After this a batch is thought lost; doubled up to the longest while the editor goes on being silent."""
LONGEST_ACKNOWLEDGE: Final = 60.0
BURST: Final = 6
BURST_SECONDS: Final = 3.0
REPEAT_SECONDS: Final = 1.0
LONGEST_MESSAGE: Final = 500

APPLY: Final = "require('lazydap.draw').apply(...)"
MESSAGE: Final = "require('lazydap.draw').message(...)"
PRINT: Final = "require('lazydap.draw').print(...)"
ANSWER: Final = "require('lazydap.draw').answer(...)"
CHOOSE: Final = "require('lazydap.draw').choose(...)"
ASK: Final = "require('lazydap.draw').ask(...)"
SAVE: Final = "require('lazydap.draw').save(...)"
REMEMBER: Final = "require('lazydap.draw').remember(...)"
LIST_LINES: Final = "require('lazydap.draw').list_lines(...)"


class Timer(Protocol):
    """A call that was ordered for later."""

    def cancel(self) -> None:
        """Withdraw it."""
        ...


class Clock(Protocol):
    """Where time comes from: the event loop, or a test."""

    def time(self) -> float:
        """Seconds of a clock that only goes forward."""
        ...

    def call_later(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Call `callback` in `delay` seconds."""
        ...


class _Batch(msgspec.Struct, frozen=True):
    generation: int
    picture: view.Picture


class Editor:
    """The editor as the host sees it: `show` a model, `say` a line.

    One batch is on its way at a time; what is shown meanwhile waits, and only the newest of it is sent. `send` gets Lua
    code and its arguments, plain text and numbers only: anything richer can bring Neovim down (doc/architecture.md).
    """

    def __init__(self, send: Callable[..., object], clock: Clock) -> None:
        self._send = send
        self._clock = clock
        self._generation = 0
        self._wanted: Model | None = None
        self._latest: view.Picture | None = None
        self._acknowledged: view.Picture | None = None
        self._on_its_way: _Batch | None = None
        self._patience = ACKNOWLEDGE_SECONDS
        self._timer: Timer | None = None
        self._sent_at = 0.0
        self._said: deque[float] = deque(maxlen=BURST)
        self._last_lines: dict[str, float] = {}
        self._unsaid = 0
        self._held: tuple[str, Severity] | None = None

    def show(self, model: Model) -> None:
        """Bring the editor to `model`, now or when it has drawn what it is drawing."""
        self._wanted = model
        if self._on_its_way is None:
            self._send_newest()

    def acknowledged(self, generation: int, failed: str | None) -> None:
        """The editor has drawn that batch, or has failed to."""
        batch = self._on_its_way
        if batch is None or batch.generation != generation:
            return
        self._on_its_way = None
        self._patience = ACKNOWLEDGE_SECONDS
        if failed is None:
            self._acknowledged = batch.picture
        else:
            # Not again at once: what failed would fail for ever. The next change is sent in full.
            self._acknowledged = None
            self.say(f"drawing failed: {failed}", "error")
        self._send_newest()

    def forget(self) -> None:
        """Something sent came to nothing, nobody knows what: the next batch is a full one."""
        self._acknowledged = None

    def _send_newest(self) -> None:
        if self._wanted is None:
            return
        now = self._latest = view.picture(self._wanted, self._latest)
        self._wanted = None
        if view.is_same(now, self._acknowledged):
            return
        self._generation += 1
        self._on_its_way = _Batch(self._generation, now)
        self._send(APPLY, view.batch(self._generation, now, self._acknowledged))
        if self._timer is None:
            self._timer = self._clock.call_later(self._patience, self._look_at_watch)
        self._sent_at = self._clock.time()

    def _look_at_watch(self) -> None:
        # One timer for many batches: setting one a step costs more than looking again later.
        self._timer = None
        if self._on_its_way is None:
            return
        waited = self._clock.time() - self._sent_at
        if waited < self._patience:
            self._timer = self._clock.call_later(self._patience - waited, self._look_at_watch)
            return
        self._on_its_way = None
        self._acknowledged = None
        self._patience = min(LONGEST_ACKNOWLEDGE, self._patience * 2)
        self._send_newest()

    def say(self, text: str, severity: Severity = "info") -> None:
        """Show one line. The same line twice within a second is said once.

        Of more lines than can be read the last, or the last error, is said when there is time; the others are counted.
        """
        line = one_line(text.strip(), LONGEST_MESSAGE)
        now = self._clock.time()
        for old, when in list(self._last_lines.items()):
            if now - when > REPEAT_SECONDS:
                del self._last_lines[old]
        if line in self._last_lines:
            return
        if len(self._said) == BURST and now - self._said[0] < BURST_SECONDS:
            self._hold(line, severity, self._said[0] + BURST_SECONDS - now)
            return
        self._last_lines[line] = now
        self._tell(line, severity)

    def _hold(self, line: str, severity: Severity, seconds: float) -> None:
        if self._held is None:
            self._clock.call_later(seconds, self._tell_held)
        else:
            self._unsaid += 1
        # It may be all that answers what the user has asked for, or say why nothing came of it.
        if self._held is None or severity == "error" or self._held[1] != "error":
            self._held = (line, severity)

    def _tell_held(self) -> None:
        if self._held is not None:
            (line, severity), self._held = self._held, None
            self._tell(line, severity)

    def _tell(self, line: str, severity: Severity) -> None:
        self._said.append(self._clock.time())
        if self._unsaid:
            line, self._unsaid = f"{line} (and {self._unsaid} more: see :LazydapLog)", 0
        self._send(MESSAGE, line, severity)

    def choose(self, token: int, title: str, items: Sequence[str]) -> None:
        """Let the user choose one of `items`; the answer comes as the verb `chosen`."""
        choice: dict[str, Any] = {"token": token, "title": title, "items": [one_line(item) for item in items]}
        self._send(CHOOSE, msgspec.json.encode(choice).decode())

    def print(self, change: Any) -> None:
        """Write further output into its pane; the editor answers with the verb `printed`."""
        self._send(PRINT, msgspec.json.encode(change).decode())

    def answer(self, number: int, **keys: Any) -> None:
        """Answer the console's entry of that number."""
        self._send(ANSWER, msgspec.json.encode({"number": number, **keys}).decode())

    def ask(self, token: int, prompt: str, default: str) -> None:
        """Let the user type a text, `default` to begin with; the answer comes as the verb `answered`."""
        question: dict[str, Any] = {"token": token, "prompt": one_line(prompt), "default": one_line(default)}
        self._send(ASK, msgspec.json.encode(question).decode())

    def save(self, token: int) -> None:
        """Have changed files saved, or left as they are on purpose; the answer comes as the verb `chosen`."""
        self._send(SAVE, token)

    def remember(self, breakpoints: Sequence[Any]) -> None:
        """Put what has been taken away into the command history: path and line, or func, and the parts of each."""
        self._send(REMEMBER, msgspec.json.encode(breakpoints).decode())

    def list_lines(self, title: str, cwd: str, lines: Iterable[str]) -> None:
        """Show what a build printed in `cwd` as a quickfix list, its errors with their places."""
        listed: dict[str, Any] = {"title": one_line(title), "cwd": cwd, "lines": list(lines)}
        self._send(LIST_LINES, msgspec.json.encode(listed).decode())
