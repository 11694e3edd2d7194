"""A tree of values as rows: what is open, what has changed, what is still to be asked."""

from lazydap_nvim import trees
from lazydap_nvim.trees import Node, Tree
from tests.unit.host.building import variable


def heading(key: str = "locals") -> Node:
    return Node(key=key, name=key, reference=9, kind="heading")


def tree_of(**values: str) -> Tree:
    root = heading()
    nodes = trees.children_of(root, [variable(name, value) for name, value in values.items()])
    return trees.with_page(Tree(roots=(root,), opened=frozenset({root.key})), root.key, nodes, has_more=False)


def texts(tree: Tree) -> list[str]:
    return [line.text for line in trees.lines(tree)]


def test_an_open_heading_shows_its_values_with_their_types() -> None:
    assert texts(tree_of(x="1", y="2")) == ["▾ locals", "    x = 1  int", "    y = 2  int"]


def test_a_closed_heading_hides_them_and_asks_for_nothing() -> None:
    tree = trees.toggled(tree_of(x="1"), "locals")
    assert texts(tree) == ["▸ locals"]
    assert trees.wanted(tree, 100) is None


def test_only_what_can_be_seen_is_wanted() -> None:
    roots = tuple(heading(name) for name in "abc")
    tree = Tree(roots=roots, opened=frozenset("bc"))
    assert trees.wanted(tree, 1) is None
    assert trees.wanted(tree, 2) == roots[1]
    known = trees.with_page(tree, "b", (), has_more=False)
    assert trees.wanted(known, 3) is None
    assert trees.wanted(known, 4) == roots[2]


def test_what_is_open_stays_open_at_the_next_stop_and_what_differs_is_marked() -> None:
    root = heading()
    before = tree_of(x="1", y="2")
    after = trees.renewed(before, (root,))
    after = trees.with_page(
        after, root.key, trees.children_of(root, [variable("x", "1"), variable("y", "3")]), has_more=False
    )
    assert [(row.node.name, row.is_changed) for row in trees.rows(after)] == [
        ("locals", False),
        ("x", False),
        ("y", True),
    ]


def test_a_heading_that_is_met_opens_once_and_stays_closed_when_the_user_closed_it() -> None:
    root = heading()
    met = trees.renewed(Tree(), (root,), {root.key})
    assert met.opened == {root.key}
    closed = trees.toggled(met, root.key)
    assert trees.renewed(closed, (root,), {root.key}).opened == set()


def test_a_page_that_is_not_the_last_ends_in_a_line_that_brings_more() -> None:
    root = heading()
    page = trees.children_of(root, [variable(f"[{n}]", str(n)) for n in range(3)])
    tree = trees.with_page(Tree(roots=(root,), opened=frozenset({root.key})), root.key, page, has_more=True)
    assert texts(tree)[-1] == "    … after 3: more"
    assert trees.rows(tree)[-1].more_of == root.key
    more = trees.with_page(tree, root.key, trees.children_of(root, [variable("[3]", "3")], 3), has_more=False)
    assert len(texts(more)) == 5


def test_two_variables_of_one_name_are_two_lines_with_keys_of_their_own() -> None:
    nodes = trees.children_of(heading(), [variable("x", "1"), variable("x", "2")])
    assert [node.key for node in nodes] == ["locals/x", "locals/x#2"]


def test_an_empty_container_says_so() -> None:
    root = heading()
    tree = trees.with_page(Tree(roots=(root,), opened=frozenset({root.key})), root.key, (), has_more=False)
    assert texts(tree) == ["▾ locals", "    (empty)"]


def test_spans_count_bytes_and_values_stay_on_one_line() -> None:
    line = trees.lines(tree_of(ä="1\n2"))[1]
    assert line.text == "    ä = 1⏎2  int"
    data = line.text.encode()
    assert [data[start:end].decode() for start, end, _ in line.spans] == ["ä", "1⏎2", "  int"]


def test_a_long_value_is_cut() -> None:
    assert len(trees.lines(tree_of(x="y" * 5000), longest=100)[1].text) < 130
