"""Owns a Neovim under test, in the words of a person in front of it: signs, values, cursor, messages, lists."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import psutil
import pynvim

from tests.editor.screen import Terminal

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 10.0
"""How long a person's wish may take before a test calls it lost; only the unlucky wait this long."""

_START_SECONDS = 10.0
_EXIT_SECONDS = 5.0
_POLL_SECONDS = 0.01

T = TypeVar("T")

_INIT = """
vim.g.loaded_perl_provider, vim.g.loaded_ruby_provider = 0, 0
vim.g.loaded_node_provider, vim.g.loaded_python3_provider = 0, 0
vim.opt.runtimepath:prepend({root})
vim.o.more, vim.o.swapfile, vim.o.shadafile = false, false, 'NONE'
vim.o.signcolumn = 'yes'
"""

_SIGNS = """
local ns = vim.api.nvim_create_namespace('lazydap')
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
  local details = mark[4]
  local virtual = {}
  for _, chunk in ipairs(details.virt_text or {}) do virtual[#virtual + 1] = { chunk[1], chunk[2] } end
  if not details.invalid then
    found[#found + 1] = { line = mark[2] + 1, text = details.sign_text or '', group = details.sign_hl_group or '',
      number = details.number_hl_group or '', whole_line = details.line_hl_group or '',
      priority = details.priority or 0, virtual = virtual }
  end
end
return found
"""

_QUICKFIX = """
return vim.tbl_map(function(item)
  return { path = item.bufnr > 0 and vim.api.nvim_buf_get_name(item.bufnr) or '', line = item.lnum, text = item.text,
    id = type(item.user_data) == 'table' and item.user_data.lazydap_id or vim.NIL }
end, vim.fn.getqflist())
"""

_PANE = """
local buffer = vim.fn.bufnr('^lazydap://' .. ... .. '$')
if buffer < 0 or #vim.fn.win_findbuf(buffer) == 0 then return {} end
return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
"""

_FLOAT = """
for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  end
end
return {}
"""


def eventually(ask: Callable[[], T], is_right: Callable[[T], bool], *, what: str, seconds: float = SECONDS) -> T:
    """Ask again and again until the answer is right; AssertionError names `what` and the last answer."""
    deadline = time.monotonic() + seconds
    while not is_right(answer := ask()):
        if time.monotonic() > deadline:
            complaint = f"{what}; after {seconds:g} s it still is: {answer!r}"
            raise AssertionError(complaint)
        time.sleep(_POLL_SECONDS)  # noqa: TID251 - the one place that polls
    return answer


class Editor:
    """A Neovim with the plugin on its runtimepath, and a link to it.

    `terminal=True` gives it a screen (`screen`), otherwise it is headless. The environment decides about all its
    folders; LAZYDAP_RUNTIME_DIR and XDG_CONFIG_HOME must be set in it, so that nobody's own are touched. `init` is Lua
    that runs before the plugin is loaded.

    `close` ends the editor, and fails when a Lua error was seen or a process of the editor's outlives it. Daemons may
    outlive it: see `end_daemons`.
    """

    def __init__(
        self,
        *files: str | Path,
        cwd: Path,
        environ: Mapping[str, str] | None = None,
        init: str = "",
        terminal: bool = False,
        columns: int = 80,
        lines: int = 24,
        nvim: str | None = None,
    ) -> None:
        self.environ = dict(os.environ if environ is None else environ)
        for name in ("LAZYDAP_RUNTIME_DIR", "XDG_CONFIG_HOME"):
            if name not in self.environ:
                complaint = f"{name} is not set: this editor would use a person's own folders"
                raise RuntimeError(complaint)
        self.allow_errors = False
        self.screen: Terminal | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="le", dir="/tmp"))
        address = self._folder / "s"
        init_file = self._folder / "init.lua"
        init_file.write_text(_INIT.format(root=json.dumps(str(ROOT))) + init)
        argv = [nvim or nvim_command(), "-n", "-u", str(init_file), "--listen", str(address), *map(str, files)]
        if terminal:
            self.screen = Terminal(argv, environ=self.environ, cwd=cwd, columns=columns, lines=lines)
            self._process = self.screen.process
        else:
            argv.insert(1, "--headless")
            self._process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            self._nvim: Any = self._attach(address)
        except BaseException:
            self._process.kill()
            self._process.wait(_EXIT_SECONDS)
            raise
        self.pid: int = self._nvim.funcs.getpid()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.allow_errors = True
        self.close()

    # What a person does

    def command(self, command: str) -> None:
        """Carry out an Ex command; Neovim's error becomes pynvim's."""
        self._nvim.command(command)

    def type(self, keys: str) -> None:
        """Type keys as in a mapping (`<F10>`, `<CR>`); they are worked off after this call."""
        self._nvim.input(keys)

    def edit(self, path: str | Path) -> None:
        """Open a file in the current window."""
        self._nvim.command(f"edit {self._nvim.funcs.fnameescape(str(path))}")

    def go_to(self, line: int) -> None:
        """Put the cursor on a line."""
        self._nvim.funcs.cursor(line, 1)

    def lua(self, code: str, *args: Any) -> Any:
        """Run Lua in the editor; `...` are the arguments."""
        return self._nvim.exec_lua(code, *args)

    def apply(self, batch: Mapping[str, Any]) -> None:
        """Let the plugin draw a batch, as the host would."""
        self.lua("require('lazydap.draw').apply(...)", json.dumps(batch))

    # What a person sees

    def marks(self) -> list[dict[str, Any]]:
        """Everything the plugin has drawn into the current buffer."""
        return list(self.lua(_SIGNS))

    def signs(self) -> dict[int, str]:
        """The signs of the current buffer by line, without blanks at their ends."""
        drawn = sorted((mark for mark in self.marks() if mark["text"].strip()), key=lambda mark: mark["priority"])
        return {mark["line"]: mark["text"].rstrip() for mark in drawn}

    def expect_sign(self, line: int, text: str) -> None:
        """Wait until exactly this sign stands on the line: `▶`, `●`, `▶●`, `◇?`."""
        eventually(self.signs, lambda signs: signs.get(line) == text, what=f"the sign of line {line} becomes {text}")

    def expect_no_sign(self, line: int | None = None, text: str = "") -> None:
        """Wait until no sign that contains `text` stands on the line, or on any line."""
        eventually(
            self.signs,
            lambda signs: not any(text in sign for at, sign in signs.items() if line in {None, at}),
            what=f"no sign {text} on {'any line' if line is None else f'line {line}'}",
        )

    def virtual_texts(self) -> dict[int, str]:
        """What stands behind the lines of the current buffer."""
        texts: dict[int, str] = {}
        for mark in sorted(self.marks(), key=lambda mark: mark["priority"]):
            text = "".join(chunk[0] for chunk in mark["virtual"])
            if text:
                texts[mark["line"]] = texts.get(mark["line"], "") + text
        return {line: text.strip() for line, text in texts.items()}

    def expect_virtual_text(self, line: int, text: str) -> None:
        """Wait until `text` is part of what stands behind the line."""
        eventually(
            self.virtual_texts, lambda texts: text in texts.get(line, ""), what=f"{text!r} stands behind line {line}"
        )

    def expect_no_virtual_text(self, text: str = "") -> None:
        """Wait until `text` (or anything at all) stands behind no line."""
        eventually(
            self.virtual_texts,
            lambda texts: not any(text in shown for shown in texts.values()),
            what=f"no line has {text!r} behind it",
        )

    def groups(self, line: int) -> set[str]:
        """The highlight groups of the values and words behind a line."""
        chunks = [chunk for mark in self.marks() if mark["line"] == line for chunk in mark["virtual"]]
        return {group for text, group in chunks if text.strip()}

    def cursor(self) -> tuple[str, int]:
        """The real path of the current buffer's file and the cursor's line."""
        name = self._nvim.funcs.expand("%:p")
        return os.path.realpath(name) if name else "", self._nvim.funcs.line(".")

    def expect_cursor(self, path: str | Path, line: int) -> None:
        """Wait until the cursor is there."""
        wanted = (os.path.realpath(path), line)
        eventually(self.cursor, lambda cursor: cursor == wanted, what=f"the cursor goes to {wanted}")

    def messages(self) -> list[str]:
        """What was said since the start, one entry a line."""
        return [line for line in self._nvim.funcs.execute("messages").split("\n") if line]

    def expect_message(self, part: str) -> str:
        """Wait until a message contains `part`; returns it."""
        said = eventually(self.messages, lambda lines: any(part in line for line in lines), what=f"{part!r} is said")
        return next(line for line in said if part in line)

    def quickfix(self) -> list[dict[str, Any]]:
        """The current quickfix list: path, line, text, id of each entry."""
        return list(self.lua(_QUICKFIX))

    def quickfix_title(self) -> str:
        """The title of the current quickfix list."""
        return self._nvim.funcs.getqflist({"title": 1})["title"]

    def expect_quickfix(self, title: str, texts: list[str]) -> None:
        """Wait until the current quickfix list has this title and these texts."""
        eventually(
            lambda: (self.quickfix_title(), [item["text"] for item in self.quickfix()]),
            lambda shown: shown == (title, texts),
            what=f"the quickfix list becomes {title!r} {texts}",
        )

    def pane(self, name: str) -> list[str]:
        """The lines of a pane; none when it is not shown."""
        return list(self.lua(_PANE, name))

    def expect_pane(self, name: str, lines: list[str]) -> None:
        """Wait until the pane shows exactly these lines; none: until it is gone."""
        eventually(lambda: self.pane(name), lambda shown: shown == lines, what=f"the pane {name} shows {lines}")

    def float(self) -> list[str]:
        """The lines of the floating window; none when there is none."""
        return list(self.lua(_FLOAT))

    def expect_float(self, lines: list[str]) -> None:
        """Wait until the floating window shows exactly these lines; none: until it is gone."""
        eventually(self.float, lambda shown: shown == lines, what=f"the float shows {lines}")

    def mode(self) -> str:
        """Neovim's short name of the mode."""
        return self._nvim.api.get_mode()["mode"]

    def is_free(self) -> bool:
        """Whether the editor waits in plain normal mode, in a window for text."""
        return bool(self.lua("return require('lazydap.moment').is_free()"))

    def eval(self, expression: str) -> Any:
        """The value of a Vimscript expression."""
        return self._nvim.eval(expression)

    def host_pid(self) -> int | None:
        """The plugin host's process id; None when none runs."""
        return self.lua("return package.loaded['lazydap.host'] and require('lazydap.host').pid()")

    # How it ends

    def kill(self) -> None:
        """Kill -9 the editor, as a crash would."""
        children = _children(self.pid)
        os.kill(self.pid, signal.SIGKILL)
        self._finish(children)

    def leave(self) -> None:
        """End the editor by `:qa`, which leaves nothing behind that was not saved; AssertionError when it stays."""
        children = _children(self.pid)
        with contextlib.suppress(OSError, EOFError):
            self._nvim.command("qa")
        eventually(self._process.poll, lambda code: code is not None, what="Neovim ends")
        self._finish(children)

    def close(self) -> None:
        """End the editor; AssertionError for Lua errors that were seen and for processes that stay."""
        if self._is_closed:
            return
        children = _children(self.pid)
        problems: list[str] = []
        try:
            if self._nvim.api.get_mode()["blocking"]:
                # A question stands on the screen: until it is answered nothing else is.
                self._nvim.input("<CR>")
                problems = ["a hit-enter prompt or another question was open at the end"]
            if not self.allow_errors:
                problems += [line for line in self.messages() if _is_error(line)]
            self._nvim.command("qa!")
        except (OSError, EOFError):
            pass
        self._finish(children)
        if problems:
            complaint = f"the editor showed errors: {problems}"
            raise AssertionError(complaint)

    def _finish(self, children: list[psutil.Process]) -> None:
        self._is_closed = True
        with contextlib.suppress(OSError, EOFError):
            # The end of the stream is read here, or closing the link leaves an open transport behind.
            while True:
                self._nvim.next_message()
        self._nvim.close()
        try:
            self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_EXIT_SECONDS)
        if self.screen is not None:
            self.screen.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        left = wait_ended(children, _EXIT_SECONDS)
        if left and not self.allow_errors:
            complaint = f"the editor is closed, but these run on: {left}"
            raise AssertionError(complaint)

    def _attach(self, address: Path) -> Any:
        def is_there(_: object) -> bool:
            if self._process.poll() is not None:
                complaint = f"Neovim ended with {self._process.returncode} before it listened"
                raise AssertionError(complaint)
            return listens(address)

        eventually(lambda: None, is_there, what="Neovim listens", seconds=_START_SECONDS)
        link: Any = pynvim.attach("socket", path=str(address))
        # A socket is answered while start-up still runs; what it has not loaded yet would be missing.
        eventually(lambda: link.eval("v:vim_did_enter"), lambda done: done == 1, what="Neovim has started")
        return link


def nvim_command() -> str:
    """The Neovim to test: of our own environment, else on PATH."""
    own = Path(sys.executable).parent / "nvim"
    found = str(own) if own.exists() else shutil.which("nvim")
    if found is None:
        complaint = "no nvim found: make setup installs one"
        raise RuntimeError(complaint)
    return found


def end_daemons(*folders: Path, seconds: float = 8.0) -> list[str]:
    """End the daemons whose pid files lie in these folders; returns a line for each that had to be killed."""
    files = [file for folder in folders for file in sorted(folder.glob("**/*.pid"))]
    daemons = [process for file in files if (process := _daemon(file)) is not None]
    for process in daemons:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    stubborn = wait_ended(daemons, seconds)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    return [f"daemon {process.pid} did not end within {seconds:g} s" for process in stubborn]


def wait_ended(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Those of them that still run after `seconds`; returns as soon as none does.

    One that only waits to be reaped has ended: the init process of a container may take seconds for that.
    """
    deadline = time.monotonic() + seconds
    while (left := [process for process in processes if not has_ended(process)]) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)  # noqa: TID251 - it polls with a deadline
    return left


def has_ended(process: psutil.Process) -> bool:
    """Whether the process does nothing any more, reaped or not."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _daemon(pid_file: Path) -> psutil.Process | None:
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
        return process if "lazydap" in " ".join(process.cmdline()) else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def listens(path: Path) -> bool:
    # The file is there a moment before anybody listens on it.
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def _children(pid: int) -> list[psutil.Process]:
    """The processes below `pid`, without daemons and what is theirs: those may outlive an editor."""
    try:
        below = psutil.Process(pid).children()
    except psutil.NoSuchProcess:
        return []
    own = [child for child in below if not _is_daemon(child)]
    return own + [process for child in own for process in _children(child.pid)]


def _is_daemon(process: psutil.Process) -> bool:
    try:
        return any("lazydap_daemon" in word or word.endswith("fakes/daemon.py") for word in process.cmdline())
    except psutil.Error:
        return False


def _is_error(message: str) -> bool:
    return message.startswith(("Error", "E5108", "E5107", "E5101")) or "drawing failed" in message
