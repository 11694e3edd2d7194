"""Owns measuring the command line as whole processes, beside `python -c pass` in the same run."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from lazydap_core.protocol import requests
from tests.bench.programs import PYTHON, line_of
from tests.bench.project import BenchProject, bench_project
from tests.bench.table import Row, row

RUNS = 30
COLD_RUNS = 8
RATIO_TARGET = 6.0
COLD_TARGET_MS = 500.0
STEP_WAIT_TARGET_MS = 90.0


def _milliseconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def rows() -> Sequence[Row]:
    """The rows of the commands, each as a multiple of an interpreter that does nothing."""
    with bench_project() as project:
        cold: list[float] = []
        for _ in range(COLD_RUNS):
            project.run("shutdown")
            cold.append(_milliseconds(lambda: project.run("status")))
        found = [
            row("lazydap status, no daemon yet", cold, "ms", "<= 500 ms", lambda p50: p50 <= COLD_TARGET_MS),
        ]
        with project.connect() as client:
            session_id = project.launch(client)
            location = f"{project.program.name}:{line_of(PYTHON, 'loop')}"
            project.run("break", location)
            found += _ratios(project, location)
            client.request(requests.Disconnect(session_id=session_id, terminate=True, dry_run=False))
    return found


def _ratios(project: BenchProject, location: str) -> list[Row]:
    commands: dict[str, tuple[str, ...]] = {
        "version": ("version",),
        "status": ("status",),
        "break": ("break", location),
        "continue --wait": ("continue", "--wait"),
        "step --wait": ("step", "--wait"),
    }
    samples: dict[str, list[float]] = {name: [] for name in ("python -c pass", *commands)}
    for _ in range(RUNS):
        # One of each in turn, so that a busy moment of the machine falls on all.
        samples["python -c pass"].append(
            _milliseconds(lambda: subprocess.run([sys.executable, "-c", "pass"], env=project.environ, check=True))
        )
        for name, words in commands.items():
            samples[name].append(_milliseconds(lambda words=words: project.run(*words)))
    floor = statistics.median(samples["python -c pass"])
    found = [row("python -c pass", samples["python -c pass"], "ms", "")]
    for name in commands:
        ratios = [sample / floor for sample in samples[name]]
        is_held = name == "status"
        found.append(
            row(
                f"lazydap {name}, times python -c pass",
                ratios,
                "x",
                "<= 6 x" if is_held else "",
                (lambda p50: p50 <= RATIO_TARGET) if is_held else None,
            )
        )
    found.append(
        row(
            "lazydap step --wait, whole process",
            samples["step --wait"],
            "ms",
            "<= 90 ms",
            lambda p50: p50 <= STEP_WAIT_TARGET_MS,
        )
    )
    return found
