"""Texts are taken and refused as the older implementation does, but for a short list of differences."""

import json
import subprocess
import sys
from typing import Any

import pytest

from lazydap_core.errors import Undecodable
from lazydap_core.protocol.codec import canonical
from tests.contract.golden_data import golden_lines

FILES = {"both": (4, 10), "v4": (4,), "v10": (10,)}
CASES = [
    (version, line)
    for file, versions in FILES.items()
    for version in versions
    for line in golden_lines(f"{file}/decode.jsonl")
    if line["kind"] == "decode"
]


def _duplicate_key(text: str) -> bool:
    found = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len({key for key, _ in items}) < len(items)
        return dict(items)

    try:
        json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return found


def _difference(line: dict[str, Any]) -> str | None:
    """Which of the differences listed in doc/protocol.md a golden line shows."""
    text, is_read = line["json"], line["ok"]
    if is_read and any(mark in text for mark in ('"Launch":[', '"Threads":["', '"breakpoint":["', '"Location":[')):
        return "structs written as arrays"
    if is_read and any(mark in text for mark in ('"Subscribe":[[', '{"version":4,"id":1,"payload":["')):
        return "structs written as arrays"
    if is_read and '"session_id":"{' in text:
        return "session ids in braces"
    if not is_read and _duplicate_key(text) and line["error"].startswith("duplicate field"):
        return "duplicate keys"
    return None


def _answer(text: str, version: int) -> str | None:
    try:
        return canonical(text.encode(), version).decode()
    except Undecodable:
        return None


@pytest.mark.parametrize("version", [4, 10])
def test_a_text_is_taken_or_refused_as_elsewhere_and_written_back_the_same(version: int) -> None:
    for line in (line for v, line in CASES if v == version and _difference(line) is None):
        expected = line.get("canonical") or line["json"] if line["ok"] else None

        assert (line["json"], _answer(line["json"], version)) == (line["json"], expected)


@pytest.mark.parametrize("version", [4, 10])
def test_the_listed_differences_are_the_other_way_round(version: int) -> None:
    for line in (line for v, line in CASES if v == version and _difference(line) is not None):
        assert (_answer(line["json"], version) is None) == line["ok"], line["json"]


def test_every_listed_difference_is_met() -> None:
    assert {_difference(line) for _, line in CASES} == {
        None,
        "structs written as arrays",
        "session ids in braces",
        "duplicate keys",
    }


@pytest.mark.parametrize("version", [4, 10])
def test_the_command_answers_each_line_as_the_codec_does(version: int) -> None:
    texts = [line["json"] for v, line in CASES if v == version and "\n" not in line["json"]]
    command = [sys.executable, "-m", "lazydap_core.protocol", "--version", str(version)]

    run = subprocess.run(command, input="\n".join(texts).encode(), capture_output=True, check=True)
    answers = run.stdout.decode().removesuffix("\n").split("\n")

    assert len(answers) == len(texts)
    for text, answer in zip(texts, answers, strict=True):
        expected = _answer(text, version)
        assert answer == expected or (expected is None and answer.startswith("error: "))
