"""Owns a tree of values: what of it is open, known and changed, and the rows that shows as; asks nobody."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from lazydap_core.protocol.objects import Variable
from lazydap_nvim.model import Known, one_line

PAGE_ROWS: Final = 100
"""Children of one node that are asked for at a time; the rest comes page by page, when it is opened."""
LONGEST_SHOWN: Final = 1000
"""Characters of one value in a pane."""

Kind = Literal["heading", "value", "error", "note"]


class Node(Known, frozen=True, kw_only=True):
    """One value, or a heading over some; `reference` is 0 where there is nothing below it.

    `key` names it within its tree, stop after stop. `expression` is what evaluates to it, `id` its number where the
    daemon keeps it (a watch).
    """

    key: str
    name: str
    value: str = ""
    type_name: str | None = None
    reference: int = 0
    expression: str | None = None
    kind: Kind = "value"
    id: int | None = None


class Page(Known, frozen=True):
    """The children of a node that are known; `has_more` when there are others behind them."""

    nodes: tuple[Node, ...]
    has_more: bool = False


class Row(Known, frozen=True):
    """One line of a tree. `more_of` is the key of the node whose next page this line stands for."""

    depth: int
    node: Node
    is_open: bool = False
    is_changed: bool = False
    more_of: str | None = None


class Tree(Known, frozen=True, kw_only=True):
    """What is known below some roots at one stop; `opened` and what was told before outlive the stop."""

    roots: tuple[Node, ...] = ()
    pages: Mapping[str, Page] = {}
    opened: frozenset[str] = frozenset()
    met: frozenset[str] = frozenset()
    before: Mapping[str, str] = {}

    def node(self, key: str) -> Node | None:
        """The node with that key, where it is known."""
        return next((row.node for row in rows(self) if row.node.key == key and row.more_of is None), None)


def children_of(parent: Node | None, variables: Iterable[Variable], start: int = 0) -> tuple[Node, ...]:
    """The nodes of what the adapter lists below `parent`; those of one name are told apart by their order."""
    lead = "" if parent is None else f"{parent.key}/"
    seen: dict[str, int] = {}
    nodes: list[Node] = []
    for variable in variables:
        count = seen[variable.name] = seen.get(variable.name, 0) + 1
        # A second one of the name, or a nameless one of a later page, must not be taken for the first.
        name = variable.name if count == 1 and variable.name else f"{variable.name}#{start + count}"
        nodes.append(
            Node(
                key=lead + name,
                name=variable.name,
                value=variable.value,
                type_name=variable.type_name,
                reference=variable.variables_reference,
                expression=variable.evaluate_name,
            )
        )
    return tuple(nodes)


def renewed(tree: Tree, roots: Sequence[Node], opened: Iterable[str] = ()) -> Tree:
    """The tree at the next stop: what is open stays so, what differs will be marked.

    `opened` are keys of roots that are open when they are met for the first time.
    """
    values = {row.node.key: row.node.value for row in rows(tree) if row.node.kind == "value" and row.more_of is None}
    first = frozenset(opened) - tree.met
    return Tree(
        roots=tuple(roots),
        opened=tree.opened | first,
        met=tree.met | frozenset(opened),
        before=values or tree.before,
    )


def toggled(tree: Tree, key: str) -> Tree:
    """The tree with that node open where it was closed, and the other way round."""
    return replace(tree, opened=tree.opened ^ {key})


def with_page(tree: Tree, key: str, nodes: Sequence[Node], *, has_more: bool) -> Tree:
    """The tree with further children of a node."""
    known = tree.pages.get(key, Page(()))
    return replace(tree, pages={**tree.pages, key: Page((*known.nodes, *nodes), has_more)})


def rows(tree: Tree) -> tuple[Row, ...]:
    """The lines of the tree, from the top."""
    found: list[Row] = []
    for root in tree.roots:
        _walk(tree, root, 0, found)
    return tuple(found)


def _walk(tree: Tree, node: Node, depth: int, found: list[Row]) -> None:
    is_open = node.reference != 0 and node.key in tree.opened
    is_changed = node.kind == "value" and node.key in tree.before and tree.before[node.key] != node.value
    found.append(Row(depth, node, is_open, is_changed))
    if not is_open:
        return
    page = tree.pages.get(node.key)
    if page is None:
        return
    for child in page.nodes:
        _walk(tree, child, depth + 1, found)
    if page.has_more:
        more = Node(key=f"{node.key}/…", name=f"… after {len(page.nodes)}: more", kind="note")
        found.append(Row(depth + 1, more, more_of=node.key))
    elif not page.nodes:
        found.append(Row(depth + 1, Node(key=f"{node.key}/∅", name="(empty)", kind="note")))


def with_parent(tree: Tree, key: str) -> tuple[Node | None, Node | None]:
    """The node with that key and the one it is listed under; None for what there is not."""
    above: list[Node] = []
    for row in rows(tree):
        del above[row.depth :]
        if row.node.key == key and row.more_of is None:
            return row.node, above[-1] if above else None
        above.append(row.node)
    return None, None


def with_node(tree: Tree, key: str, changed: Callable[[Node], Node]) -> Tree:
    """The tree with one node changed; what was known below it is forgotten."""

    def each(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(changed(node) if node.key == key else node for node in nodes)

    pages = {at: Page(each(page.nodes), page.has_more) for at, page in tree.pages.items() if at != key}
    return replace(tree, roots=each(tree.roots), pages=pages)


def wanted(tree: Tree, last: int) -> Node | None:
    """The first open node among the rows up to number `last`, counted from 1, whose children are not known yet."""
    for row in rows(tree)[: max(last, 1)]:
        if row.is_open and row.node.key not in tree.pages:
            return row.node
    return None


class Line(Known, frozen=True, array_like=True):
    """A row as it is drawn: its text, groups by bytes, and what a key on it is about."""

    text: str
    spans: tuple[tuple[int, int, str], ...]
    key: str
    expression: str | None
    id: int | None


_MARKS: Final = {True: "▾ ", False: "▸ "}


def lines(tree: Tree, longest: int = LONGEST_SHOWN) -> tuple[Line, ...]:
    """The rows as text."""
    return tuple(_line(row, longest) for row in rows(tree))


def _line(row: Row, longest: int) -> Line:
    node = row.node
    name = one_line(node.name)
    lead = "  " * row.depth + (_MARKS[row.is_open] if node.reference else "  ")
    pieces: list[tuple[str, str | None]] = [(lead, None)]
    match node.kind:
        case "heading":
            pieces.append((name, "LazydapTreeHeading"))
        case "note":
            pieces.append((name, "LazydapTreeNote"))
        case "error":
            pieces += [(name, "LazydapTreeName"), (" ", None), (one_line(node.value, longest), "LazydapTreeError")]
        case "value":
            group = "LazydapValueChanged" if row.is_changed else "LazydapTreeValue"
            pieces += [(name, "LazydapTreeName"), (" = ", None), (one_line(node.value, longest), group)]
            if node.type_name:
                pieces.append((f"  {one_line(node.type_name, 80)}", "LazydapTreeType"))
    text, spans = "", list[tuple[int, int, str]]()
    at = 0
    for piece, group in pieces:
        size = len(piece.encode("utf-8", "surrogateescape"))
        if group is not None and size:
            spans.append((at, at + size, group))
        text += piece
        at += size
    return Line(text, tuple(spans), node.key, node.expression, node.id)
