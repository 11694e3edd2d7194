"""A scripted debug adapter: a process that plays one conversation, or stands for a simulated program.

Run as `python -S adapter.py FILE`, FILE holding JSON: `{"steps": [...]}` (see `tests.fakes.scripted`), or
`{"program": {...}}` (see `tests.fakes.program`), and `"record"`, a file that gets one JSON line for each request.

It fails on a surprise: a request that no step expects is recorded as such, and ends the process. Only the standard
library is used, so that it starts in a few milliseconds.
"""

import json
import os
import sys
from pathlib import Path

# Run by its path, from any directory, without `site`.
sys.path[0] = str(Path(__file__).resolve().parents[2])

from tests.fakes.adapter_program import ProgramHost  # noqa: E402
from tests.fakes.adapter_script import ScriptPlayer  # noqa: E402
from tests.fakes.adapter_wire import Wire  # noqa: E402
from tests.fakes.program import ProgramSpec  # noqa: E402


def main() -> int:
    """The exit status."""
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    wire = Wire(script.get("record"))
    if "program" in script:
        return ProgramHost(wire, ProgramSpec.read(script["program"])).serve()
    return ScriptPlayer(wire, script["steps"]).play()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(0)
