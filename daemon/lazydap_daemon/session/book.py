"""Owns what one session's adapter thinks of the project's breakpoints; sends nothing."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from lazydap_core.domain.breakpoints import Breakpoint, NamedBreakpoint
from lazydap_core.protocol import objects
from lazydap_core.protocol.statuses import status_of
from lazydap_daemon.dap import messages as dap

Kind = Literal["line", "function", "data"]


class Opinion(NamedTuple):
    """The adapter's last word on one breakpoint; `line` is where it really stands.

    `message` is commentary where the breakpoint is verified; `trouble` is what went wrong with it all the same.
    """

    adapter_id: int | None
    verified: bool
    line: int | None
    message: str | None
    source: str | None = None
    trouble: str | None = None


GUEST_ID: Final = 0
"""The id of a breakpoint that is nobody's: the project counts from 1."""


class Book:
    """Opinions by our breakpoint id; an entry outlives the removal of its breakpoint.

    `guest` is what the adapter thinks of the temporary breakpoint, whose id is `GUEST_ID`.
    `filters` are the exception filters that the adapter implements as breakpoints, by its id, with what to call them.
    """

    def __init__(self) -> None:
        self.filters: dict[int, str] = {}
        self.guest: Opinion | None = None
        self._guests: set[int] = set()
        self._opinions: dict[int, Opinion] = {}
        self._ours: dict[int, int] = {}
        # Numbered by themselves: LLDB before 23 gives them the numbers of breakpoints again.
        self._watched: dict[int, int] = {}
        self._kinds: dict[int, Kind] = {}
        # By how many lines a breakpoint is farther down than in the text that the program was made of.
        self._shifts: dict[int, int] = {}
        # Those whose line that text does not have.
        self._held: set[int] = set()
        self._conditional: set[int] = set()
        self._unbound: str | None = None

    def record(
        self, sent: Sequence[Breakpoint | NamedBreakpoint], answered: Sequence[dap.Breakpoint], kind: Kind = "line"
    ) -> tuple[int, ...]:
        """Pair an answer with what was sent, by position; returns our ids whose opinion changed."""
        numbers = self._watched if kind == "data" else self._ours
        changed: list[int] = []
        self._conditional.difference_update(ours.id for ours in sent)
        self._conditional.update(ours.id for ours in sent if ours.condition is not None)
        for ours, theirs in zip(sent, answered, strict=False):
            if ours.id == GUEST_ID:
                self.guest = Opinion(theirs.id, theirs.verified, theirs.line, theirs.message)
                self._guests.update(() if theirs.id is None else (theirs.id,))
                continue
            if theirs.id is not None:
                numbers[theirs.id] = ours.id
            self._kinds[ours.id] = kind
            source = theirs.source.file if theirs.source else None
            if self._set(ours.id, Opinion(theirs.id, theirs.verified, theirs.line, theirs.message, source)):
                changed.append(ours.id)
        return tuple(changed)

    def refuse(self, sent: Sequence[Breakpoint | NamedBreakpoint], reason: str) -> tuple[int, ...]:
        """Mark what was sent as unverified, with the adapter's reason; returns our ids whose opinion changed."""
        return tuple(
            ours.id for ours in sent if self._set(ours.id, Opinion(None, verified=False, line=None, message=reason))
        )

    def trouble(self, our_id: int, words: str) -> bool:
        """Note what went wrong with a condition, until its file's list is sent again; whether that is news."""
        return our_id in self._conditional and self._set(our_id, self._opinions[our_id]._replace(trouble=words))

    def explain(self, reason: str) -> tuple[int, ...]:
        """Note why lines do not bind, where the adapter's own words do not say; our ids of which that is news."""
        before, self._unbound = self._unbound, reason
        return tuple(our_id for our_id in self._opinions if before != reason and self._is_unbound(our_id))

    def _is_unbound(self, our_id: int) -> bool:
        # What was refused has no number of the adapter's, and a reason of its own.
        opinion = self._opinions[our_id]
        return not opinion.verified and opinion.adapter_id is not None and self.kind_of(our_id) == "line"

    def _telling(self, our_id: int) -> str | None:
        """What a person is to read of it."""
        opinion = self._opinions[our_id]
        if opinion.trouble or opinion.verified:
            return opinion.trouble
        return self._unbound if self._unbound and self._is_unbound(our_id) else opinion.message

    def _set(self, our_id: int, opinion: Opinion) -> bool:
        changed = self._opinions.get(our_id) != opinion
        self._opinions[our_id] = opinion
        return changed

    def followed(self, our_id: int, lines: int) -> None:
        """Note that a breakpoint has gone along with its text; the program runs the older text, where it stays."""
        self._shifts[our_id] = self._shifts.get(our_id, 0) + lines

    def placed(self, wanted: Breakpoint, program_line: int) -> None:
        """Note which line of the text that the program was made of a breakpoint belongs to, 0 where it has none."""
        self._shifts.pop(wanted.id, None)
        self._held.discard(wanted.id)
        if program_line:
            self._shifts[wanted.id] = wanted.line - program_line
        else:
            self._held.add(wanted.id)

    def in_program(self, wanted: Breakpoint) -> Breakpoint | None:
        """The breakpoint at its line in the text that the program was made of, None where that has no such line."""
        if wanted.id in self._held:
            return None
        return replace(wanted, line=wanted.line - self._shifts.get(wanted.id, 0))

    def _here(self, our_id: int | None, line: int | None) -> int | None:
        """A line of the program's text as the line of the text of now."""
        return None if line is None else line + (0 if our_id is None else self._shifts.get(our_id, 0))

    def moved(self, our_id: int) -> None:
        """Forget where the adapter put a breakpoint that belongs elsewhere now."""
        self._shifts.pop(our_id, None)
        self._held.discard(our_id)
        if our_id in self._opinions:
            self._opinions[our_id] = self._opinions[our_id]._replace(line=None)

    def knows(self, adapter_id: int | None) -> bool:
        """Whether this adapter id is one of ours."""
        return adapter_id in self._ours

    def is_filter(self, adapter_id: int | None) -> bool:
        """Whether this adapter id is an exception filter's."""
        return adapter_id in self.filters

    def is_guest(self, adapter_id: int | None) -> bool:
        """Whether this adapter id is that of a temporary breakpoint."""
        return adapter_id in self._guests

    def told_of(self, adapter_id: int | None) -> objects.AdapterBreakpoint | None:
        """What clients have been told of the breakpoint with this adapter id; None for one that is not ours."""
        our_id = None if adapter_id is None else self._ours.get(adapter_id)
        return None if our_id is None else self.opinion_of(our_id)

    def update(self, told: dap.Breakpoint) -> objects.AdapterBreakpoint:
        """Take in an adapter's `breakpoint` event; the update names our breakpoint where the adapter id is known."""
        our_id = self._ours.get(told.id) if told.id is not None else None
        if our_id is not None:
            known = self._opinions[our_id]
            self._opinions[our_id] = Opinion(
                told.id,
                told.verified,
                known.line if told.line is None else told.line,
                known.message if told.message is None else told.message,
                known.source if told.source is None else told.source.file,
                known.trouble,
            )
        return objects.AdapterBreakpoint(
            id=our_id,
            adapter_id=told.id,
            verified=told.verified,
            line=self._here(our_id, told.line),
            message=None if told.verified else told.message if our_id is None else self._telling(our_id),
        )

    def our_ids(self, adapter_ids: Sequence[int], reason: str = "breakpoint") -> tuple[int, ...]:
        """Our ids for those an adapter names as hit; ids of nothing of ours are dropped."""
        numbers = self._watched if reason == "data_breakpoint" else self._ours
        return tuple(numbers[number] for number in adapter_ids if number in numbers)

    def kind_of(self, our_id: int | None) -> Kind:
        """What kind of breakpoint that is."""
        return "line" if our_id is None else self._kinds.get(our_id, "line")

    def known(self, our_id: int) -> Opinion | None:
        """The present opinion, if there is any."""
        return self._opinions.get(our_id)

    def opinion_of(self, our_id: int) -> objects.AdapterBreakpoint:
        """The update that tells a subscriber the present opinion of a breakpoint that has one."""
        opinion = self._opinions[our_id]
        return objects.AdapterBreakpoint(
            id=our_id,
            adapter_id=opinion.adapter_id,
            verified=opinion.verified,
            line=self._here(our_id, opinion.line),
            message=self._telling(our_id),
        )

    def decorated(self, wanted: Breakpoint) -> objects.BreakpointStatus:
        """The breakpoint with this adapter's opinion; one never told to the adapter is unverified."""
        opinion = self._opinions.get(wanted.id)
        if opinion is None:
            return status_of(wanted)
        return status_of(
            wanted,
            verified=opinion.verified,
            adapter_line=line if (line := self._here(wanted.id, opinion.line)) != wanted.line else None,
            message=self._telling(wanted.id),
        )
