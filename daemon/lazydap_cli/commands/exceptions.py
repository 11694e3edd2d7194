"""Owns `exceptions` and `exception`: which exceptions stop the program, and what the present one says."""

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Listing, Single
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.additions.exceptions import ExceptionFilter, FilterChange

FEATURE = "exceptions"


def listed(call: Call) -> Listing:
    """What there is to choose from, and what holds."""
    with call.connect() as client:
        session.needs(client, FEATURE, "choose exceptions")
        request = requests.ExceptionFilterList(adapter=call.given("adapter"))
        return _listing(session.asked(client, request, responses.ExceptionFilters))


def on(call: Call) -> Listing:
    """Stop at a filter's exceptions."""
    return _changed(call, FilterChange(filter=call.given("filter"), enabled=True, condition=call.given("condition")))


def off(call: Call) -> Listing:
    """Do not stop at a filter's exceptions."""
    return _changed(call, FilterChange(filter=call.given("filter"), enabled=False))


def reset(call: Call) -> Listing:
    """Take choices back: of one filter, or of all that have one."""
    if call.given("filter") is not None:
        return _changed(call, FilterChange(filter=call.given("filter")))
    with call.connect() as client:
        session.needs(client, FEATURE, "choose exceptions")
        known = session.asked(
            client, requests.ExceptionFilterList(adapter=call.given("adapter")), responses.ExceptionFilters
        )
        chosen = dict.fromkeys(one.filter for one in known.filters if one.chosen)
        request = requests.ExceptionFilterSet(
            adapter=call.given("adapter"),
            filters=tuple(FilterChange(filter=name) for name in chosen),
            dry_run=call.given("dry_run"),
        )
        return _listing(session.asked(client, request, responses.ExceptionFilters))


def shown(call: Call) -> Single:
    """What the exception says at which the program stands."""
    with call.connect() as client:
        session.needs(client, "exception_info", "tell of an exception")
        request = requests.ExceptionInfo(session_id=session.current(client).session_id, thread_id=call.given("thread"))
        answer = session.asked(client, request, responses.ExceptionDetails)
    lines: list[tuple[str, object]] = [
        ("type", answer.type_name),
        ("message", answer.message if answer.message is not None else answer.description),
        ("thread", answer.thread_id),
    ]
    trace = (answer.stack_trace or "").splitlines()
    lines += [("" if at else "traceback", line) for at, line in enumerate(trace)]
    return Single(document(answer), lines)


def _changed(call: Call, change: FilterChange) -> Listing:
    request = requests.ExceptionFilterSet(
        adapter=call.given("adapter"), filters=(change,), dry_run=call.given("dry_run")
    )
    with call.connect() as client:
        session.needs(client, FEATURE, "choose exceptions")
        return _listing(session.asked(client, request, responses.ExceptionFilters))


def _listing(answer: responses.ExceptionFilters) -> Listing:
    return Listing(
        document(answer),
        documents(answer.filters),
        [one.filter for one in answer.filters],
        ("filter", "on", "adapter", "condition", "what"),
        [(one.filter, one.enabled, one.adapter, one.condition, _what(one)) for one in answer.filters],
        _note(answer),
    )


def _what(one: ExceptionFilter) -> str:
    return one.description or one.label


def _note(answer: responses.ExceptionFilters) -> str | None:
    if answer.dry_run:
        return "changed, but this was a dry run"
    if not answer.filters:
        return "this adapter has no exception filters" if answer.action == "listed" else "nothing was chosen"
    return None
