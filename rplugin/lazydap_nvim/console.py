"""Owns the answers to what is typed at the evaluation prompt: each entry gets one, whatever comes of it."""

from contextlib import suppress
from typing import Final

from lazydap_core.errors import LazydapError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.additions import values
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING, error_line
from lazydap_nvim.host import Host
from lazydap_nvim.looks import Standing, looked_at_frame, standing
from lazydap_nvim.model import Project
from lazydap_nvim.verbs import Complete, Prompt

LONGEST_ANSWER: Final = 100_000
MOST_OFFERS: Final = 200
COMPLETE_SECONDS: Final = 3.0
COMPLETE: Final = "complete"


async def prompt(host: Host, verb: Prompt) -> None:
    """Evaluate an entry in the adapter's console, in the frame that is looked at."""
    project = await host.acquainted(verb.where)
    try:
        answer = await _evaluated(host, project, verb.text)
    except LazydapError as error:
        host.editor.answer(verb.number, error=error_line(error))
        return
    if isinstance(answer, str):
        host.editor.answer(verb.number, error=answer)
    else:
        has_parts = answer.variables_reference != 0
        host.editor.answer(verb.number, text=answer.value[:LONGEST_ANSWER], parts=has_parts)


async def _evaluated(host: Host, project: Project | None, text: str) -> responses.Evaluated | str:
    if project is None or project.live is None:
        return NOTHING_LIVE
    if standing(project) is None:
        return RUNNING
    request = requests.Eval(
        session_id=project.live.id, expression=text, frame_id=looked_at_frame(project.live), context="repl"
    )
    return await host.link_to(project.root).ask(request, responses.Evaluated)


async def complete(host: Host, verb: Complete) -> None:
    """What could stand at the cursor; nothing where the adapter or the daemon cannot tell."""
    project = await host.acquainted(verb.where)
    at = None if project is None else standing(project)
    offers: list[dict[str, str | int]] = []
    if project is not None and at is not None and COMPLETE in project.features:
        # Who completes has not asked for an explanation.
        with suppress(LazydapError):
            offers = await _offers(host, project, at, verb)
    host.editor.answer(verb.number, offers=offers)


async def _offers(host: Host, project: Project, at: Standing, verb: Complete) -> list[dict[str, str | int]]:
    text = verb.text
    before = text.encode("utf-8", "surrogateescape")[: verb.column].decode("utf-8", "ignore")
    frame_id = None if project.live is None else looked_at_frame(project.live)
    request = values.Complete(session_id=at.session, text=text, column=len(before) + 1, frame_id=frame_id)
    answer = await host.link_to(project.root).ask(request, values.Completed, COMPLETE_SECONDS)
    return [
        {"text": item.text, "kind": item.kind or "", "start": _bytes(text[: max(item.start - 1, 0)])}
        for item in answer.items[:MOST_OFFERS]
    ]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
