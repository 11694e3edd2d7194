"""Owns `status`: what there is.

Often the first command in a project. It loads the protocol only once the daemon has been started, while that one does.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lazydap_cli.call import Call
from lazydap_cli.results import Single

if TYPE_CHECKING:
    from lazydap_core.protocol.objects import SessionSummary


def status(call: Call) -> Single:
    """The daemon, started if none runs, and its session."""
    with call.connect() as client:
        # What a daemon that starts leaves time for.
        from lazydap_cli import session  # noqa: PLC0415
        from lazydap_cli.documents import document, seconds  # noqa: PLC0415
        from lazydap_core.protocol import requests, responses  # noqa: PLC0415

        answer = session.asked(client, requests.Status(), responses.Status)
    lines: list[tuple[str, object]] = [
        ("instance", answer.instance),
        ("daemon", f"pid {answer.daemon_pid}, up {seconds(answer.uptime_ms)}"),
        ("versions", f"lazydap {answer.lazydap_version}, protocol {answer.protocol_version}"),
    ]
    if answer.root is not None:
        lines.append(("root", answer.root))
    return Single(document(answer), [*lines, *_session_lines(answer.session)])


def _session_lines(summary: "SessionSummary | None") -> Iterable[tuple[str, object]]:
    if summary is None:
        return [("session", "none; `lazydap launch <program>` starts one")]
    from lazydap_cli.documents import seconds  # noqa: PLC0415  # as above
    from lazydap_cli.stops import state_words  # noqa: PLC0415
    from lazydap_core.domain.endings import exit_code_words  # noqa: PLC0415

    state = state_words(summary.state, summary.exit_code, summary.adapter)
    if summary.exit_code is not None:
        state += f", exit code {exit_code_words(summary.exit_code, summary.adapter)}"
    lines: list[tuple[str, object]] = [
        ("session", summary.session_id),
        ("state", state),
        ("program", summary.program),
        ("adapter", summary.adapter),
        ("output", f"{summary.captured_output_chunks} chunks"),
        ("running for", seconds(summary.uptime_ms)),
    ]
    if summary.attached:
        lines.append(("attached", "yes; `lazydap disconnect` leaves it running"))
    if summary.adapter_command is not None:
        lines.append(("adapter command", summary.adapter_command))
    return lines
