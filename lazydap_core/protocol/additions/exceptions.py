"""Owns the messages of the features `exceptions` and `exception_info`: which exceptions stop, and what one said."""

from lazydap_core.domain.words import FilterAction
from lazydap_core.protocol.objects import I64, NULL, SessionId, WireObject


class FilterChange(WireObject, frozen=True, kw_only=True):
    """What is wanted of one filter; `enabled` null takes the choice back, so that the default holds again."""

    filter: str
    enabled: bool | None = NULL
    condition: str | None = None


class ExceptionFilter(WireObject, frozen=True, kw_only=True):
    """One kind of exception that an adapter can stop at, in the adapter's own words.

    `enabled` is what holds now; `chosen` says that the project has chosen it, else it is the `default`.
    """

    adapter: str
    filter: str
    label: str
    description: str | None = None
    default: bool
    enabled: bool
    chosen: bool
    condition: str | None = None
    supports_condition: bool
    condition_description: str | None = None


class ExceptionFilterList(WireObject, frozen=True, kw_only=True):
    """`adapter` is a program's name; without one the session's is meant, without a session all."""

    adapter: str | None = None


class ExceptionFilterSet(WireObject, frozen=True, kw_only=True):
    """`adapter` as in `ExceptionFilterList`; without a session every adapter that has the filters."""

    adapter: str | None = None
    filters: tuple[FilterChange, ...]
    dry_run: bool


class ExceptionFilters(WireObject, frozen=True, kw_only=True):
    """`filters` are all that were asked for, or those that were changed."""

    action: FilterAction
    dry_run: bool
    filters: tuple[ExceptionFilter, ...]
    applied_to_session: bool
    not_saved: str | None = None


class ExceptionFiltersChanged(WireObject, frozen=True, kw_only=True):
    """The project's choice for that adapter is another one: read it again."""

    adapter: str


class ExceptionInfo(WireObject, frozen=True, kw_only=True):
    """Without `thread_id` the thread of the stop."""

    session_id: SessionId
    thread_id: I64 | None = NULL


class ExceptionDetails(WireObject, frozen=True, kw_only=True):
    """What is known of the exception at which the program stands; what the adapter does not tell is null.

    `type_name` may be the name of a signal. `stack_trace` is text for people, as the adapter wrote it.
    """

    thread_id: I64 | None = NULL
    type_name: str | None = NULL
    message: str | None = NULL
    description: str | None = NULL
    break_mode: str | None = NULL
    stack_trace: str | None = NULL
