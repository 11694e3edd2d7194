"""Owns running the installed `lazydap` as a person's shell would: a process, its two streams, its exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

LAZYDAP = str(Path(sys.executable).parent / "lazydap")
COMMAND_SECONDS = 60.0


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed; the test fails with both streams where it failed."""
        assert self.code == 0, f"exit code {self.code}\n{self.out}\n{self.err}"
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error object, which is all it printed."""
        assert self.code != 0, self.out
        assert self.out == ""
        return json.loads(self.err)

    @property
    def kind(self) -> str:
        """The kind of a usage error."""
        assert self.code == 2, f"exit code {self.code}\n{self.out}\n{self.err}"
        assert self.error["error"] == "UsageError"
        return self.error["details"]["kind"]


@dataclass
class Shell:
    """A folder and an environment in which commands are typed."""

    folder: Path
    environ: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def __call__(self, *words: str | Path, cwd: Path | None = None, seconds: float = COMMAND_SECONDS) -> Ended:
        """Run a command to its end, with its streams in pipes."""
        done = subprocess.run(
            [LAZYDAP, *map(str, words)],
            cwd=cwd or self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str | Path, stdout: int | IO[bytes] = subprocess.PIPE) -> "subprocess.Popen[bytes]":
        """Start a command without waiting; whoever starts it ends it."""
        return subprocess.Popen(
            [LAZYDAP, *map(str, words)],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            # Tests that run in the background of a script inherit a Ctrl-C that is ignored.
            preexec_fn=_heeds_interrupts,  # noqa: PLW1509  # no thread of a test holds a lock here
        )

    def with_variables(self, **variables: str) -> "Shell":
        """The same shell with more variables."""
        return Shell(self.folder, {**self.environ, **variables})

    def write(self, name: str, text: str) -> Path:
        """A file of the project, its folders made."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    @property
    def runtime(self) -> Path:
        """Where sockets and locks lie."""
        return Path(self.environ["LAZYDAP_RUNTIME_DIR"])

    @property
    def data(self) -> Path:
        """Where pid files and logs lie."""
        return Path(self.environ["LAZYDAP_DATA_DIR"])

    def daemon_files(self) -> list[str]:
        """The names of sockets, locks and pid files that are there."""
        folders = [folder for folder in (self.runtime, self.data) if folder.exists()]
        return sorted(path.name for folder in folders for path in folder.iterdir() if path.suffix != ".log")


def _heeds_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interpreter() -> str:
    """The Python that `lazydap` runs in; the tests may be started by another name of it."""
    return Path(LAZYDAP).read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!")


def finished(process: "subprocess.Popen[bytes]", seconds: float = COMMAND_SECONDS) -> Ended:
    """The end of a started command."""
    out, err = process.communicate(timeout=seconds)
    return Ended(process.returncode, (out or b"").decode(), (err or b"").decode())


def interrupt(process: "subprocess.Popen[bytes]") -> None:
    """Press Ctrl-C in the terminal of a started command."""
    process.send_signal(signal.SIGINT)


def wait_until(holds: Callable[[], Any], what: str, seconds: float = 10.0) -> Any:
    """Poll until `holds()` is true, and give that back; fail with `what` at the deadline."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"after {seconds} s: {what}"
        time.sleep(0.01)  # noqa: TID251  # this is the poll, and it has a deadline
    return found
