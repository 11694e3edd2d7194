"""Programs that are debugged for real in an editor: one of two languages, launched and waited for."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.editor.editor import Editor, eventually
from tests.fixtures.debuggees import Pair
from tests.fixtures.programs import Program

SLOW = 40.0
"""Seconds: an adapter takes its time on a busy machine."""

ADAPTERS = ("debugpy", "lldb-dap")
_STATE = "return (require('lazydap').state() or {}).state"


@dataclass(frozen=True)
class Debuggee:
    """A program in its project: `file` is its source, `command` what launches it."""

    program: Program
    file: Path
    command: str

    def line(self, marker: str) -> int:
        """The number of the line that is marked so."""
        return self.program.line(marker)


def debuggee(adapter: str, pair: Pair, project: Path) -> Debuggee:
    """The program of a pair that the adapter is for, written and, where need be, built."""
    if adapter == "debugpy":
        return Debuggee(pair.python, pair.python.write(project), "LazydapLaunch")
    source, binary = pair.c.build(project)
    return Debuggee(pair.c, source, f"LazydapLaunch {binary}")


def expect_state(editor: Editor, state: str) -> None:
    """Wait until the program of the current buffer's project is in that state."""
    eventually(lambda: editor.lua(_STATE), lambda now: now == state, what=f"the program is {state}", seconds=SLOW)


def launch(editor: Editor, command: str = "LazydapLaunch") -> None:
    """Launch and wait for the first stop."""
    editor.command(command)
    expect_state(editor, "paused")


def expect_stop(editor: Editor, file: Path, line: int) -> None:
    """Wait until the program stands at that line, the arrow and the cursor too."""
    eventually(
        lambda: (editor.cursor(), editor.signs().get(line, "")),
        lambda shown: shown[0] == (str(file.resolve()), line) and shown[1].startswith("▶"),
        what=f"the program stops at {file.name}:{line}",
        seconds=SLOW,
    )


def break_at(editor: Editor, line: int, parts: str = "") -> None:
    """Put a breakpoint, with a condition, a count or a text, on a line of the current file."""
    before = len(editor.signs())
    editor.command(f"{line}LazydapBreak {parts}".rstrip())
    eventually(editor.signs, lambda signs: len(signs) == before + 1, what=f"the breakpoint of line {line} is drawn")


def shell(project: Path, *words: str) -> None:
    """The `lazydap` command line in the project, as another client."""
    command = [str(Path(sys.executable).parent / "lazydap"), *words]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=60)
