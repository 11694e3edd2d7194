"""Owns the commands that look into the program: stack, scopes, variables, eval, threads and output."""

from collections.abc import Callable
from typing import TypeVar

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Listing, Single
from lazydap_cli.stops import source_of
from lazydap_core.errors import Unsupported
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import SessionId

Answer = TypeVar("Answer", bound=responses.Response)


def stack(call: Call) -> Listing:
    """The call stack."""
    answer = _asked(
        call,
        responses.StackTrace,
        lambda session_id: requests.StackTrace(
            session_id=session_id,
            thread_id=call.given("thread"),
            start_frame=call.given("start"),
            levels=call.given("levels"),
        ),
    )
    return Listing(
        document(answer),
        documents(answer.frames),
        [frame.id for frame in answer.frames],
        ("frame", "name", "source", "line"),
        [(frame.id, frame.name, source_of(frame, call.folder), frame.line) for frame in answer.frames],
    )


def scopes(call: Call) -> Listing:
    """The scopes of a frame."""
    answer = _asked(
        call,
        responses.Scopes,
        lambda session_id: requests.Scopes(session_id=session_id, frame_id=call.given("frame")),
    )
    return Listing(
        document(answer),
        documents(answer.scopes),
        [scope.variables_reference for scope in answer.scopes],
        ("name", "reference", "expensive"),
        [(scope.name, scope.variables_reference, scope.expensive) for scope in answer.scopes],
    )


def variables(call: Call) -> Listing:
    """The variables behind a reference; says on standard error where rows were left out."""
    start = call.given("start")
    answer = _asked(
        call,
        responses.Variables,
        lambda session_id: requests.Variables(
            session_id=session_id,
            variables_reference=call.given("reference"),
            filter=call.given("filter"),
            start=start,
            count=call.given("count"),
            max=call.given("max"),
        ),
    )
    rows = answer.variables
    if answer.truncated:
        call.warn(
            "there are more variables than these: use "
            f"`--start {(start or 0) + len(rows)}` for the next page, or `--max 0` for all of them"
        )
    return Listing(
        document(answer),
        documents(rows),
        [variable.variables_reference for variable in rows],
        ("name", "value", "type", "reference"),
        [(variable.name, variable.value, variable.type_name, variable.variables_reference) for variable in rows],
    )


def evaluate(call: Call) -> Single:
    """The value of an expression."""
    answer = _asked(
        call,
        responses.Evaluated,
        lambda session_id: requests.Eval(
            session_id=session_id,
            expression=call.given("expression"),
            frame_id=call.given("frame"),
            context=call.given("context"),
        ),
    )
    lines: list[tuple[str, object]] = [("value", answer.value), ("type", answer.type_name)]
    if answer.variables_reference:
        lines.append(("reference", answer.variables_reference))
    return Single(document(answer), lines)


def threads(call: Call) -> Listing:
    """The program's threads."""
    answer = _asked(call, responses.Threads, lambda session_id: requests.Threads(session_id=session_id))
    return Listing(
        document(answer),
        documents(answer.threads),
        [thread.id for thread in answer.threads],
        ("id", "name"),
        [(thread.id, thread.name) for thread in answer.threads],
    )


def output(call: Call) -> Listing:
    """What the program printed; says on standard error how much was dropped."""
    after = call.given("after")
    with call.connect() as client:
        if after is not None and "output_seq" not in client.features:
            raise Unsupported("the running daemon does not number its output: use `--since`")
        summary = session.current(client)
        request = requests.Output(session_id=summary.session_id, since_ms=call.given("since"), after_seq=after)
        answer = session.asked(client, request, responses.Output)
    if answer.dropped:
        call.warn(f"{answer.dropped} earlier chunks of output are no longer kept")
    if summary.terminal is not None:
        call.warn("what the program prints is on its terminal: `lazydap terminal --replay` shows it")
    return Listing(
        document(answer),
        documents(answer.chunks),
        [chunk.timestamp_ms for chunk in answer.chunks],
        ("timestamp_ms", "category", "output"),
        [(chunk.timestamp_ms, chunk.category, chunk.output) for chunk in answer.chunks],
        whole=True,
    )


def _asked(call: Call, expected: type[Answer], request: Callable[[SessionId], requests.Request]) -> Answer:
    with call.connect() as client:
        return session.asked(client, request(session.current(client).session_id), expected)
