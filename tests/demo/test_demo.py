"""`make demo` shows what the README promises, and at a terminal opens an editor that obeys the keys it names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editor.editor import eventually
from tests.editor.screen import Terminal

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(150)
@pytest.mark.parametrize("language", ["python", "c"])
def test_the_printed_demo_reaches_its_end(language: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.demo", "--print", language],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=140,
        check=False,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    assert run.stdout.count("▶●") == 1
    assert "Lazydap stack" in run.stdout
    assert "with variables and output in panes" in run.stdout
    assert "another editor, the same stop" in run.stdout


@pytest.mark.timeout(150)
def test_at_a_terminal_the_keys_of_the_hint_work() -> None:
    terminal = Terminal([sys.executable, "-m", "tests.demo"], environ=os.environ, cwd=ROOT, columns=96, lines=30)

    def expect(*beginnings: str) -> None:
        eventually(
            terminal.rows,
            lambda rows: all(any(row.startswith(beginning) for row in rows) for beginning in beginnings),
            what=f"lines beginning with {beginnings}",
            seconds=40,
        )

    try:
        expect("F10 over", "▶●  8")
        terminal.press("\x1b[21~")  # F10
        expect("●   8", "▶   9")
        terminal.press(":qa\r")
        assert terminal.process.wait(20) == 0
    finally:
        terminal.close()


@pytest.mark.parametrize("language", ["python", "c"])
def test_the_pictures_of_the_readme_show_the_stop(language: str) -> None:
    picture = (ROOT / "doc" / "pictures" / f"{language}.svg").read_text()
    assert "▶●" in picture
    assert "@font-face" not in picture
    assert str(ROOT) not in picture
