"""Owns reading the golden files: what another lazydap wrote and read (see the README beside them)."""

import json
from pathlib import Path
from typing import Any, Final

GOLDEN: Final = Path(__file__).parent / "golden"


def golden_lines(file: str) -> list[dict[str, Any]]:
    """The objects of one golden file, in order; lines end with a line feed only, since texts hold U+2028."""
    text = (GOLDEN / file).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]
