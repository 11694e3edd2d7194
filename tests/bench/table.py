"""Owns the table that `make bench` prints: names, figures, targets."""

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One measured thing; `target` is a sentence, `met` None where there is nothing to hold."""

    name: str
    samples: int
    p50: float
    p99: float
    unit: str
    target: str
    met: bool | None


def row(name: str, samples: Sequence[float], unit: str, target: str, met: Callable[[float], bool] | None = None) -> Row:
    """The row of some samples, judged by their median."""
    ordered = sorted(samples)
    p50 = statistics.median(ordered)
    p99 = ordered[min(len(ordered) - 1, round(0.99 * (len(ordered) - 1)))]
    return Row(name, len(ordered), p50, p99, unit, target, None if met is None else met(p50))


def text_of(rows: Sequence[Row]) -> str:
    """The table as aligned lines."""
    head = ("what", "n", "p50", "p99", "", "target", "")
    verdicts = {None: "", True: "met", False: "MISSED"}
    cells = [(r.name, str(r.samples), f"{r.p50:.2f}", f"{r.p99:.2f}", r.unit, r.target, verdicts[r.met]) for r in rows]
    widths = [max(len(line[column]) for line in [head, *cells]) for column in range(len(head))]
    numeric = (1, 2, 3)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in numeric else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [head, *cells]
    )
