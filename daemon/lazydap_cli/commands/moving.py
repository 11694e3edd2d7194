"""Owns the commands that move the program or wait for it: continue, the steps, pause and wait."""

from typing import TYPE_CHECKING, Final

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.locations import read_location
from lazydap_cli.results import Listing, Single
from lazydap_cli.stops import waited_lines
from lazydap_cli.values import u64
from lazydap_core.domain.words import StepKind
from lazydap_core.errors import UsageError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import NoWait, SessionId, Wait, WaitMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from lazydap_core.client.blocking import BlockingClient
    from lazydap_core.protocol.objects import SessionSummary

DEFAULT_SECONDS: Final = 30
REPLY_SECONDS: Final = 60.0
GRACE_SECONDS: Final = 15.0
"""How much longer than the daemon's own wait the answer may take; the daemon's is what should run out."""
LONGEST_MS: Final = 2**32 - 1


def resume(call: Call) -> Single:
    """Let the program run."""
    thread, all_threads = call.given("thread"), call.given("all_threads")
    return _moved(
        call,
        lambda session_id, wait: requests.Continue(
            session_id=session_id, thread_id=thread, wait=wait, all_threads=all_threads
        ),
    )


def step(call: Call) -> Single:
    """Step over the line."""
    return _stepped(call, "over")


def step_in(call: Call) -> Single | Listing:
    """Step into the call on the line, or show which calls there are."""
    if call.given("targets"):
        return _calls(call)
    thread, target = call.given("thread"), call.given("target")
    return _moved(
        call,
        lambda session_id, wait: requests.Step(
            session_id=session_id, thread_id=thread, kind="in", wait=wait, target_id=target
        ),
        None if target is None else ("step_in_targets", "choose what to step into"),
    )


def _calls(call: Call) -> Listing:
    with call.connect() as client:
        session.needs(client, "step_in_targets", "choose what to step into")
        request = requests.StepInTargets(session_id=session.current(client).session_id)
        targets = session.asked(client, request, responses.StepInTargetList).targets
    return Listing(
        {"targets": documents(targets)},
        documents(targets),
        [target.id for target in targets],
        ("id", "label"),
        [(target.id, target.label) for target in targets],
    )


def run_to(call: Call) -> Single:
    """Continue to a line."""
    where, thread = read_location(call.given("location"), call.folder), call.given("thread")
    return _moved(
        call,
        lambda session_id, wait: requests.RunTo(
            session_id=session_id, thread_id=thread, source=where.source, line=where.line, wait=wait
        ),
        ("run_to", "run to a line"),
    )


def jump(call: Call) -> Single:
    """Go on from another line."""
    where, thread = read_location(call.given("location"), call.folder), call.given("thread")
    return _moved(
        call,
        lambda session_id, wait: requests.Goto(
            session_id=session_id, thread_id=thread, source=where.source, line=where.line, wait=wait
        ),
        ("goto", "jump to a line"),
    )


def step_out(call: Call) -> Single:
    """Run to the end of the function."""
    return _stepped(call, "out")


def pause(call: Call) -> Single:
    """Stop the running program."""
    thread = call.given("thread")
    return _moved(call, lambda session_id, wait: requests.Pause(session_id=session_id, thread_id=thread, wait=wait))


def wait(call: Call) -> Single:
    """Where the program stands, or how it ended; waits for that while it runs, and moves nothing."""
    limit = _wait_seconds(call)
    with call.connect() as client:
        session.needs(client, "await_stop", "wait for a program without moving it")
        summary = session.current(client)
        request = requests.AwaitStop(session_id=summary.session_id, timeout_ms=min(limit * 1000, LONGEST_MS))
        return _waited(call, client, request, limit, summary)


def _stepped(call: Call, kind: StepKind) -> Single:
    thread = call.given("thread")
    return _moved(
        call, lambda session_id, wait: requests.Step(session_id=session_id, thread_id=thread, kind=kind, wait=wait)
    )


def _moved(
    call: Call,
    request: "Callable[[SessionId, WaitMode], requests.Request]",
    needed: tuple[str, str] | None = None,
) -> Single:
    # Read before a daemon is started: a value nobody can read must not cost anything.
    limit = _wait_seconds(call) if call.given("wait") else None
    with call.connect() as client:
        if needed is not None:
            session.needs(client, *needed)
        summary = session.current(client)
        if limit is None:
            asked = request(summary.session_id, NoWait())
            answer = session.asked(client, asked, responses.Continued, timeout=REPLY_SECONDS)
            return _moving(answer, is_pause=isinstance(asked, requests.Pause))
        waiting = request(summary.session_id, Wait(timeout_ms=min(limit * 1000, LONGEST_MS)))
        return _waited(call, client, waiting, limit, summary)


def _waited(
    call: Call, client: "BlockingClient", request: requests.Request, limit: int, summary: "SessionSummary"
) -> Single:
    reply_limit = limit + GRACE_SECONDS if limit else None
    stepped = session.asked(client, request, responses.Stepped, timeout=reply_limit)
    return Single(document(stepped), waited_lines(stepped, call.folder, summary.adapter))


def _moving(answer: responses.Continued, *, is_pause: bool) -> Single:
    state = "asked to stop" if is_pause else "running already" if answer.already_running else "running"
    return Single(
        {**document(answer), "state": "running"},
        [("session", answer.session_id), ("state", state), ("thread", answer.thread_id)],
    )


def _wait_seconds(call: Call) -> int:
    """How long to wait; 0 is no limit."""
    flag = call.given("timeout")
    if flag is not None:
        return flag
    text = call.environ.get("LAZYDAP_TIMEOUT", "").strip()
    if text:
        try:
            return u64(text)
        except ValueError:
            raise UsageError(
                f"LAZYDAP_TIMEOUT is `{text}`, which is no number of seconds: set it to one, or unset it",
                variable="LAZYDAP_TIMEOUT",
            ) from None
    configured = call.config.wait_timeout_seconds
    return DEFAULT_SECONDS if configured is None else configured
