"""Owns giving values to what a stopped program holds: by an expression, or by a line of a pane."""

from typing import Final

from msgspec.structs import replace

from lazydap_core.protocol.additions import values
from lazydap_nvim import panes, trees
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING
from lazydap_nvim.host import Host
from lazydap_nvim.looks import Standing, looked_at_frame, standing
from lazydap_nvim.model import Project, one_line
from lazydap_nvim.trees import Node, Tree
from lazydap_nvim.verbs import Set

SET_VARIABLE: Final = "set_variable"


async def set_value(host: Host, verb: Set) -> None:
    """`:LazydapSet`, or `s` in a pane: the value as it is then is shown. Raises LazydapError when it is refused."""
    project = await host.acquainted(verb.where)
    at = None if project is None else standing(project)
    if project is None or at is None:
        is_live = project is not None and project.live is not None
        host.editor.say(RUNNING if is_live else NOTHING_LIVE)
        return
    if SET_VARIABLE not in project.features:
        host.editor.say("this daemon cannot set values: end it with :Lazydap shutdown, a newer one starts", "warn")
        return
    request = _request(host, project, at, verb)
    if request is None:
        host.editor.say("the program has moved on: ask again")
        return
    answer = await host.link_to(project.root).ask(request, values.VariableSet)
    if verb.pane == panes.FLOAT:
        _show_in_float(host, verb.key, answer)
    elif not verb.pane:
        host.editor.say(f"{one_line(verb.expression, 60)} = {one_line(answer.value)}")
    panes.want_again(host)


def _request(host: Host, project: Project, at: Standing, verb: Set) -> values.SetVariable | values.SetExpression | None:
    session = project.live
    if session is None:
        return None
    expression = verb.expression
    if verb.pane:
        if host.looks.at.get(verb.pane) != at:
            return None
        tree = host.looks.trees.get(verb.pane, Tree())
        node, parent = trees.with_parent(tree, verb.key)
        if node is None:
            return None
        if parent is not None and parent.reference > 0:
            return values.SetVariable(
                session_id=session.id, variables_reference=parent.reference, name=node.name, value=verb.value
            )
        expression = node.expression or node.name
    return values.SetExpression(
        session_id=session.id, expression=expression, value=verb.value, frame_id=looked_at_frame(session)
    )


def _show_in_float(host: Host, key: str, answer: values.VariableSet) -> None:
    tree = host.looks.trees.get(panes.FLOAT)
    if tree is None:
        return

    def changed(node: Node) -> Node:
        return replace(
            node, value=answer.value, type_name=answer.type_name, reference=answer.variables_reference, kind="value"
        )

    panes.show(host, panes.FLOAT, trees.with_node(tree, key, changed))
