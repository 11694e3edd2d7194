"""Keys and marks are given back for real, whichever process died under the session."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.editor.editor import Editor, eventually
from tests.editor.real import SLOW, break_at, debuggee, launch
from tests.fixtures.debuggees import COUNTS
from tests.house.surroundings import Folders

Start = Callable[..., Editor]

pytestmark = pytest.mark.timeout(120)
KEYS = ("K", "+", "-", "<F5>", "<F9>", "<F10>", "<F11>", "<F12>", "<F17>")


def taken(editor: Editor) -> list[str]:
    """The debug keys that are mapped in any buffer of a file."""
    code = """
      local keys, found = { ... }, {}
      for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
        for _, map in ipairs(vim.api.nvim_buf_get_keymap(buffer, 'n')) do
          if (map.desc or ''):find('^lazydap: ') then found[#found + 1] = map.lhs end
        end
      end
      return found
    """
    return list(editor.lua(code, *KEYS))


@pytest.mark.parametrize("ending", ["exit", "stop", "host", "daemon", "adapter"])
def test_no_key_and_no_arrow_is_left_however_the_session_ended(
    start_editor: Start, project: Path, private_folders: Folders, ending: str
) -> None:
    made = debuggee("debugpy", COUNTS, project)
    call = made.line("call")
    other = project / "other.py"
    other.write_text("one = 1\n")
    editor = start_editor(made.file, init="vim.g.lazydap = { debug_keys = true }\n")
    editor.command("nnoremap <buffer> K :let g:mine = 1<CR>")
    break_at(editor, call)
    launch(editor, made.command)
    editor.expect_sign(call, "▶●")
    # In a buffer that is opened later as well.
    editor.command(f"split {other} | wincmd p")
    eventually(lambda: len(taken(editor)), lambda count: count == 2 * (len(KEYS) + 1), what="the keys are taken")
    [pid_file] = private_folders.data.glob("**/*.pid")
    daemon = psutil.Process(int(pid_file.read_text()))
    match ending:
        case "exit":
            editor.command(f"{call}LazydapBreak!")
            editor.command("LazydapContinue")
        case "stop":
            editor.command("LazydapStop")
        case "host":
            os.kill(editor.host_pid() or 0, signal.SIGKILL)
        case "daemon":
            daemon.kill()
        case _:
            for child in daemon.children(recursive=True):
                # The adapter's end is the end of those below it.
                with suppress(psutil.NoSuchProcess):
                    child.kill()
    eventually(lambda: taken(editor), lambda keys: keys == [], what="every key is given back", seconds=SLOW)
    editor.expect_no_sign(text="▶")
    assert "mine" in editor.eval("maparg('K', 'n')")
    editor.command("LazydapStatus")
    if ending != "exit":
        editor.expect_sign(call, "▶●" if ending == "host" else "●")
