"""Owns the answers about exception filters: what there is, what the project has chosen; moves no program."""

from collections.abc import Callable, Mapping, Sequence

from lazydap_core.domain.breakpoints import FilterChoice
from lazydap_core.errors import BadRequest, DaemonError, Unsupported
from lazydap_core.protocol import events, requests, responses
from lazydap_core.protocol.additions.exceptions import (
    ExceptionFilter,
    ExceptionFilterList,
    ExceptionFilters,
    ExceptionFiltersChanged,
    ExceptionFilterSet,
    FilterChange,
)
from lazydap_daemon.adapters.driver import DRIVERS
from lazydap_daemon.dap import messages as dap
from lazydap_daemon.session.filtering import is_on, takes_condition
from lazydap_daemon.session.kept import kept
from lazydap_daemon.session.occupant import Occupant
from lazydap_daemon.store.project import ProjectStore

Filters = Mapping[str, Sequence[dap.ExceptionFilter]]


class Chooser:
    """Lists and chooses the exception filters of the project.

    Those of an adapter are what it said when it last ran under this daemon, else what it is known to have.
    """

    def __init__(
        self,
        project: ProjectStore,
        publish: Callable[[events.Event], None],
        occupant: Callable[[], Occupant | None],
    ) -> None:
        self._project = project
        self._publish = publish
        self._occupant = occupant
        self._seen: dict[str, tuple[dap.ExceptionFilter, ...]] = {
            program: driver.known_filters for program, driver in DRIVERS.items()
        }

    async def answer(self, request: ExceptionFilterList | ExceptionFilterSet) -> responses.Response:
        """The answer to one request. Raises BadRequest, Unsupported, and for a live session what its adapter does."""
        self.learn()
        meant = self._meant(request.adapter)
        match request:
            case requests.ExceptionFilterList():
                filters = tuple(
                    self._told(program, one, self._choices(program)) for program in meant for one in meant[program]
                )
                return ExceptionFilters(action="listed", dry_run=False, filters=filters, applied_to_session=False)
            case requests.ExceptionFilterSet():
                return await self._change(request, meant)

    def learn(self) -> None:
        """Remember what the session's adapter has said of its filters."""
        occupant = self._occupant()
        if occupant is not None:
            told = occupant.session.capabilities.exception_breakpoint_filters
            self._seen[occupant.session.driver.program] = told or ()

    def _meant(self, adapter: str | None) -> Filters:
        """The filters by adapter that a request is about."""
        occupant = self._occupant()
        if adapter is None and occupant is not None:
            adapter = occupant.session.driver.program
        if adapter is None:
            return self._seen
        if adapter not in self._seen:
            raise BadRequest(
                f"there is no adapter {adapter!r}: name one of {', '.join(sorted(self._seen))}", adapter=adapter
            )
        return {adapter: self._seen[adapter]}

    async def _change(self, request: ExceptionFilterSet, meant: Filters) -> ExceptionFilters:
        changes = [(program, one, change) for change in request.filters for program, one in _having(change, meant)]
        kept = {choice.key: choice for choice in self._project.filter_choices}
        for program, _, change in changes:
            choice = _choice(program, change)
            if choice is None:
                kept.pop((program, change.filter), None)
            else:
                kept[choice.key] = choice
        filters = tuple(self._told(program, one, kept) for program, one, _ in changes)
        applied = False
        if not request.dry_run:
            self._keep(changes)
            applied = await self._apply({program for program, _, _ in changes})
        return ExceptionFilters(action="changed", dry_run=request.dry_run, filters=filters, applied_to_session=applied)

    def _keep(self, changes: Sequence[tuple[str, dap.ExceptionFilter, FilterChange]]) -> None:
        changed: dict[str, None] = {}
        for program, _, change in changes:
            choice = _choice(program, change)
            if choice is None:
                is_other = self._project.forget_filter(program, change.filter)
            else:
                is_other = self._project.choose_filter(choice)
            if is_other:
                changed[program] = None
        for program in changed:
            self._publish(ExceptionFiltersChanged(adapter=program))

    async def _apply(self, programs: set[str]) -> bool:
        occupant = self._occupant()
        if occupant is None or not occupant.session.is_live or occupant.session.driver.program not in programs:
            return False
        try:
            return await occupant.filters.push()
        except DaemonError as error:
            raise kept(error) from error

    def _choices(self, program: str) -> Mapping[tuple[str, str], FilterChoice]:
        return {choice.key: choice for choice in self._project.filter_choices_of(program)}

    def _told(
        self, program: str, one: dap.ExceptionFilter, choices: Mapping[tuple[str, str], FilterChoice]
    ) -> ExceptionFilter:
        defaults, choice = DRIVERS[program].default_filters, choices.get((program, one.filter))
        return ExceptionFilter(
            adapter=program,
            filter=one.filter,
            label=one.label or one.filter,
            description=one.description,
            default=one.filter in defaults,
            enabled=is_on(one.filter, choice, defaults),
            chosen=choice is not None,
            condition=choice.condition if choice else None,
            supports_condition=takes_condition(one),
            condition_description=one.condition_description,
        )


def _having(change: FilterChange, meant: Filters) -> list[tuple[str, dap.ExceptionFilter]]:
    """The adapters meant that have the filter. Raises BadRequest where none has, Unsupported for a condition."""
    name = change.filter
    found = [(program, one) for program, filters in meant.items() for one in filters if one.filter == name]
    if change.condition is not None and any(not takes_condition(one) for _, one in found):
        raise Unsupported(
            f"the filter {name} takes no condition: choose it without, or set a breakpoint with one", filter=name
        )
    if found:
        return found
    known = list(dict.fromkeys(one.filter for filters in meant.values() for one in filters))
    owner = next(iter(meant)) if len(meant) == 1 else None
    cure = f"choose from {', '.join(known)}" if known else "it has none to choose from"
    raise BadRequest(
        f"{owner or 'no adapter'} has {'no' if owner else 'an'} exception filter {name!r}: {cure}",
        adapter=owner,
        filters=known,
    )


def _choice(program: str, change: FilterChange) -> FilterChoice | None:
    if change.enabled is None:
        return None
    return FilterChoice(adapter=program, filter=change.filter, enabled=change.enabled, condition=change.condition)
