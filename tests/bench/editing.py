"""Owns measuring what the plugin costs an editor that does not debug, and its first command."""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.steps import BIN, ROOT, editor, wait_for
from tests.bench.table import Row, row

RUNS = 30
FIRST_RUNS = 5
STARTUP_TARGET_MS = 1.0
FIRST_TARGET_MS = 350.0
RUNNING_TARGET_MS = 150.0
FIFTY_TARGET_MS = 5.0
NAMING_TARGET_MS = 2.0
LONG_FILE = 20_000
"""Lines of the file in which names are looked for."""

SOURCED = """
local began = vim.uv.hrtime()
vim.cmd.source({script!r})
io.stdout:write((vim.uv.hrtime() - began) / 1e6)
"""


def rows() -> Sequence[Row]:
    """The rows of loading, of the first command, of a file with fifty breakpoints and of names in a long one."""
    return [_loading(), *_first_command(), _fifty(), _naming()]


def _loading() -> Row:
    samples: list[float] = []
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        script = Path(name) / "time.lua"
        script.write_text(SOURCED.replace("{script!r}", repr(str(ROOT / "plugin" / "lazydap.lua"))))
        for _ in range(RUNS):
            command = [BIN / "nvim", "--headless", "--clean", "-l", script]
            samples.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return row("start-up of Neovim, added by the plugin", samples, "ms", "< 1 ms", lambda p50: p50 < STARTUP_TARGET_MS)


def _first_command() -> list[Row]:
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(FIRST_RUNS):
        with tempfile.TemporaryDirectory(prefix="lzb") as name:
            folder = Path(name)
            (folder / "a.py").write_text("x = 1\n")
            with editor(folder) as nvim:
                cold.append(_breaking(nvim, folder))
                nvim.exec_lua("vim.uv.kill(require('lazydap.host').pid(), 9)")
                wait_for(nvim, "return require('lazydap.host').pid() == nil")
                warm.append(_breaking(nvim, folder))
    return [
        row("first command to host and daemon answering", cold, "ms", "<= 350 ms", lambda p50: p50 <= FIRST_TARGET_MS),
        row("... with the daemon running", warm, "ms", "<= 150 ms", lambda p50: p50 <= RUNNING_TARGET_MS),
    ]


def _breaking(nvim: Any, folder: Path) -> float:
    # Opening a file is not ours: for a Python file Neovim looks for its own Python first.
    nvim.command(f"edit {folder / 'a.py'}")
    began = time.perf_counter()
    before = nvim.exec_lua("return #require('lazydap').state().breakpoints")
    nvim.command("LazydapBreak")
    wait_for(nvim, f"return #require('lazydap').state().breakpoints ~= {before}")
    return (time.perf_counter() - began) * 1000


def _fifty() -> Row:
    samples: list[float] = []
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        folder = Path(name)
        for file in ("a.py", "b.py"):
            (folder / file).write_text("x = 1\n" * 100)
        (folder / ".lazydap").mkdir()
        lines = "".join(
            f'[[breakpoints]]\nid = {n}\nsource = "a.py"\nline = {n}\nenabled = true\n\n' for n in range(1, 51)
        )
        (folder / ".lazydap" / "state.toml").write_text(f"version = 1\n\n{lines}")
        with editor(folder) as nvim:
            nvim.command(f"edit {folder / 'a.py'}")
            marks = "#vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().lazydap or 0, 0, -1, {}) >= 50"
            wait_for(nvim, f"return vim.api.nvim_get_namespaces().lazydap ~= nil and {marks}")
            for _ in range(RUNS):
                # Most of the time Neovim does what it does for any Python file.
                without = _opening(nvim, folder / "b.py", "true")
                samples.append(_opening(nvim, folder / "a.py", marks) - without)
    return row(
        "opening a file with 50 breakpoints, more than one without",
        samples,
        "ms",
        "<= 5 ms",
        lambda p50: p50 <= FIFTY_TARGET_MS,
    )


def _opening(nvim: Any, file: Path, drawn: str) -> float:
    code = (
        "vim.cmd('bwipeout!') local began = vim.uv.hrtime() vim.cmd.edit(...) "
        f"local took = (vim.uv.hrtime() - began) / 1e6 assert({drawn}) return took"
    )
    return nvim.exec_lua(code, str(file))


DRAWN = """
local path, line = ...
vim.api.nvim_win_set_cursor(0, { line, 0 })
vim.cmd('normal! zb')
vim.cmd.redraw()
local variables = {}
for number = 1, 100 do
  variables[number] = { 'name' .. number, tostring(line), 'int', false }
end
local entry = { root = vim.fs.dirname(path), path = path, line = line, name = 'work', stop = line }
entry.variables = variables
require('lazydap.state').take({ values = { entry } })
local options, buffer = require('lazydap.config').get(), vim.api.nvim_get_current_buf()
local began = vim.uv.hrtime()
require('lazydap.values').draw(buffer, options)
local took = (vim.uv.hrtime() - began) / 1e6
local is_drawn = vim.iter(vim.api.nvim_get_namespaces()):any(function(_, id)
  return #vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true }) > 0
end)
assert(is_drawn, 'nothing was drawn')
return took
"""


def _naming() -> Row:
    samples: list[float] = []
    with tempfile.TemporaryDirectory(prefix="lzb") as name:
        file = (Path(name) / "a.py").resolve()
        lines = (f"    name{number % 100 + 1} = name{number % 37 + 1} + {number}\n" for number in range(LONG_FILE))
        file.write_text("def work():\n" + "".join(lines))
        with editor(Path(name)) as nvim:
            nvim.command(f"edit {file}")
            # Each at another line, so that nothing found before is of use.
            samples.extend(nvim.exec_lua(DRAWN, str(file), LONG_FILE - 3 * run) for run in range(RUNS))
    return row(
        "names of 100 values found in a file of 20,000 lines",
        samples,
        "ms",
        "<= 2 ms",
        lambda p50: p50 <= NAMING_TARGET_MS,
    )
