"""Owns `disconnect` and `shutdown`: ending what there is."""

from uuid import UUID

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.results import Single
from lazydap_core.client.blocking import BlockingClient, send_shutdown
from lazydap_core.errors import DaemonUnreachable, UsageError, VersionMismatch
from lazydap_core.protocol import requests, responses


def disconnect(call: Call) -> Single:
    """End the session; with `--no-terminate` the program lives on where the adapter can leave it."""
    named = call.given("session_id")
    session_id = None if named is None else _session_id(named)
    with call.connect() as client:
        if session_id is None and (given_up := _given_up(call, client)) is not None:
            return given_up
        request = requests.Disconnect(
            session_id=session_id or session.current(client).session_id,
            terminate=not call.given("no_terminate"),
            dry_run=call.given("dry_run"),
            even_attached=True if call.given("terminate") else None,
        )
        answer = session.asked(client, request, responses.Disconnected)
    if call.given("no_terminate") and answer.terminated_debuggee:
        done = "would be ended" if answer.dry_run else "was ended"
        call.warn(f"this adapter ends the program when it lets go of it: it {done}; to leave one, start it and attach")
    return Single(
        {**document(answer), "disconnected": not answer.dry_run},
        [
            ("session", answer.session_id),
            ("disconnected", "no, this was a dry run" if answer.dry_run else True),
            ("program ended", answer.terminated_debuggee),
        ],
    )


def _given_up(call: Call, client: BlockingClient) -> Single | None:
    """A launch under way is what there is to end; None where none is, or the daemon cannot give it up."""
    if call.given("dry_run") or "cancel_launch" not in client.features:
        return None
    if session.asked(client, requests.Status(), responses.Status).session is not None:
        return None
    if not session.asked(client, requests.CancelLaunch(), responses.LaunchCancelled).cancelled:
        return None
    return Single({"cancelled": True, "disconnected": True}, [("launch", "given up")])


def _session_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise UsageError(f"`{text}` is not a session id: `lazydap status` shows it", argument="--session-id") from None


def shutdown(call: Call) -> Single:
    """End the daemon if one runs; never starts one, and does not wait until it is gone."""
    dry_run = call.given("dry_run")
    try:
        with BlockingClient.connect(call.places.socket) as client:
            ended = (
                _rehearsed(client) if dry_run else session.asked(client, requests.Shutdown(), responses.ShuttingDown)
            )
    except VersionMismatch as error:
        if not dry_run:
            send_shutdown(call.places.socket, error.details["daemon_version"])
        return _shutdown_result(call, shutting_down=not dry_run, note="the daemon was from another build")
    except DaemonUnreachable:
        return _shutdown_result(call, shutting_down=False, reason="no daemon was running")
    more: dict[str, object] = {"sessions": documents(ended.sessions)}
    if ended.not_saved is not None:
        more["not_saved"] = ended.not_saved
    return _shutdown_result(call, shutting_down=not dry_run, **more)


def _rehearsed(client: BlockingClient) -> responses.ShuttingDown:
    answer = session.asked(client, requests.Status(), responses.Status)
    sessions = () if answer.session is None else (answer.session,)
    return responses.ShuttingDown(sessions=sessions, not_saved=answer.not_saved)


def _shutdown_result(call: Call, *, shutting_down: bool, **more: object) -> Single:
    instance, dry_run = call.places.instance, call.given("dry_run")
    lines: list[tuple[str, object]] = [("instance", instance), ("shutting down", shutting_down)]
    lines += [(key, value) for key, value in more.items() if isinstance(value, str)]
    return Single({"instance": instance, "shutting_down": shutting_down, "dry_run": dry_run, **more}, lines)
