"""Owns the half of `make soak` without an adapter: thousands of steps and launches, and what of memory stays."""

import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import anyio
import psutil

from lazydap_daemon.session import owning
from tests.daemon.rig import LOOP, NO_WAIT, Rig, rig
from tests.fakes.in_memory import InMemoryAdapter, in_memory

STEPS = 10_000
LAUNCHES = 1_000
WARM_UP = 200
# What allocators keep for themselves; a leak of one small object a step would be more.
ALLOWANCE_MIB = 3.0


def _resident() -> float:
    return psutil.Process().memory_info().rss / 2**20


async def _step(made: Rig, count: int) -> None:
    for _ in range(count):
        stops = made.engine.summary()
        generation = stops.stop.generation if stops and stops.stop else 0
        await made.step(wait=NO_WAIT)
        await made.until(lambda generation=generation: _generation(made) > generation)
        made.published.clear()


def _generation(made: Rig) -> int:
    summary = made.engine.summary()
    return summary.stop.generation if summary and summary.stop else 0


async def _soak() -> bool:
    adapters: list[InMemoryAdapter] = []
    with tempfile.TemporaryDirectory(prefix="lzs") as folder:
        async with rig(Path(folder)) as made:
            made.play(made.program())
            with patch.object(owning, "started", in_memory(made.program(LOOP, loops=True), adapters)):
                await made.launch()
                await _step(made, WARM_UP)
                before = _resident()
                await _step(made, STEPS)
                stepped = _resident() - before
                await made.disconnect()
                await _launch(made, adapters, WARM_UP)
                before = _resident()
                await _launch(made, adapters, LAUNCHES)
                launched = _resident() - before
    sys.stdout.write(f"{STEPS} steps: {stepped:+.2f} MiB, {LAUNCHES} launches: {launched:+.2f} MiB\n")
    return max(stepped, launched) <= ALLOWANCE_MIB


async def _launch(made: Rig, adapters: list[InMemoryAdapter], count: int) -> None:
    for _ in range(count):
        await made.launch()
        await made.disconnect()
        adapters.clear()
        made.published.clear()


def main() -> int:
    """Exit code 1 when memory grew by more than `ALLOWANCE_MIB`."""
    return 0 if anyio.run(_soak) else 1


if __name__ == "__main__":
    sys.exit(main())
