"""Owns the pictures of the README: a screen of the demo, with its colours, as an SVG file."""

import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FOLDER = Path(__file__).resolve().parents[2] / "doc" / "pictures"
# Neovim's own dark background and foreground; the sixteen colours are hardly used by it.
THEME = TerminalTheme(
    (20, 22, 27),
    (224, 226, 234),
    [(7, 8, 13), (255, 192, 185), (179, 246, 192), (252, 224, 148)] * 2,
)
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def draw(name: str, title: str, screen: str, columns: int) -> Path:
    """Write `screen`, a text with a terminal's colours; returns the file, which needs no other."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text.from_ansi(screen), no_wrap=True, overflow="crop")
        svg = console.export_svg(title=title, theme=THEME, unique_id=name)
    path = FOLDER / f"{name}.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(_FONTS.sub("", svg).replace("Fira Code", "ui-monospace, Menlo, Consolas, monospace"))
    return path
