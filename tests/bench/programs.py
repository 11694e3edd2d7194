"""Owns the programs that are stepped: endless loops of plain statements, in Python and in C."""

import shutil
import subprocess
from pathlib import Path

PYTHON = """\
import os
width = 3
height = 4
names = ["ada", "grace", "edsger"]
total = 0
for turn in range(1000000):
    area = width * height  # @loop
    total = total + area
    half = total // 2
    label = names[turn % 3]
    width = width + 1
    height = height - 1
    ready = half > 10
"""

C = """\
#include <stdio.h>
int main(void) {
  int width = 3, height = 4;
  long total = 0;
  const char *names[] = {"ada", "grace", "edsger"};
  for (long turn = 0; turn < 1000000; turn++) {
    long area = (long)width * height; /* @loop */
    total = total + area;
    long half = total / 2;
    const char *label = names[turn % 3];
    width = width + 1;
    height = height - 1;
    if (half < -1000000000 || label == NULL) puts("never");
  }
  return 0;
}
"""


def line_of(source: str, marker: str) -> int:
    """The number of the line that holds `@marker`."""
    return next(number for number, line in enumerate(source.splitlines(), start=1) if f"@{marker}" in line)


def write_python(folder: Path) -> tuple[Path, Path]:
    """Write the Python program; its source, twice."""
    path = folder / "loop.py"
    path.write_text(PYTHON)
    return path, path


def build_c(folder: Path) -> tuple[Path, Path] | None:
    """Write and build the C program: source and executable; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, program = folder / "loop.c", folder / "loop"
    source.write_text(C)
    subprocess.run([compiler, "-g", "-O0", "-o", str(program), str(source)], check=True)
    return source, program
