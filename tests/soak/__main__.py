"""Starts the soak: `python -m tests.soak [--minutes N]`, in folders of its own; fails when the daemon grows."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from lazydap_core.client.starting import ensure_daemon
from lazydap_core.errors import LazydapError
from lazydap_core.paths import places
from lazydap_core.protocol import requests
from tests.bench.programs import PYTHON, C, build_c, line_of, write_python
from tests.editor.editor import end_daemons
from tests.house import surroundings
from tests.soak.stepping import Stepper, Target
from tests.soak.watching import growth, sample

WARM_UP_STEPS = 300
STEPS_A_LAUNCH = 2000


def main() -> int:
    """Soak; 0 when nothing has grown and nothing has failed."""
    parser = argparse.ArgumentParser(prog="make soak", description="Step for a long time and watch the daemon.")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (5)")
    deadline = time.monotonic() + parser.parse_args().minutes * 60
    folder = Path(tempfile.mkdtemp(prefix="lz", dir="/tmp")).resolve()
    folders = surroundings.folders(folder / "e")
    environ = {**surroundings.scrubbed(os.environ), **folders.variables()}
    (folder / ".lazydap").mkdir()
    try:
        found = _soak(folder, environ, deadline)
    except (LazydapError, AssertionError) as error:
        found = [str(error)]
    finally:
        end_daemons(folders.runtime)
        shutil.rmtree(folder, ignore_errors=True)
    for line in found:
        print(f"make soak: {line}", file=sys.stderr)
    return 1 if found else 0


def _soak(folder: Path, environ: dict[str, str], deadline: float) -> list[str]:
    here = places(folder, environ=environ)
    targets = _targets(folder)
    with ensure_daemon(here, environ) as client:
        pid = int(here.pid.read_text().split()[0])
        stepper = Stepper(client, environ)
        for target in targets:
            stepper.prepare(target)
            stepper.run(target, WARM_UP_STEPS, deadline=time.monotonic() + 300)
        # Each look is taken between two programs, so adapters and programs do not count.
        first = last = sample(pid)
        print(f"warm: {first}", flush=True)
        while time.monotonic() < deadline:
            for target in targets:
                stepper.run(target, STEPS_A_LAUNCH, deadline)
            last = sample(pid)
            print(f"{stepper.steps} steps, {stepper.launches} launches: {last}", flush=True)
        client.request(requests.Shutdown())
    return growth(first, last)


def _targets(folder: Path) -> list[Target]:
    source, program = write_python(folder)
    targets = [Target("debugpy", source, program, line_of(PYTHON, "loop"))]
    built = build_c(folder)
    if built is not None:
        targets.append(Target("codelldb", *built, line_of(C, "loop")))
    return targets


if __name__ == "__main__":
    sys.exit(main())
