"""Owns a project's breakpoints and watches while the daemon runs, and when they are saved; knows no session, no socket.

A change is made at once and written behind the caller's back; `saved` waits for that, and changes that come while one
write is under way share the next (doc/architecture.md, "State file").
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread
import msgspec

from lazydap_core.domain.breakpoints import Breakpoint, FilterChoice, FunctionBreakpoint, NamedBreakpoint, Watch
from lazydap_core.domain.words import BreakpointAction, WatchAction
from lazydap_core.errors import BadRequest, StateFileInvalid
from lazydap_core.protocol.additions.following import BreakpointPlace
from lazydap_core.protocol.objects import (
    BreakpointSelector,
    ByExpression,
    ByIds,
    ByLocation,
    BySource,
    Everything,
    NewBreakpoint,
    NewWatch,
    WatchSelector,
)
from lazydap_core.state_file import ProjectState, parse_state, state_path
from lazydap_daemon.store.document import Content, plain, rendered
from lazydap_daemon.store.health import FAILURES, UNSAVED, gave_way, words_for
from lazydap_daemon.store.moving import moved
from lazydap_daemon.store.named import NamedList
from lazydap_daemon.store.reconciling import LARGEST_ID, External, content_of, holds, place_of, reconciled
from lazydap_daemon.store.sources import canonical_source, components
from lazydap_daemon.store.writing import ChangedMeanwhileError, alone_in, read_text, replace_text

log = logging.getLogger("daemon.store")

SAVING_PATIENCE: Final = 0.25
"""Seconds that an answer waits for its change to be saved; a disk that takes longer is not worth waiting for."""
RETRY_DELAYS: Final = (2.0, 5.0, 10.0)
"""Seconds to the next attempt after a write failed; a further change brings it forward."""
WRITE_ATTEMPTS: Final = 5
"""Times that one write starts anew because somebody else wrote the file meanwhile."""


class Change(msgspec.Struct, frozen=True):
    """What became of a request about breakpoints: for a removal those removed, else their new values.

    `not_found` are the ids asked for that no breakpoint has, as they were asked. `has_changed` says that everybody
    is to hear of it: never of a dry run, nor of an anchor alone. `left` are the files of those that were moved.
    """

    action: BreakpointAction
    breakpoints: tuple[Breakpoint, ...]
    not_found: tuple[int, ...] = ()
    has_changed: bool = False
    left: frozenset[str] = frozenset()


class WatchChange(msgspec.Struct, frozen=True):
    """As `Change`, for watches."""

    action: WatchAction
    watches: tuple[Watch, ...]
    not_found: tuple[int, ...] = ()
    has_changed: bool = False


def _ignore(_: object) -> None:
    return None


class ProjectStore:
    """The breakpoints and watches of the project at `root`, in memory and in its `.lazydap/state.toml`."""

    def __init__(self, root: Path, text: str | None, state: ProjectState, aside: Path | None) -> None:
        self.root = root
        self.on_external: Callable[[External], None] = _ignore
        self.on_health: Callable[[str | None], None] = _ignore
        self._path = state_path(root)
        self._aside = aside
        self.functions: NamedList[FunctionBreakpoint] = NamedList((), claim=self.claim_breakpoint_id, touch=self._touch)
        self._take(content_of(state, root))
        self._seen: str | None = text
        self._base = self._content()
        self._revision = 0
        self._saved_revision = 0
        self._tried_revision = 0
        self._changed = anyio.Event()
        self._tried = anyio.Event()
        self._writing = anyio.Lock()
        self._trouble: str | None = None

    @classmethod
    def load(cls, root: Path, *, aside: Path | None = None) -> "ProjectStore":
        """Read the project's state file; a missing one is an empty project. Raises StateFileInvalid.

        `aside` is the file for what cannot be saved in the end.
        """
        path = state_path(root)
        try:
            text = read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise StateFileInvalid(f"{path} cannot be read: {error}", path=str(path)) from error
        return cls(root, text, parse_state(text or "", root), aside)

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """All, in the order of the file and then of their creation."""
        return tuple(self._breakpoints.values())

    @property
    def watches(self) -> tuple[Watch, ...]:
        """All, in the order of the file and then of their creation."""
        return tuple(self._watches.values())

    @property
    def has_unsaved(self) -> bool:
        """True while the file lacks something that happened here."""
        return self._revision != self._saved_revision

    @property
    def not_saved(self) -> str | None:
        """What keeps the project from being saved, in one line with the cure; None while nothing does."""
        return self._trouble

    def breakpoints_in(self, source: str) -> tuple[Breakpoint, ...]:
        """Those of one file, whose path may be spelled in any way, by line."""
        wanted = components(canonical_source(source, self.root))
        found = (entry for entry in self._breakpoints.values() if components(entry.source) == wanted)
        return tuple(sorted(found, key=lambda entry: entry.line))

    @property
    def filter_choices(self) -> tuple[FilterChoice, ...]:
        """What has been chosen of the exception filters, for each adapter and filter."""
        return tuple(self._choices.values())

    def filter_choices_of(self, adapter: str) -> tuple[FilterChoice, ...]:
        """Those for one adapter program."""
        return tuple(choice for choice in self._choices.values() if choice.adapter == adapter)

    @property
    def is_muted(self) -> bool:
        """Whether no breakpoint is to stop the program, whatever each of them says."""
        return self._is_muted

    def is_active(self, entry: Breakpoint | NamedBreakpoint) -> bool:
        """Whether a breakpoint is to stop the program."""
        return entry.enabled and not self._is_muted

    def mute(self, *, muted: bool) -> bool:
        """Switch all breakpoints off, or on again as each is; whether that changed anything."""
        if self._is_muted == muted:
            return False
        self._is_muted = muted
        self._touch()
        return True

    def choose_filter(self, choice: FilterChoice) -> bool:
        """Keep a choice in place of the one there was; whether that changed anything."""
        if self._choices.get(choice.key) == choice:
            return False
        self._choices[choice.key] = choice
        self._touch()
        return True

    def forget_filter(self, adapter: str, name: str) -> bool:
        """Take a choice back; whether there was one."""
        if self._choices.pop((adapter, name), None) is None:
            return False
        self._touch()
        return True

    def claim_breakpoint_id(self) -> int:
        """The next id, of a breakpoint of whatever kind. Raises BadRequest when the project has used up all."""
        number = _claimed(self._next_breakpoint_id, "breakpoint")
        self._next_breakpoint_id += 1
        return number

    def add_breakpoint(self, new: NewBreakpoint, *, dry_run: bool) -> Change:
        """Add one; where one stands on that line already, it keeps its id and takes the modifiers of `new`.

        The action is `added`, `updated`, or `unchanged`. A new one of a dry run has id 0. Raises BadRequest when the
        project has used up all ids.
        """
        source = canonical_source(new.source, self.root)
        present = self._at(source, new.line)
        wanted = Breakpoint(
            id=present.id if present else 0,
            source=present.source if present else source,
            line=new.line,
            column=new.column,
            condition=new.condition,
            hit_condition=new.hit_condition,
            log_message=new.log_message,
            enabled=new.enabled,
            anchor=new.anchor or (present.anchor if present else None),
        )
        if present == wanted:
            return Change("unchanged", (wanted,))
        action: BreakpointAction = "updated" if present else "added"
        if dry_run:
            return Change(action, (wanted,))
        if present is None:
            wanted = msgspec.structs.replace(wanted, id=self.claim_breakpoint_id())
        self._breakpoints[wanted.id] = wanted
        self._touch()
        return Change(action, (wanted,), has_changed=True)

    def remove_breakpoints(self, selector: BreakpointSelector, *, dry_run: bool) -> Change:
        """Remove what `selector` matches; matching nothing is no error."""
        found, not_found = self._matching(selector)
        if found and not dry_run:
            for entry in found:
                del self._breakpoints[entry.id]
            self._touch()
        return Change("removed", found, not_found, has_changed=bool(found) and not dry_run)

    def toggle_breakpoints(self, selector: BreakpointSelector, *, dry_run: bool) -> Change:
        """Enable what of the matches is disabled, disable the others."""
        found, not_found = self._matching(selector)
        flipped = tuple(msgspec.structs.replace(entry, enabled=not entry.enabled) for entry in found)
        if flipped and not dry_run:
            self._breakpoints.update((entry.id, entry) for entry in flipped)
            self._touch()
        return Change("toggled", flipped, not_found, has_changed=bool(flipped) and not dry_run)

    def move_breakpoints(self, moves: Sequence[BreakpointPlace], *, dry_run: bool) -> Change:
        """Put breakpoints elsewhere, all at once; one whose new place is another's stays where it is.

        The action is `updated` or `unchanged`; `breakpoints` are those named, where they are now.
        """
        before = self._breakpoints
        wanted = {move.id: _wanted(before[move.id], move, self.root) for move in moves if move.id in before}
        after = moved(before, wanted, place_of)
        gone = [before[number] for number in wanted if place_of(before[number]) != place_of(after[number])]
        if after != before and not dry_run:
            self._breakpoints = after
            self._touch()
        return Change(
            "unchanged" if after == before else "updated",
            tuple(after[number] for number in wanted),
            tuple(move.id for move in moves if move.id not in before),
            has_changed=bool(gone) and not dry_run,
            left=frozenset(entry.source for entry in gone),
        )

    def add_watch(self, new: NewWatch, *, dry_run: bool) -> WatchChange:
        """Add one; where the same expression is watched already, that one is returned as it is.

        A new one of a dry run has id 0. Raises BadRequest when the project has used up all ids.
        """
        present = next((entry for entry in self._watches.values() if entry.expression == new.expression), None)
        if present:
            return WatchChange("added", (present,))
        if dry_run:
            return WatchChange("added", (Watch(id=0, expression=new.expression, label=new.label),))
        number = _claimed(self._next_watch_id, "watch")
        self._next_watch_id += 1
        watch = self._watches[number] = Watch(id=number, expression=new.expression, label=new.label)
        self._touch()
        return WatchChange("added", (watch,), has_changed=True)

    def remove_watches(self, selector: WatchSelector, *, dry_run: bool) -> WatchChange:
        """Remove what `selector` matches; matching nothing is no error."""
        match selector:
            case ByIds(ids=ids):
                found, not_found = _by_ids(self._watches, ids)
            case ByExpression(expression=expression):
                found = tuple(entry for entry in self._watches.values() if entry.expression == expression)
                not_found = ()
            case Everything():
                found, not_found = self.watches, ()
        if found and not dry_run:
            for entry in found:
                del self._watches[entry.id]
            self._touch()
        return WatchChange("removed", found, not_found, has_changed=bool(found) and not dry_run)

    def _at(self, source: str, line: int) -> Breakpoint | None:
        place = components(source), line
        return next((entry for entry in self._breakpoints.values() if place_of(entry) == place), None)

    def _matching(self, selector: BreakpointSelector) -> tuple[tuple[Breakpoint, ...], tuple[int, ...]]:
        match selector:
            case ByIds(ids=ids):
                return _by_ids(self._breakpoints, ids)
            case ByLocation(location=location):
                place = components(canonical_source(location.source, self.root)), location.line
                return tuple(entry for entry in self._breakpoints.values() if place_of(entry) == place), ()
            case BySource(source=source):
                wanted = components(canonical_source(source, self.root))
                return tuple(e for e in self._breakpoints.values() if components(e.source) == wanted), ()
            case Everything():
                return self.breakpoints, ()

    # -- saving -------------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Take over what somebody else has written meanwhile; to be called before a change is made.

        A file that cannot be used is passed over: the write that follows the change tells of it.
        """
        if self._writing.locked():
            # What is in the file may be our own already; the write under way looks at it itself.
            return
        try:
            self._merge(read_text(self._path))
        except FAILURES:
            return

    async def saved(self) -> None:
        """Return when what has changed up to now is saved or could not be, within `SAVING_PATIENCE`."""
        wanted = self._revision
        with anyio.move_on_after(SAVING_PATIENCE):
            while self._tried_revision < wanted:
                await self._tried.wait()

    def _touch(self) -> None:
        self._revision += 1
        self._changed.set()

    def _set_trouble(self, words: str | None) -> None:
        if words != self._trouble:
            self._trouble = words
            self.on_health(None)

    async def run_flusher(self) -> None:
        """Save what changes, until cancelled; a failed write is logged and tried again."""
        failures = 0
        while True:
            retry = RETRY_DELAYS[min(failures, len(RETRY_DELAYS)) - 1] if failures else None
            with anyio.move_on_after(float("inf") if retry is None else retry):
                await self._changed.wait()
            self._changed = anyio.Event()
            failures = 0 if await self.flush() else failures + 1

    async def flush(self) -> bool:
        """Save now what is unsaved; True when the file holds everything, a failure is logged. Runs to its end."""
        with anyio.CancelScope(shield=True):
            async with self._writing:
                try:
                    while self.has_unsaved:
                        async with alone_in(self._path.parent):
                            await self._write()
                except FAILURES as error:
                    log.error("breakpoints and watches are not saved, to be tried again: %s", error)  # noqa: TRY400
                    self._set_trouble(words_for(error, self._path))
                else:
                    self._set_trouble(None)
                self._tried_revision = self._revision
                self._tried.set()
                self._tried = anyio.Event()
        return not self.has_unsaved

    async def put_away(self) -> str | None:
        """Save for the last time; where that cannot be, keep all of it aside and say so in one line, else None."""
        if await self.flush():
            return None
        told = self._trouble or UNSAVED
        if self._aside is None:
            return told
        try:
            await anyio.to_thread.run_sync(self._aside.write_text, plain(self._content(), self.root), "utf-8")
        except OSError as error:
            return f"{told}; nor can they be kept in {self._aside} ({error.strerror}): they are lost"
        return f"{told}; until then they are in {self._aside}, to be copied over state.toml"

    async def _write(self) -> None:
        for attempt in range(1, WRITE_ATTEMPTS + 1):
            found = await anyio.to_thread.run_sync(read_text, self._path)
            self._merge(found)
            revision, now = self._revision, self._content()
            try:
                text = await anyio.to_thread.run_sync(self._save, found, now)
            except ChangedMeanwhileError:
                if attempt == WRITE_ATTEMPTS:
                    raise
                continue
            self._seen, self._base, self._saved_revision = text, now, revision
            return

    def _save(self, found: str | None, now: Content) -> str:
        before = found if found is not None and found.strip() else self._seen
        text = rendered(before or "", self._base, now, self.root)
        if not holds(parse_state(text, self.root), now, self.root):
            raise StateFileInvalid(f"{self._path} has a form that cannot be edited: simplify it", path=str(self._path))
        if text != found:
            replace_text(self._path, text, expected=found)
        return text

    def _merge(self, found: str | None) -> None:
        # A file that is gone or empty is no wish to forget everything: what is in memory stands.
        if found == self._seen or found is None or not found.strip():
            return
        theirs = content_of(parse_state(found, self.root), self.root)
        outcome = reconciled(self._base, self._content(), theirs)
        for entry in outcome.overruled:
            log.warning("an edit in %s gives way to the daemon's own entry: %s", self._path, entry)
            self.on_health(gave_way(entry))
        self._take(outcome.content)
        # From here on the edit counts as seen: a write that fails now must not take it for a new one again.
        self._seen, self._base = found, theirs
        if outcome.external != External():
            self.on_external(outcome.external)

    def _take(self, content: Content) -> None:
        self._breakpoints = {entry.id: entry for entry in content.breakpoints}
        self._watches = {entry.id: entry for entry in content.watches}
        self.functions.replace(content.function_breakpoints)
        self._choices = {choice.key: choice for choice in content.exception_filters}
        self._is_muted = content.is_muted
        self._next_breakpoint_id = content.next_breakpoint_id
        self._next_watch_id = content.next_watch_id

    def _content(self) -> Content:
        return Content(
            self._next_breakpoint_id,
            self._next_watch_id,
            self.breakpoints,
            self.watches,
            self.functions.entries,
            self.filter_choices,
            self._is_muted,
        )


def _wanted(entry: Breakpoint, move: BreakpointPlace, root: Path) -> Breakpoint:
    source = entry.source if move.source is None else canonical_source(move.source, root)
    anchor = entry.anchor if move.anchor is None else move.anchor
    return msgspec.structs.replace(entry, source=source, line=move.line, anchor=anchor)


_Entry = TypeVar("_Entry", Breakpoint, Watch)


def _by_ids(entries: dict[int, _Entry], ids: tuple[int, ...]) -> tuple[tuple[_Entry, ...], tuple[int, ...]]:
    wanted = frozenset(ids)
    found = tuple(entry for entry in entries.values() if entry.id in wanted)
    return found, tuple(number for number in ids if number not in entries)


def _claimed(number: int, kind: str) -> int:
    if number > LARGEST_ID:
        raise BadRequest(f"no {kind} id is left: lower next_{kind}_id in .lazydap/state.toml")
    return number
