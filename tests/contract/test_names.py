"""Instance names, project roots and config.toml come out as the older implementation has them."""

import os
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.config import read_config
from lazydap_core.errors import ConfigInvalid
from lazydap_core.project import STATE_FOLDER, instance_name, project_root, slug
from tests.contract.golden_data import golden_lines

LINES = [line for file in ("both", "v10") for line in golden_lines(f"{file}/names.jsonl")]


def _of(kind: str) -> list[dict[str, Any]]:
    return [line for line in LINES if line["kind"] == kind]


def _case(line: dict[str, Any]) -> str:
    return line["case"]


@pytest.mark.parametrize("line", _of("instance-for-root"), ids=lambda line: line["root"][:40])
def test_a_root_has_the_instance_name_that_every_lazydap_gives_it(line: dict[str, Any]) -> None:
    assert instance_name(line["root"]) == line["instance"]


@pytest.mark.parametrize("line", _of("explicit-instance"), ids=lambda line: line["name"][:40])
def test_a_given_name_becomes_a_file_name_and_stays_one(line: dict[str, Any]) -> None:
    assert slug(line["name"]) == line["instance"]
    assert slug(line["instance"]) == line["instance"]


@pytest.mark.parametrize("line", _of("project-root"), ids=_case)
def test_the_root_of_a_tree_is_where_every_lazydap_finds_it(line: dict[str, Any], tmp_path: Path) -> None:
    outer = tmp_path / "proj"
    top = outer / "top"
    (outer / STATE_FOLDER).mkdir(parents=True)
    for entry in line["tree"]:
        path = top / entry
        if entry.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    start = top / line["start"]
    start.mkdir(parents=True, exist_ok=True)
    # A home that does not exist is no ceiling.
    home = top / line["home"] if line["home"] else tmp_path / "nobody"

    root = project_root(start, {"HOME": str(home)})

    expected = line["root"].replace("<top>", str(top))
    assert str(root) == (str(outer) if expected == "/proj" else expected)


@pytest.mark.parametrize("line", _of("config"), ids=_case)
def test_a_config_file_says_what_every_lazydap_reads_in_it(line: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    if line["toml"] is not None:
        file.write_text(line["toml"])
    environ = {"LAZYDAP_CONFIG_PATH": os.fspath(file)}

    if not line["ok"]:
        with pytest.raises(ConfigInvalid, match=str(file)):
            read_config(environ)
        return
    config = read_config(environ)

    assert config.wait_timeout_seconds == line["wait_timeout_seconds"]
    assert config.commands.get("codelldb") == line["codelldb"]
    assert config.commands.get("debugpy") == line["debugpy"]
