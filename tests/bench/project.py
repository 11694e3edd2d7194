"""Owns a private project for a measurement: its folders, its daemon, its clients and its end."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from lazydap_core.client.blocking import BlockingClient
from lazydap_core.client.starting import ensure_daemon
from lazydap_core.paths import places
from lazydap_core.protocol import objects, requests, responses
from tests.bench.programs import PYTHON, line_of, write_python

LAZYDAP = Path(sys.executable).with_name("lazydap")
WAIT = objects.Wait(timeout_ms=20_000)


class BenchProject:
    """A folder with the Python program of `tests.bench.programs`, and the daemon that serves it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program, _ = write_python(folder)
        (folder / ".lazydap").mkdir()
        self.environ: Mapping[str, str] = {
            **{name: value for name, value in os.environ.items() if name not in {"NVIM", "PYTHONDONTWRITEBYTECODE"}},
            "LAZYDAP_RUNTIME_DIR": str(folder / "r"),
            "LAZYDAP_DATA_DIR": str(folder / "d"),
            "XDG_CONFIG_HOME": str(folder / "c"),
        }

    def connect(self) -> BlockingClient:
        """A greeted connection, to a daemon that is started if need be."""
        return ensure_daemon(places(self.folder, environ=self.environ), self.environ)

    def run(self, *words: str) -> None:
        """One command of the command line, to its end."""
        subprocess.run([LAZYDAP, *words], cwd=self.folder, env=self.environ, stdout=subprocess.DEVNULL, check=True)

    def daemon(self) -> psutil.Process:
        """The daemon's process."""
        return psutil.Process(int(places(self.folder, environ=self.environ).pid.read_text()))

    def launch(self, client: BlockingClient) -> Any:
        """Debug the program up to its loop; the session's id."""
        wanted = objects.NewBreakpoint(source=str(self.program), line=line_of(PYTHON, "loop"), enabled=True)
        client.request(requests.BreakpointAdd(breakpoint=wanted, dry_run=False))
        launched = client.request(
            requests.Launch(
                adapter="debugpy",
                program=str(self.program),
                args=(),
                cwd=str(self.folder),
                env={},
                stop_on_entry=True,
                adapter_command=sys.executable,
            )
        )
        if not isinstance(launched, responses.Launched):
            raise TypeError(launched)
        session_id = launched.session_id
        client.request(requests.Continue(session_id=session_id, wait=WAIT, all_threads=False))
        client.request(requests.BreakpointRemove(selector=objects.Everything(), dry_run=False))
        return session_id


@contextmanager
def bench_project() -> Generator[BenchProject]:
    """A project in a short temporary folder; its daemon is ended with it."""
    folder = Path(tempfile.mkdtemp(prefix="lzb")).resolve()
    made = BenchProject(folder)
    try:
        yield made
    finally:
        made.run("shutdown")
        shutil.rmtree(folder, ignore_errors=True)
