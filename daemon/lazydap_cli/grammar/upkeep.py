"""Owns the words of the commands that are about lazydap itself."""

from typing import Final

from lazydap_cli import values
from lazydap_cli.grammar.words import Command, Group, Operand, Option

SHELLS = ("bash", "fish", "powershell", "tcsh", "zsh")

TUI = Command(
    ("tui",), "Open Neovim with the plugin on this project", "editor:open_editor", "lazydap tui", prints="text"
)

COMMANDS: Final[tuple[Command | Group, ...]] = (
    Command(
        ("logs",),
        "Show the daemon's log",
        "logs:run",
        "lazydap logs --level error --limit 20",
        options=(
            Option("--limit", "The last so many lines (200)", value="LIMIT", read=values.u64),
            Option("--level", "Only lines that hold this word", value="LEVEL"),
            Option("--follow", "Go on printing as lines come, until interrupted"),
            Option("--purge", "Delete the log"),
        ),
        conflicts=(("--purge", "--follow"), ("--purge", "--limit")),
        prints="rows",
        turned_by="--purge",
    ),
    Command(
        ("doctor",),
        "Check everything lazydap needs, with a cure for what fails",
        "doctor:run",
        "lazydap doctor --check-adapters",
        options=(
            Option("--check-adapters", "Only the debug adapters"),
            Option("--check-state", "Only the project's state file"),
        ),
        prints="rows",
    ),
    Command(("version",), "Show the versions of lazydap and its protocol", "about:version", "lazydap version"),
    Command(
        ("completions",),
        "Print a completion script for a shell",
        "about:completions",
        "lazydap completions fish > ~/.config/fish/completions/lazydap.fish",
        operand=Operand("shell", "SHELL", "The shell", choices=SHELLS),
        prints="text",
    ),
    Command(("skill",), "Print the guide for scripts and agents", "about:skill", "lazydap skill", prints="text"),
    TUI,
    Command(
        ("daemon",),
        "Run the daemon itself, in the foreground",
        "service:run",
        "lazydap daemon",
        options=(Option("--foreground", "Accepted for older scripts; it always is"),),
        prints="text",
    ),
)
