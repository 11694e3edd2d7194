"""Owns finding the session that a command acts on; knows no command."""

from typing import TYPE_CHECKING, TypeVar

from lazydap_cli.failure import CommandFailed
from lazydap_core.errors import SessionNotFound, Unsupported
from lazydap_core.protocol import requests, responses

if TYPE_CHECKING:
    from lazydap_core.client.blocking import BlockingClient
    from lazydap_core.protocol.objects import SessionSummary

Answer = TypeVar("Answer", bound=responses.Response)


def asked(
    client: "BlockingClient", request: requests.Request, expected: type[Answer], *, timeout: float | None = 60.0
) -> Answer:
    """The daemon's answer within `timeout` seconds; CommandFailed where it is of another kind than `expected`."""
    answer = client.request(request, timeout)
    if not isinstance(answer, expected):
        raise CommandFailed(
            f"the daemon answered {type(request).__name__} with {type(answer).__name__}: it is not of this lazydap"
        )
    return answer


def needs(client: "BlockingClient", feature: str, what: str) -> None:
    """Raises Unsupported where the daemon has not announced `feature`, by which it could `what`."""
    if feature not in client.features:
        raise Unsupported(
            f"the running daemon cannot {what}: end it with `lazydap shutdown`, this lazydap starts one that can",
            feature=feature,
        )


def current(client: "BlockingClient") -> "SessionSummary":
    """The project's session, even one that has ended. Raises SessionNotFound when there is none."""
    session = asked(client, requests.Status(), responses.Status).session
    if session is None:
        raise SessionNotFound("no active session; run `lazydap launch <program>` first")
    return session
