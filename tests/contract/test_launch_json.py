"""A launch.json is read as the older implementation reads it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.launches.vscode import read_text
from tests.contract.golden_data import golden_lines

ROOT = Path("/proj")
ENVIRON = {"PG_ENV": "set", "HOME": "/home/u"}
LINES = [line for file in ("both", "v10") for line in golden_lines(f"{file}/launch_json.jsonl")]
# A mistake of theirs that we forgive, and where their count of columns starts at 0.
ACCEPTED_HERE = {"bom"}
# Only here a module can be launched, and the block for one system counts.
READ_HERE: dict[str, dict[str, Any]] = {"no program": {"runnable": True}}
if sys.platform == "linux":
    READ_HERE["nested platform keys"] = {"program": "/proj/y"}
NAMED_OTHERWISE = {"empty text": (1, 1), "null": None, "unterminated string": (1, 20)}


def _position(line: dict[str, Any]) -> tuple[int, int] | None:
    if line["case"] in NAMED_OTHERWISE:
        return NAMED_OTHERWISE[line["case"]]
    row, column = line["error_at"]
    return row, column


@pytest.mark.parametrize("line", [line for line in LINES if not line["ok"]], ids=lambda line: line["case"])
def test_a_mistake_is_reported_with_its_place(line: dict[str, Any]) -> None:
    if line["case"] in ACCEPTED_HERE:
        assert read_text(line["body"], ROOT, ENVIRON).configurations == ()
        return
    position = _position(line)

    with pytest.raises(ValueError, match=f"line {position[0]}, column {position[1]}" if position else "object"):
        read_text(line["body"], ROOT, ENVIRON)


@pytest.mark.parametrize("line", [line for line in LINES if line["ok"]], ids=lambda line: line["case"])
def test_configurations_say_what_every_lazydap_reads_in_them(line: dict[str, Any]) -> None:
    reading = read_text(line["body"], ROOT, ENVIRON)

    assert [
        {
            "adapter": entry.adapter,
            "adapter_command": entry.adapter_command,
            "adapter_type": entry.adapter_type,
            "args": list(entry.args),
            "cwd": entry.cwd,
            "env": entry.env,
            "name": entry.name,
            "program": entry.program,
            "request": entry.request,
            "runnable": entry.is_runnable,
            "source": entry.source,
            "stop_on_entry": entry.stop_on_entry,
            "unresolved": list(entry.unresolved),
        }
        for entry in reading.configurations
    ] == [config | READ_HERE.get(line["case"], {}) for config in line["configs"]]
    assert len(reading.warnings) == line["warnings"]
