"""Owns the programs that the demo debugs; knows nothing of Neovim."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "doc/examples"


@dataclass(frozen=True)
class Example:
    """A program of doc/examples, copied to where the demo may write."""

    language: str
    root: Path
    file: Path
    launch: str
    """The Ex command that starts it."""
    code: str
    """What stands on the line that the demo stops on."""
    value: str
    """What then stands beside it: a local and its value."""
    next_value: str
    """The same one step further."""
    caller: str
    """The function that called the one it stops in."""

    @property
    def line(self) -> int:
        """The number of the line with `code`."""
        lines = self.file.read_text().splitlines()
        return next(number for number, line in enumerate(lines, start=1) if self.code in line)


def python(folder: Path) -> Example:
    """The Python example, copied into `folder`."""
    root = _copied("python", folder)
    return Example(
        language="Python",
        root=root,
        file=root / "invoice.py",
        launch="LazydapLaunch",
        code="total = price * count",
        value="price = 2.5",
        next_value="total = 10.0",
        caller="invoice",
    )


def c(folder: Path) -> Example | None:
    """The C example, copied into `folder` and built there; None without a C compiler.

    Raises CalledProcessError when the compiler fails.
    """
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None:
        return None
    root = _copied("c", folder)
    file = root / "postage.c"
    subprocess.run([compiler, "-g", "-O0", "-o", root / "postage", file], check=True, timeout=60)
    return Example(
        language="C",
        root=root,
        file=file,
        launch="LazydapLaunch ./postage",
        code="cents += steps * 25;",
        value="steps = 2",
        next_value="cents = 370",
        caller="main",
    )


def _copied(name: str, folder: Path) -> Path:
    root = folder / name
    shutil.copytree(EXAMPLES / name, root)
    # Marks the root of the project: without it a folder above might be taken for it.
    (root / ".lazydap").mkdir()
    return root
