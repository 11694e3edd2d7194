"""A state file is read as the older implementation reads it."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lazydap_core.errors import StateFileInvalid
from lazydap_core.state_file import ProjectState, parse_state, read_state
from tests.contract.golden_data import golden_lines

ROOT = Path("/proj")
LINES = [line for file in ("both", "v10") for line in golden_lines(f"{file}/state.jsonl")]
TEXTS = [line for line in LINES if line["initial"] is not None]


def _breakpoints(state: ProjectState) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [msgspec.to_builtins(entry) for entry in state.breakpoints]
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


@pytest.mark.parametrize("line", TEXTS, ids=lambda line: line["case"])
def test_a_state_file_is_read_as_every_lazydap_reads_it(line: dict[str, Any]) -> None:
    if not line["ok"]:
        with pytest.raises(StateFileInvalid, match=re.escape("/proj/.lazydap/state.toml")):
            parse_state(line["initial"], ROOT)
        return

    assert _breakpoints(parse_state(line["initial"], ROOT)) == line["loaded"]


@pytest.mark.parametrize("line", [line for line in LINES if line["ok"]], ids=lambda line: line["case"])
def test_what_another_lazydap_wrote_is_read_back_whole(line: dict[str, Any]) -> None:
    state = parse_state(line["final_file"] or "", ROOT)

    by_id = sorted(_breakpoints(state), key=lambda row: row["id"])
    # Another lazydap keeps the spelling it was given; a path is the same whatever its spelling.
    assert [{**row, "source": ROOT / row["source"]} for row in by_id] == [
        {**row, "source": ROOT / row["source"]} for row in line["final_breakpoints"]
    ]
    assert state.next_breakpoint_id > max((row["id"] for row in by_id), default=0)


def test_a_project_without_a_state_file_is_empty(tmp_path: Path) -> None:
    assert read_state(tmp_path) == ProjectState()
