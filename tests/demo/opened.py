"""Owns the demo at a terminal: a Neovim that is already stopped in a program, for a person to go on with."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.demo.examples import Example
from tests.editor.editor import ROOT, nvim_command

HINT = "F10 over  F11 in  F12 out  F5 go on  F9 breakpoint  Shift-F5 stop  :LazydapStack  :qa"

# Commands are given once the file is there, as a person would; the hint stays in sight above the code.
INIT = """
vim.opt.runtimepath:prepend({root})
vim.o.swapfile, vim.o.shadafile, vim.o.number, vim.o.signcolumn = false, 'NONE', true, 'yes'
vim.g.lazydap = {{ debug_keys = true }}
vim.api.nvim_create_autocmd('VimEnter', {{
  once = true,
  callback = vim.schedule_wrap(function()
    vim.wo.winbar = {hint}
    vim.cmd('{line}')
    vim.cmd('LazydapBreak')
    vim.cmd({launch})
  end),
}})
"""


def open_editor(example: Example, environ: Mapping[str, str], folder: Path) -> int:
    """Run Neovim on the terminal we stand on; returns its exit code when the person has left it."""
    init = folder / "init.lua"
    init.write_text(
        INIT.format(
            root=json.dumps(str(ROOT)), hint=json.dumps(HINT), line=example.line, launch=json.dumps(example.launch)
        )
    )
    command = [nvim_command(), "-n", "-u", str(init), str(example.file)]
    return subprocess.call(command, cwd=example.root, env=dict(environ))
