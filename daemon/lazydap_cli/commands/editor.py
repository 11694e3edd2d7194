"""Owns `tui`: becoming a Neovim with the plugin, on this project."""

import os
import sys
from typing import Final, NoReturn

from lazydap_cli import session, streams
from lazydap_cli.call import Call
from lazydap_cli.neovim import find_neovim
from lazydap_cli.runtime import runtime_folder
from lazydap_core.errors import UsageError
from lazydap_core.protocol import requests, responses

# After the user's own configuration: only then it is known whether it brings the plugin, now or on first use.
_PREPARE: Final = """
local folder, python = %s, %s
if vim.fn.exists(':Lazydap') ~= 2 then
  vim.opt.runtimepath:append(folder)
  vim.cmd.source(vim.fs.joinpath(folder, 'plugin', 'lazydap.lua'))
end
vim.g.lazydap = vim.tbl_extend('keep', vim.g.lazydap or {}, { python = python })
"""


def open_editor(call: Call) -> NoReturn:
    """Replace this process by Neovim in the project's root; where the program is stopped, it opens there."""
    if not (streams.is_terminal(streams.STDIN) and streams.is_terminal(streams.STDOUT)):
        raise UsageError("`lazydap tui` needs a terminal: in a script use the other commands, see `lazydap skill`")
    neovim = find_neovim(call.environ)
    folder = runtime_folder()
    with call.connect() as client:
        state = session.asked(client, requests.Status(), responses.Status).session
    environ = dict(call.environ)
    if call.invocation.instance is not None:
        environ["LAZYDAP_INSTANCE"] = call.places.instance
    os.chdir(call.places.root)
    command = [str(neovim.path), "-c", _prepared(str(folder), sys.executable)]
    if state is not None and state.state == "paused":
        command += ["-c", "LazydapHere"]
    os.execve(neovim.path, command, environ)  # noqa: S606  # the nvim of the user's own PATH


def _prepared(folder: str, python: str) -> str:
    lines = (_PREPARE % (_lua(folder), _lua(python))).split("\n")
    return "lua " + " ".join(line.strip() for line in lines if line)


def _lua(text: str) -> str:
    # Long brackets: nothing in a path needs escaping in them.
    level = 0
    while f"]{'=' * level}]" in text + "]":
        level += 1
    return f"[{'=' * level}[{text}]{'=' * level}]"
