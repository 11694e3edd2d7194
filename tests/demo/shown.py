"""Owns the demo without a terminal: plays a person in a real Neovim and prints the screens that person would see."""

from collections.abc import Callable, Mapping

from tests.demo.examples import Example
from tests.editor.editor import Editor, eventually
from tests.editor.screen import Terminal

COLUMNS, LINES = 96, 30
PANE = 40
"""Columns of the pane of variables."""
SECONDS = 60.0
"""How long a screen may take to come: the first launch starts host, daemon, adapter and program."""

ARROW = "▶"
INIT = "vim.o.number, vim.o.laststatus = true, 2\n"

Say = Callable[[str], None]
Draw = Callable[[str, str, str, int], object]
Rows = list[str]


def show(example: Example, environ: Mapping[str, str], say: Say, draw: Draw | None = None) -> None:
    """Play the demo for one program; `draw` gets its name, a title, the screen of the first stop and its width.

    AssertionError names what did not appear, after the screen has been printed.
    """
    say(f"$ nvim {example.file.name}")
    with _opened(example, environ) as editor:
        screen = _Screen(editor, say)
        screen.type(f":{example.line}")
        screen.type(":LazydapBreak")
        screen.wait(f"● beside line {example.line}", lambda rows: _starts(rows, "●", example.code))
        screen.type(f":{example.launch}")
        screen.wait(f"{ARROW}● beside line {example.line}", lambda rows: _starts(rows, f"{ARROW}●", example.code))
        screen.wait(f"'{example.value}' beside it", lambda rows: _stands(rows, example.value))
        screen.show(f"{example.language}: launched, stopped at the breakpoint, values beside the lines")
        if draw is not None:
            draw(example.language.lower(), f"nvim {example.file.name}", screen.colored(), COLUMNS)

        screen.type(":LazydapStep")
        screen.wait(f"{ARROW} further down", lambda rows: _arrow(rows) and not _starts(rows, ARROW, example.code))
        screen.wait(f"'{example.next_value}' beside it", lambda rows: _stands(rows, example.next_value))
        screen.type(":LazydapStack")
        screen.wait(f"the caller {example.caller} in the quickfix list", lambda rows: _lists(rows, example.caller))
        screen.show(f"{example.language}: one step further, with the stack in the quickfix list")
        place = _arrow(screen.rows())
        screen.type(":cclose")
        screen.type(":LazydapUI")
        screen.wait(f"'{example.next_value}' in the pane of variables", lambda rows: _holds(rows, example.next_value))
        screen.wait(f"{ARROW} in the window beside it", lambda rows: any(ARROW in row[PANE:] for row in rows))
        screen.wait("the pane of output below", lambda rows: any("lazydap://output" in row for row in rows))
        screen.show(f"{example.language}: the same, with variables and output in panes")
        editor.kill()

    say(f"The editor is killed. The program lives on, and so does the stop:\n$ nvim {example.file.name}")
    with _opened(example, environ) as editor:
        screen = _Screen(editor, say)
        screen.wait(f"{ARROW} again at '{place}'", lambda rows: _arrow(rows) == place)
        screen.show(f"{example.language}: another editor, the same stop")
        screen.type(":LazydapStop")
        screen.wait(f"no {ARROW} any more", lambda rows: not _arrow(rows))


class _Screen:
    """What stands on an editor's screen, and ways to wait for it and to print it."""

    def __init__(self, editor: Editor, say: Say) -> None:
        if editor.screen is None:
            raise RuntimeError("the demo needs an editor with a terminal")
        self._editor = editor
        self._terminal: Terminal = editor.screen
        self._say = say

    def rows(self) -> Rows:
        return self._terminal.rows()

    def colored(self) -> str:
        """The screen with its colours, without the empty rows at its end."""
        return "\n".join(self._terminal.colored().split("\n")[: len(_shown(self.rows()))])

    def type(self, command: str) -> None:
        """Type an Ex command and Enter."""
        self._say(f"  {command}")
        self._editor.type(f"{command}<CR>")

    def wait(self, what: str, is_there: Callable[[Rows], object]) -> None:
        """Wait until the screen shows it; AssertionError, after the screen was printed, when it does not come."""
        try:
            eventually(self.rows, lambda rows: bool(is_there(rows)), what=what, seconds=SECONDS)
        except AssertionError:
            self.show(f"This is what was there instead of {what}")
            for line in self._editor.messages():
                self._say(f"  message: {line}")
            raise AssertionError(f"the screen never showed {what}") from None

    def show(self, caption: str) -> None:
        """Print the screen in a frame."""
        rows = _shown(self.rows())
        frame = [f"│{row.ljust(COLUMNS)}│" for row in rows]
        self._say("\n".join(["", caption, f"╭{'─' * COLUMNS}╮", *frame, f"╰{'─' * COLUMNS}╯", ""]))


def _opened(example: Example, environ: Mapping[str, str]) -> Editor:
    return Editor(
        example.file, cwd=example.root, environ=environ, terminal=True, columns=COLUMNS, lines=LINES, init=INIT
    )


def _shown(rows: Rows) -> Rows:
    while rows and not rows[-1]:
        rows = rows[:-1]
    return rows


def _starts(rows: Rows, sign: str, code: str) -> bool:
    return any(code in row and row.startswith(sign) for row in rows)


def _stands(rows: Rows, value: str) -> bool:
    """Whether the value stands on the line with the arrow."""
    return any(row.startswith(ARROW) and value in row for row in rows)


def _holds(rows: Rows, value: str) -> bool:
    """Whether the pane at the left shows the value."""
    return any(value in row[:PANE] for row in rows)


def _arrow(rows: Rows) -> str:
    """Line number and beginning of the code beside the arrow; empty where no arrow is."""
    return next((row[2:30].strip() for row in rows if row.startswith(ARROW)), "")


def _lists(rows: Rows, name: str) -> bool:
    """Whether the window below the code, behind the first status line, names it."""
    first = next((number for number, row in enumerate(rows) if "Lazydap stack" in row), None)
    return first is not None and any(name in row for row in rows if "|" in row)
