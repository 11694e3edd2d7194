"""Owns measuring a step from the key to the drawn sign, beside the same step of the raw adapter."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pynvim

from lazydap_daemon.adapters.debugpy import DebugpyDriver
from lazydap_daemon.adapters.driver import Driver, LaunchPlan
from lazydap_daemon.adapters.lldb_dap import LldbDapDriver
from tests.bench.programs import PYTHON, C, build_c, line_of, write_python
from tests.bench.raw import raw_adapter
from tests.bench.table import Row, row
from tests.editor.editor import eventually, listens

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
STEPS = 200
WARM_UP = 20
PYTHON_TARGET_MS = 5.0
VALUES_TARGET_MS = 3.0
C_RATIO = 1.25
C_ALLOWANCE_MS = 0.6
REST_MS = 30
"""Between two steps, for the adapter alone as for the editor: as fast as a held key."""
LINES, COLUMNS = 40, 120
PATIENCE = 20.0


def raw_steps(driver: Driver, plan: LaunchPlan, source: Path, line: int, steps: int = STEPS) -> list[float]:
    """Milliseconds of each step and top frame of the adapter alone."""

    async def measure() -> list[float]:
        async with raw_adapter(driver, plan, str(source), line) as adapter:
            for _ in range(WARM_UP):
                await adapter.step()
            taken: list[float] = []
            for _ in range(steps):
                await anyio.sleep(REST_MS / 1000)
                taken.append(await adapter.step())
            return taken

    return anyio.run(measure)


@contextmanager
def editor(folder: Path) -> Generator[Any]:
    """A Neovim on a terminal, with the plugin and private folders; stopped afterwards together with its daemon."""
    (folder / ".lazydap").mkdir(exist_ok=True)
    init = folder / "init.lua"
    init.write_text(
        f"vim.opt.runtimepath:prepend({str(ROOT)!r})\n"
        "vim.o.more, vim.o.swapfile, vim.o.shadafile = false, false, 'NONE'\n"
    )
    keep = {name: value for name, value in os.environ.items() if name not in {"NVIM", "VIMINIT", "VIRTUAL_ENV"}}
    private = {name: str(folder / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    private |= {"LAZYDAP_RUNTIME_DIR": str(folder / "r"), "LAZYDAP_DATA_DIR": str(folder / "d")}
    os.environ.clear()
    os.environ.update(keep | private)
    address = folder / "nvim.sock"
    with on_terminal([str(BIN / "nvim"), "--listen", str(address), "-n", "-u", str(init)]):
        nvim = _attached(address)
        yield nvim
        nvim.command("silent! LazydapStop")
        wait_for(nvim, "return require('lazydap').state().state ~= 'paused'")
        subprocess.run([BIN / "lazydap", "shutdown"], cwd=folder, capture_output=True, check=False, timeout=20)
        with suppress(OSError, EOFError):
            nvim.command("qa!")
        nvim.close()


@contextmanager
def on_terminal(argv: Sequence[str]) -> Generator[None]:
    """Run a program on a terminal whose screen nobody looks at; it is ended when it does not end by itself."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=environ, start_new_session=True)
    os.close(slave)
    reader = threading.Thread(target=_drain, args=(master,), daemon=True)
    reader.start()
    try:
        yield
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
        reader.join()
        os.close(master)


def _drain(master: int) -> None:
    # The reads end with an error when the program has closed the terminal.
    with suppress(OSError):
        while os.read(master, 1 << 16):
            pass


def _attached(address: Path) -> Any:
    eventually(lambda: listens(address), bool, what="Neovim listens", seconds=PATIENCE)
    nvim: Any = pynvim.attach("socket", path=str(address))
    # A socket is answered while start-up still runs; what it has not loaded yet would be missing.
    eventually(lambda: nvim.eval("v:vim_did_enter"), bool, what="Neovim has started", seconds=PATIENCE)
    return nvim


def wait_for(nvim: Any, condition: str, seconds: float = 20.0) -> None:
    """Poll a Lua condition until it holds."""
    code = f"return vim.wait({int(seconds * 1000)}, function() {condition} end, 5)"
    if not nvim.exec_lua(code):
        raise TimeoutError(f"{condition} did not come true; messages: {nvim.command_output('messages')}")


def editor_steps(
    folder: Path, source: Path, program: str, line: int, steps: int = STEPS
) -> tuple[list[float], list[float]]:
    """Milliseconds from the key to the drawn arrow, and from there to the drawn values.

    `program` is what `:LazydapLaunch` takes, stopped at a breakpoint on `line` of `source`.
    """
    with editor(folder) as nvim:
        nvim.command(f"cd {folder}")
        nvim.command(f"edit {source}")
        nvim.command(f"call cursor({line}, 1)")
        nvim.command("LazydapBreak")
        nvim.command(f"LazydapLaunch {program}")
        wait_for(nvim, "return require('lazydap').state().state == 'paused'")
        nvim.command("LazydapBreak")
        run = f"dofile({str(ROOT / 'tests/bench/bench.lua')!r}).run(...)"
        nvim.exec_lua(run, nvim.channel_id, WARM_UP + steps, REST_MS)
        measured = json.loads(nvim.next_message()[2][0])[WARM_UP:]
        return [stop for stop, _ in measured], [values - stop for stop, values in measured]


def plan(kind: Any, program: Path, folder: Path, words: tuple[str, ...] = ()) -> LaunchPlan:
    """How an adapter is to launch `program` with `words` for arguments."""
    return LaunchPlan(kind=kind, program=str(program), args=words, cwd=str(folder), root=str(folder))


def rows() -> Sequence[Row]:
    """The rows of both languages; C only where a compiler exists."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        source, program = write_python(folder)
        line = line_of(PYTHON, "loop")
        raw = raw_steps(DebugpyDriver(interpreter=None), plan("debugpy", program, folder), source, line)
        stops, values = editor_steps(folder, source, str(program), line)
        found += [
            row("Python: raw adapter, step + top frame", raw, "ms", ""),
            row("Python: step key to drawn sign", stops, "ms", "<= 5 ms", lambda p50: p50 <= PYTHON_TARGET_MS),
            row("Python: ... to drawn values", values, "ms", "<= 3 ms more", lambda p50: p50 <= VALUES_TARGET_MS),
        ]
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        built = build_c(folder)
        if built is None:
            return found
        source, program = built
        line = line_of(C, "loop")
        driver = LldbDapDriver(executable=(str(BIN / "lldb-dap"),))
        raw = raw_steps(driver, plan("codelldb", program, folder), source, line)
        stops, values = editor_steps(folder, source, str(program), line)
        raw_row = row("C: raw adapter, step + top frame", raw, "ms", "")
        limit = C_RATIO * raw_row.p50 + C_ALLOWANCE_MS
        found += [
            raw_row,
            row("C: step key to drawn sign", stops, "ms", f"<= {limit:.2f} ms", lambda p50: p50 <= limit),
            row("C: ... to drawn values", values, "ms", "<= 3 ms more", lambda p50: p50 <= VALUES_TARGET_MS),
        ]
    return found
