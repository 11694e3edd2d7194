"""Parts of containers of an adapter that can part only what is indexed."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.domain.words import VariableFilter
from lazydap_daemon.dap.messages import Variable
from lazydap_daemon.session.indexed import Rows, Size, part_of


class Container:
    """What delve does: `entries` are the rows of each indexed entry, of which a map has one or two."""

    def __init__(self, named: list[str], entries: list[list[str]]) -> None:
        self.named = named
        self.entries = entries
        self.asked: list[Mapping[str, Any]] = []

    @property
    def size(self) -> Size:
        return Size(len(self.named), len(self.entries))

    def rows(self, wanted: VariableFilter = "all") -> list[str]:
        indexed = [name for entry in self.entries for name in entry]
        return {"all": self.named + indexed, "named": self.named, "indexed": indexed}[wanted]

    async def answer(self, parts: Mapping[str, Any]) -> Rows:
        self.asked.append(parts)
        if parts.get("filter") == "named":
            return _variables(self.named)
        if parts.get("filter") == "indexed":
            chosen = self.entries[parts["start"] : parts["start"] + parts["count"]]
            return _variables([name for entry in chosen for name in entry])
        return _variables(self.named + [name for entry in self.entries[:64] for name in entry])


def _variables(names: list[str]) -> Rows:
    return tuple(Variable(name=name) for name in names)


def _list(length: int, named: list[str]) -> Container:
    return Container(named, [[f"[{index}]"] for index in range(length)])


def _map(widths: list[int]) -> Container:
    entries = [[f"key {at}"] if width == 1 else [f"[key {at}]", f"[val {at}]"] for at, width in enumerate(widths)]
    return Container(["len()"], entries)


containers = st.one_of(
    st.builds(_list, st.integers(1, 80), st.sampled_from([[], ["string()"]])),
    st.builds(_map, st.lists(st.sampled_from([1, 2]), min_size=1, max_size=80)),
)


@given(
    containers,
    st.sampled_from(["all", "named", "indexed"]),
    st.integers(0, 200),
    st.one_of(st.none(), st.integers(1, 90)),
)
async def test_a_part_is_that_part_of_the_whole(
    container: Container, wanted: VariableFilter, start: int, limit: int | None
) -> None:
    page = await part_of(container.size, wanted, start, limit, container.answer)
    rest = container.rows(wanted)[start:]
    assert [row.name for row in page.rows] == (rest if limit is None else rest[: limit + 1])
    assert page.is_whole is (limit is None or len(rest) <= limit)


async def test_no_more_of_a_long_list_is_asked_for_than_is_shown() -> None:
    container = _list(100_000, [])
    await part_of(container.size, "all", 99_000, 50, container.answer)
    assert container.asked == [{"filter": "indexed", "start": 99_000, "count": 51}]


@pytest.mark.parametrize(("wanted", "names"), [("all", ["X", "Y"]), ("named", ["X", "Y"]), ("indexed", [])])
async def test_what_has_no_index_is_asked_for_whole(wanted: VariableFilter, names: list[str]) -> None:
    async def fields(parts: Mapping[str, Any]) -> Rows:
        assert not parts
        return _variables(["X", "Y"])

    page = await part_of(Size(), wanted, 0, 200, fields)
    assert [row.name for row in page.rows] == names
    assert page.is_whole
