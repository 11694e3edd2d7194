"""Owns measuring a step where there is much to see: a deep stack, many threads, a huge container; bare and drawn."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from tests.bench.programs import line_of
from tests.bench.steps import BIN, editor_steps, plan, raw_steps
from tests.bench.table import Row, row

RATIO = 1.5
STEPS = 60
DEPTH, THREADS, ELEMENTS = 2000, 100, 100_000

PYTHON = """\
import sys, threading
DEPTH, THREADS, ELEMENTS = (int(word) for word in sys.argv[1:])
sys.setrecursionlimit(DEPTH + 1000)

def work(items):
    total = 0
    for turn in range(1000000):
        total = total + turn  # @loop
        half = total // 2
        ready = half > 10

def down(depth, items):
    if depth:
        down(depth - 1, items)
    else:
        work(items)

for _ in range(THREADS):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
down(DEPTH, list(range(ELEMENTS)))
"""

C = """\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define COUNT %d
static void *idle(void *unused) { for (;;) pause(); return unused; }
static long work(void) {
  int items[COUNT] = {1, 2, 3};
  long total = items[1];
  for (long turn = 0; turn < 1000000; turn++) {
    total = total + turn; /* @loop */
    long half = total / 2;
    if (half < 0) puts("never");
  }
  return total;
}
static long down(int depth) { return depth ? down(depth - 1) + 1 : work(); }
int main(int count, char **words) {
  for (int left = count > 2 ? atoi(words[2]) : 0; left > 0; left--) {
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
  }
  return down(atoi(words[1])) > 0;
}
"""


class Case(NamedTuple):
    """How much there is in one program."""

    name: str
    depth: int = 1
    threads: int = 0
    elements: int = 3


class Measured(NamedTuple):
    """Milliseconds of each step: of the adapter alone, and from the key to the drawn sign."""

    raw: Sequence[float]
    drawn: Sequence[float]


CASES = (
    Case("little to see"),
    Case(f"a stack of {DEPTH} frames", depth=DEPTH),
    Case(f"{THREADS} threads", threads=THREADS),
    Case(f"a container of {ELEMENTS}", elements=ELEMENTS),
)


def rows() -> Sequence[Row]:
    """The rows of both languages, each case beside the small one; C only where a compiler exists."""
    found = _ratios("Python", [_python(case) for case in CASES])
    if shutil.which("cc") is not None:
        found += _ratios("C", [_c(case) for case in CASES])
    return found


def _ratios(language: str, measured: Sequence[Measured]) -> list[Row]:
    small = row(f"{language}: step key to drawn sign, {CASES[0].name}", measured[0].drawn, "ms", "")
    limit = RATIO * small.p50
    found = [_raw_row(measured[0]), small]
    for case, each in zip(CASES[1:], measured[1:], strict=True):
        found.append(_raw_row(each))
        found.append(row(f"... with {case.name}", each.drawn, "ms", f"<= {limit:.2f} ms", lambda p50: p50 <= limit))
    return found


def _raw_row(each: Measured) -> Row:
    return row("raw adapter, step + top frame", each.raw, "ms", "")


def _python(case: Case) -> Measured:
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        source = folder / "heavy.py"
        source.write_text(PYTHON)
        words = (str(case.depth), str(case.threads), str(case.elements))
        launch = plan("debugpy", source, folder, words)
        return _measured(DebugpyDriver(interpreter=None), launch, source, line_of(PYTHON, "loop"))


def _c(case: Case) -> Measured:
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        source, program = folder / "heavy.c", folder / "heavy"
        source.write_text(C % case.elements)
        subprocess.run(["cc", "-g", "-O0", "-pthread", "-o", program, source], check=True)
        launch = plan("codelldb", program, folder, (str(case.depth), str(case.threads)))
        return _measured(LldbDapDriver(executable=(str(BIN / "lldb-dap"),)), launch, source, line_of(C, "loop"))


def _measured(driver: Driver, launch: LaunchPlan, source: Path, line: int) -> Measured:
    raw = raw_steps(driver, launch, source, line, STEPS)
    folder = Path(launch.cwd)
    return Measured(raw, editor_steps(folder, source, " ".join((launch.program, *launch.args)), line, STEPS)[0])
