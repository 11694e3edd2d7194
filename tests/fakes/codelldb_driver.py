"""The test's side of the fake codelldb: the driver that runs it, and its record to read."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lazydap_daemon.adapters.codelldb import CodelldbDriver
from tests.fakes.codelldb_program import CodelldbSpec

CODELLDB = Path(__file__).with_name("codelldb.py")
RECORD = "codelldb.jsonl"


class FakeCodelldb(CodelldbDriver):
    """With codelldb's rules; `folder` gets the fake's script and its record."""

    def __init__(self, spec: CodelldbSpec, folder: Path) -> None:
        script = folder / "codelldb.json"
        self._record_file = folder / RECORD
        content = {"record": str(self._record_file), "spec": asdict(spec)}
        script.write_text(json.dumps(content), encoding="utf-8")
        super().__init__(executable=(sys.executable, "-S", "-E", str(CODELLDB), str(script)))

    def record(self) -> list[dict[str, Any]]:
        """What the fake received and noted, in order: requests have `command`, `arguments` and `time`."""
        if not self._record_file.exists():
            return []
        return [json.loads(line) for line in self._record_file.read_text(encoding="utf-8").splitlines()]

    @staticmethod
    def faults_in(folder: Path) -> list[str]:
        """The faults of the fake that was run with that folder."""
        lines = (folder / RECORD).read_text(encoding="utf-8").splitlines()
        return [entry["fault"] for entry in map(json.loads, lines) if "fault" in entry]

    def requests(self, command: str | None = None) -> list[dict[str, Any]]:
        """The requests, in order; those of one command where one is named."""
        requests = [entry for entry in self.record() if entry.get("type") == "request"]
        return [one for one in requests if command in (None, one["command"])]

    def starts(self) -> list[dict[str, Any]]:
        """For each start of the fake: its `started` options, its `environ` and its `cwd`."""
        return [entry for entry in self.record() if "started" in entry]

    def faults(self) -> list[str]:
        """What the real one would have refused, died of, or misunderstood."""
        return [entry["fault"] for entry in self.record() if "fault" in entry]
