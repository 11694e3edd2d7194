"""Owns `set` and `complete`: changing a value, and how an expression could go on."""

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Listing, Single
from lazydap_core.protocol import requests, responses


def set_value(call: Call) -> Single:
    """Set a value, and show what it is now."""
    reference = call.given("reference")
    with call.connect() as client:
        session.needs(client, "set_variable", "set values")
        session_id = session.current(client).session_id
        expression, value = call.given("expression"), call.given("value")
        request = (
            requests.SetExpression(
                session_id=session_id, expression=expression, value=value, frame_id=call.given("frame")
            )
            if reference is None
            else requests.SetVariable(
                session_id=session_id, variables_reference=reference, name=expression, value=value
            )
        )
        answer = session.asked(client, request, responses.VariableSet)
    lines: list[tuple[str, object]] = [("value", answer.value), ("type", answer.type_name)]
    return Single(document(answer), lines)


def complete(call: Call) -> Listing:
    """What could stand at the end of the text."""
    text = call.given("text")
    with call.connect() as client:
        session.needs(client, "complete", "complete expressions")
        request = requests.Complete(
            session_id=session.current(client).session_id,
            text=text,
            column=len(text) + 1,
            frame_id=call.given("frame"),
        )
        answer = session.asked(client, request, responses.Completed)
    whole = [text[: item.start - 1] + item.text + text[item.start - 1 + item.length :] for item in answer.items]
    return Listing(
        document(answer),
        documents(answer.items),
        whole,
        ("expression", "kind"),
        [(expression, item.kind) for expression, item in zip(whole, answer.items, strict=True)],
    )
