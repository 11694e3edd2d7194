"""Owns the project's watches as the editor needs them: their values at a stop, and the commands that change them."""

from collections.abc import Sequence

from msgspec.structs import replace

from lazydap_core.domain.words import EvalContext
from lazydap_core.errors import LazydapError, StaleHandle
from lazydap_core.protocol import objects, requests, responses
from lazydap_nvim.explain import error_line
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.looks import looked_at_frame
from lazydap_nvim.model import Project, one_line
from lazydap_nvim.trees import Node
from lazydap_nvim.verbs import Watch


async def values(link: Link, project: Project, heading: str) -> Sequence[Node]:
    """Each watch with its value, or with what the adapter says in place of one. Raises StaleHandle."""
    listed = await link.ask(requests.WatchList(), responses.Watches)
    nodes: list[Node] = []
    for one in listed.watches:
        node = Node(
            key=f"{heading}/{one.id}",
            name=one_line(one.label or one.expression),
            expression=one.expression,
            id=one.id,
        )
        try:
            answer = await evaluated(link, project, one.expression, "watch")
        except StaleHandle:
            raise
        except LazydapError as error:
            nodes.append(replace(node, value=error_line(error), kind="error"))
        else:
            nodes.append(
                replace(node, value=answer.value, type_name=answer.type_name, reference=answer.variables_reference)
            )
    return nodes


async def evaluated(link: Link, project: Project, expression: str, context: EvalContext) -> responses.Evaluated:
    """The value of an expression in the frame that is looked at. Raises LazydapError."""
    session = project.live
    if session is None:
        raise StaleHandle("the program has moved on")
    request = requests.Eval(
        session_id=session.id, expression=expression, frame_id=looked_at_frame(session), context=context
    )
    return await link.ask(request, responses.Evaluated)


async def change(host: Host, verb: Watch, *, is_shown: bool) -> None:
    """`:LazydapWatch[!]`: keep an expression, or no longer; `is_shown`: its value will be seen without a word."""
    expression = verb.expression.strip()
    project = await host.acquainted(verb.where)
    if project is None:
        host.editor.say("this file is in no project: :LazydapLaunch PROGRAM makes one where it runs", "warn")
        return
    link = host.link_to(project.root)
    await link.ready(start=True)
    if verb.remove:
        await _unwatch(host, link, verb, expression)
    else:
        new = objects.NewWatch(expression=expression)
        answer = await link.ask(requests.WatchAdd(watch=new, dry_run=False), responses.Watches)
        if not is_shown:
            kept = ", ".join(one.expression for one in answer.watches)
            host.editor.say(f"watched: {kept} (:LazydapVariables shows values)")


async def _unwatch(host: Host, link: Link, verb: Watch, expression: str) -> None:
    selector: objects.WatchSelector
    if verb.id is not None:
        selector = objects.ByIds(ids=(verb.id,))
    elif expression:
        selector = objects.ByExpression(expression=expression)
    else:
        selector = objects.Everything()
    answer = await link.ask(requests.WatchRemove(selector=selector, dry_run=False), responses.Watches)
    if not answer.watches:
        host.editor.say(f"{expression or 'nothing'} is not watched: :LazydapVariables lists the watches")
