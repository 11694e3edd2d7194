"""Owns `watch add`, `watch list` and `watch remove`."""

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Listing
from lazydap_core.errors import UsageError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import ByExpression, ByIds, Everything, NewWatch, WatchSelector


def add(call: Call) -> Listing:
    """Keep an expression."""
    watch = NewWatch(expression=call.given("expression"), label=call.given("label"))
    return _answered(call, requests.WatchAdd(watch=watch, dry_run=call.given("dry_run")))


def listed(call: Call) -> Listing:
    """List the kept expressions."""
    return _answered(call, requests.WatchList())


def remove(call: Call) -> Listing:
    """Forget the chosen expressions."""
    return _answered(call, requests.WatchRemove(selector=_selector(call), dry_run=call.given("dry_run")))


def _selector(call: Call) -> WatchSelector:
    expression, ids, everything = call.given("expression"), call.given("id"), call.given("all")
    chosen = [expression is not None, bool(ids), everything]
    if not any(chosen):
        raise UsageError("nothing selected: name an expression, or pass --id or --all")
    if sum(chosen) > 1:
        raise UsageError("say which watches once: an expression, --id, or --all")
    if everything:
        return Everything()
    return ByIds(ids=ids) if ids else ByExpression(expression=expression)


def _answered(call: Call, request: requests.Request) -> Listing:
    with call.connect() as client:
        answer = session.asked(client, request, responses.Watches)
    return Listing(
        document(answer),
        documents(answer.watches),
        [watch.id for watch in answer.watches],
        ("id", "expression", "label"),
        [(watch.id, watch.expression, watch.label) for watch in answer.watches],
        _note(answer),
    )


def _note(answer: responses.Watches) -> str | None:
    notes = [f"not found: {', '.join(map(str, answer.not_found))}"] if answer.not_found else []
    if answer.action == "added":
        notes += [f"{one.id}: the expression is empty" for one in answer.watches if not one.expression.strip()]
    return "\n".join(notes) or None
