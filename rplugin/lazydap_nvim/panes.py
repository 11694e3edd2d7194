"""Owns what panes and floats ask of a stopped program: as much as can be seen, and nothing for what cannot."""

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from lazydap_core.errors import LazydapError, StaleHandle
from lazydap_core.protocol import requests, responses
from lazydap_nvim import console, listing, printing, stacks, trees, watches
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING, error_line
from lazydap_nvim.host import Host
from lazydap_nvim.link import Link
from lazydap_nvim.looks import Standing, is_still, looked_at_frame, standing, with_pane
from lazydap_nvim.model import Pane, Project, one_line, standing_frame
from lazydap_nvim.trees import Node, Tree
from lazydap_nvim.verbs import Complete, Hover, PaneVerb, Printed, Prompt, Unfold, Watch
from lazydap_nvim.verbs import Pane as PaneSeen

FLOAT = "float"
VARIABLES = "variables"
TREES = (FLOAT, VARIABLES)
FLOAT_ROWS = 40
WATCHES = Node(key="watches", name="Watches", kind="heading", reference=-1)
"""The heading over the watches; its children are asked for one by one, not by its reference."""
MOST_TURNS = 200


async def act(host: Host, verb: PaneVerb) -> None:
    """Carry out what a pane or a command about values asks for."""
    if host.looks.follow is None:
        host.looks.follow = lambda project: _follow(host, project)
    match verb:
        case Hover():
            await hover(host, verb)
        case Watch():
            await watches.change(host, verb, is_shown=VARIABLES in host.looks.shown)
            want_again(host)
        case PaneSeen():
            await seen(host, verb)
        case Unfold():
            await unfold(host, verb)
        case Printed():
            host.looks.printed.set()
        case Prompt():
            await console.prompt(host, verb)
        case Complete():
            await console.complete(host, verb)
        case _:
            assert_never(verb)


def _follow(host: Host, project: Project) -> None:
    """A project has changed: what was asked at another stop goes, what is in sight is asked anew."""
    panes = host.model.panes
    shown = panes.get(FLOAT)
    if shown is not None and shown.root == project.root and host.looks.at.get(FLOAT) != standing(project):
        _publish(host, FLOAT, None)
        host.draw()
    if printing.OUTPUT in host.looks.shown:
        host.looks.output_news.set()
    stacks.renew(host, project)
    listing.renew(host, project)
    if VARIABLES in host.looks.shown:
        was_set = _was_set(host, project)
        if was_set or _wants(host, project):
            _want(host)


def _was_set(host: Host, project: Project) -> bool:
    """Whether a value has changed since the last look at the same stop: another client has set one."""
    before, now = host.looks.values, None if project.live is None else project.live.values
    if project.root != host.model.last or now is before:
        return False
    host.looks.values = now
    if before is None or now is None or (before.generation, before.function) != (now.generation, now.function):
        return False
    return [(row.name, row.value) for row in before.rows] != [(row.name, row.value) for row in now.rows]


def _wants(host: Host, project: Project) -> bool:
    if host.model.last is not None and project.root != host.model.last:
        return False
    at = standing(project)
    known = VARIABLES in host.model.panes
    # A program that runs keeps its last values on the screen, marked as old; one that has ended has none.
    return at != host.looks.at.get(VARIABLES) if at is not None or project.live is None else not known


def want_again(host: Host) -> None:
    """A value has changed at a stop: whatever is in sight may have changed with it."""
    if VARIABLES in host.looks.shown:
        _want(host)


def _want(host: Host) -> None:
    if VARIABLES in host.looks.busy:
        host.looks.busy[VARIABLES] = True
        return
    host.looks.busy[VARIABLES] = False
    host.jobs.post("the variables", _renew_until_still, host, is_quiet=True)


async def _renew_until_still(host: Host) -> None:
    try:
        is_wanted = True
        while is_wanted and VARIABLES in host.looks.shown:
            host.looks.busy[VARIABLES] = False
            await _renew(host)
            is_wanted = host.looks.busy[VARIABLES]
    finally:
        del host.looks.busy[VARIABLES]


def _publish(host: Host, name: str, pane: Pane | None) -> None:
    host.model = replace(host.model, panes=with_pane(host.model.panes, name, pane))


# --- hover


async def hover(host: Host, verb: Hover) -> None:
    """`:LazydapHover`, `:LazydapEval`: one value in a float, open at once where it has parts."""
    expression = verb.expression.strip()
    if not expression:
        host.editor.say("nothing to evaluate here: :LazydapEval EXPR", "warn")
        return
    found = await _standing(host, verb)
    if found is None:
        return
    project, at = found
    link = host.link_to(project.root)
    answer = await watches.evaluated(link, project, expression, verb.context)
    root = Node(
        key="value",
        name=one_line(expression, 200),
        value=answer.value,
        type_name=answer.type_name,
        reference=answer.variables_reference,
        expression=expression,
    )
    tree = await _filled(host, link, at, Tree(roots=(root,), opened=frozenset({"value"})), FLOAT_ROWS)
    if tree is None:
        host.editor.say("the program has moved on: ask again")
        return
    host.looks.trees[FLOAT], host.looks.at[FLOAT] = tree, at
    _publish(host, FLOAT, Pane(root=project.root, title=root.name, lines=trees.lines(tree), open=next(host.tokens)))
    host.draw()


async def _standing(host: Host, verb: PaneVerb) -> tuple[Project, Standing] | None:
    project = await host.acquainted(verb.where)
    if project is None or project.live is None:
        host.editor.say(NOTHING_LIVE)
        return None
    at = standing(project)
    if at is None:
        host.editor.say(RUNNING)
        return None
    return project, at


# --- trees


async def _filled(host: Host, link: Link, at: Standing, tree: Tree, last: int) -> Tree | None:
    """The tree with all that is open among the first `last` rows; None when the program has moved on meanwhile."""
    for _ in range(MOST_TURNS):
        node = trees.wanted(tree, last)
        if node is None:
            break
        tree = await _with_children(link, at, tree, node)
        if not is_still(host.project(at.root), at):
            return None
    return tree if is_still(host.project(at.root), at) else None


async def _with_children(link: Link, at: Standing, tree: Tree, node: Node) -> Tree:
    known = tree.pages.get(node.key)
    start = 0 if known is None else len(known.nodes)
    request = requests.Variables(
        session_id=at.session,
        variables_reference=node.reference,
        filter="all",
        start=start,
        count=trees.PAGE_ROWS,
        max=trees.PAGE_ROWS,
    )
    try:
        page = await link.ask(request, responses.Variables)
    except StaleHandle:
        raise
    except LazydapError as error:
        # One value that cannot be listed must not take the others with it.
        failed = Node(key=f"{node.key}/!", name="cannot be listed:", value=error_line(error), kind="error")
        return trees.with_page(tree, node.key, (failed,), has_more=False)
    children = trees.children_of(node, page.variables, start)
    return trees.with_page(tree, node.key, children, has_more=page.truncated and bool(children))


async def unfold(host: Host, verb: Unfold) -> None:
    """Open or close a node, or bring the next page of its parent."""
    tree = host.looks.trees.get(verb.pane)
    pane = host.model.panes.get(verb.pane)
    if tree is None or pane is None:
        return
    row = next((row for row in trees.rows(tree) if row.node.key == verb.key), None)
    if row is None:
        return
    at = host.looks.at.get(verb.pane)
    parent = None if row.more_of is None else tree.node(row.more_of)
    if parent is None and row.node.reference != 0:
        tree = trees.toggled(tree, verb.key)
    if at is not None and is_still(host.project(at.root), at):
        link = host.link_to(at.root)
        if parent is not None:
            tree = await _with_children(link, at, tree, parent)
        filled = await _filled(host, link, at, tree, _last(host, verb.pane))
        if filled is None:
            return
        tree = filled
    elif parent is not None:
        host.editor.say(RUNNING)
        return
    show(host, verb.pane, tree)


def _last(host: Host, name: str) -> int:
    return host.looks.shown.get(name, FLOAT_ROWS)


def show(host: Host, name: str, tree: Tree) -> None:
    """Bring a pane that is there to that tree."""
    pane = host.model.panes.get(name)
    if pane is not None:
        host.looks.trees[name] = tree
        _publish(host, name, replace(pane, lines=trees.lines(tree), note=None))
        host.draw()


async def seen(host: Host, verb: PaneSeen) -> None:
    """A pane came into sight, was scrolled, or left."""
    if not verb.shown:
        host.looks.shown.pop(verb.name, None)
        host.looks.output_news.set()
        if verb.name == FLOAT:
            _publish(host, FLOAT, None)
        return
    is_new = verb.name not in host.looks.shown
    host.looks.shown[verb.name] = verb.last
    if verb.name == printing.OUTPUT and is_new:
        host.looks.openings += 1
        await host.acquainted(verb.where)
        await printing.keep_printing(host)
    if verb.name == listing.BREAKPOINTS and is_new:
        for project in tuple(host.model.projects.values()):
            listing.renew(host, project)
    if verb.name not in TREES:
        return
    if is_new and verb.name == VARIABLES:
        await host.acquainted(verb.where)
        host.looks.at.pop(VARIABLES, None)
        _want(host)
        return
    tree, at = host.looks.trees.get(verb.name), host.looks.at.get(verb.name)
    if tree is not None and at is not None and trees.wanted(tree, verb.last) is not None:
        filled = await _filled(host, host.link_to(at.root), at, tree, verb.last)
        if filled is not None:
            show(host, verb.name, filled)


# --- variables and watches


async def _renew(host: Host) -> None:
    """Ask for scopes and watches of where the program stands now."""
    project = _looked_at(host)
    at = None if project is None else standing(project)
    if project is None or at is None:
        host.looks.at[VARIABLES] = None
        root = "" if project is None else project.root
        note = NOTHING_LIVE if project is None or project.live is None else RUNNING
        _publish(host, VARIABLES, Pane(root=root, title="Variables", note=note))
        host.draw()
        return
    host.looks.at[VARIABLES] = at
    link = host.link_to(project.root)
    try:
        roots, opened, watched = await _roots(link, project)
        tree = trees.renewed(host.looks.trees.get(VARIABLES, Tree()), roots, opened)
        if watched:
            tree = trees.with_page(tree, WATCHES.key, watched, has_more=False)
        filled = await _filled(host, link, at, tree, _last(host, VARIABLES))
    except StaleHandle:
        # It has moved on; its next stop asks anew.
        return
    if filled is not None:
        host.looks.trees[VARIABLES] = filled
        title = _title(project)
        _publish(host, VARIABLES, Pane(root=project.root, title=title, lines=trees.lines(filled)))
        host.draw()


def _looked_at(host: Host) -> Project | None:
    model = host.model
    last = model.projects.get(model.last) if model.last is not None else None
    if last is not None and last.live is not None:
        return last
    live = [project for project in model.projects.values() if project.live is not None]
    return live[-1] if live else last


def _title(project: Project) -> str:
    session = project.live
    if session is None or session.stop is None:
        return "Variables"
    is_outer = 0 <= session.chosen < len(session.frames)
    frame = session.frames[session.chosen] if is_outer else standing_frame(session.stop)
    return "Variables" if frame is None else f"Variables of {one_line(frame.name, 60)}"


async def _roots(link: Link, project: Project) -> tuple[Sequence[Node], set[str], Sequence[Node]]:
    """The headings, the keys of those that are open at first, and the watches with their values."""
    session = project.live
    frame_id = None if session is None else looked_at_frame(session)
    if session is None or frame_id is None:
        raise StaleHandle("the program has moved on")
    watched = await watches.values(link, project, WATCHES.key)
    answer = await link.ask(requests.Scopes(session_id=session.id, frame_id=frame_id), responses.Scopes)
    function = _title(project)
    scopes = [
        Node(
            key=f"{function}/{scope.name}",
            name=one_line(scope.name),
            reference=scope.variables_reference,
            kind="heading",
        )
        for scope in answer.scopes
    ]
    first = next((node for node, scope in zip(scopes, answer.scopes, strict=True) if not scope.expensive), None)
    opened = {node.key for node in (first,) if node is not None}
    if not watched:
        return scopes, opened, ()
    return (WATCHES, *scopes), opened | {WATCHES.key}, watched
