"""Owns the argparse parsers made from the grammar; knows no command's work and prints nothing.

Only the parser of the command that was typed is built: a whole tree costs more than the command's own request.
"""

import argparse
from typing import Any, Protocol

from lazydap_cli.grammar.options import GLOBAL_OPTIONS
from lazydap_cli.grammar.tree import COMMANDS
from lazydap_cli.grammar.words import Command, Group, Operand, Option
from lazydap_core.errors import UsageError

ABOUT = "Debug a program; the session belongs to the project, not to a terminal."


class Words(Protocol):
    """What words can be added to: a parser, or a part of one."""

    def add_argument(self, *names: str, **keys: Any) -> argparse.Action:
        """As argparse has it."""
        ...


class HelpWanted(Exception):  # noqa: N818  # Not an error: it carries the answer.
    """`--help` was met; `text` is the help of that command."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class CommandParser(argparse.ArgumentParser):
    """An argparse parser that raises UsageError, with the kind of mistake in its details, where argparse would exit."""

    def __init__(self, command: Command) -> None:
        super().__init__(
            prog=f"lazydap {command.name}",
            usage=usage(command),
            description=command.about,
            epilog=f"Example:\n  {command.example}",
            formatter_class=_HelpFormatter,
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self.command = command
        if command.operands:
            group = self.add_argument_group("Arguments")
            for operand in command.operands:
                add_operand(group, operand)
        options = self.add_argument_group("Options")
        for option in (*command.options, *GLOBAL_OPTIONS):
            add_option(options, option)
        add_help(options)

    def error(self, message: str) -> Any:
        """Raise UsageError; argparse calls this where it has no better name for the mistake."""
        raise UsageError(message, kind="UnknownArgument")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: " if prefix is None else prefix)


class _Help(argparse.Action):
    def __init__(self, **more: Any) -> None:
        super().__init__(
            more["option_strings"], argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=more["help"]
        )

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        raise HelpWanted(parser.format_help())


class _Given(argparse.Action):
    """Stores an option's value as its `read` makes it; an option that is not repeatable may come once."""

    def __init__(self, option: Option, **more: Any) -> None:
        super().__init__(**more)
        self.option = option

    def __call__(self, *call: Any, **_: Any) -> None:
        _parser, namespace, values, *_option_string = call
        value = True if self.option.value is None else read_value(self.option, values)
        earlier = getattr(namespace, self.dest, None)
        if self.option.repeatable:
            value = (*(earlier or ()), value)
        elif earlier is not None:
            raise UsageError(f"`{self.option.flag}` is given twice; give it once", kind="ArgumentConflict")
        setattr(namespace, self.dest, value)


def read_value(option: Option, word: str) -> object:
    """The value that `word` means for `option`; UsageError when it means none."""
    if option.choices and word not in option.choices:
        raise UsageError(
            f"`{word}` is no value for `{option.flag}`: use one of {', '.join(option.choices)}", kind="InvalidValue"
        )
    if option.read is None:
        return word
    try:
        return option.read(word)
    except ValueError as error:
        raise UsageError(f"`{word}` is no value for `{option.flag}`: {error}", kind="ValueValidation") from None


def usage(command: Command) -> str:
    """The usage line of a command, without the word `Usage`."""
    parts = ["lazydap", command.name, "[OPTIONS]", *(option.shown for option in command.options if option.required)]
    for operand in command.operands:
        parts.append(f"<{operand.shown}>" if operand.required else f"[{operand.shown}]")
        if operand.trailing is not None:
            parts.append(f"[-- <{operand.trailing}>...]")
    return " ".join(parts)


def overview(group: Group | None) -> str:
    """The help of `lazydap` itself, or of a group of commands."""
    entries = COMMANDS if group is None else group.commands
    head = (
        f"{ABOUT}\n\nUsage: lazydap [OPTIONS] [COMMAND]"
        if group is None
        else f"{group.about}\n\nUsage: lazydap {group.word} [OPTIONS] <COMMAND>"
    )
    rows = [(", ".join((_word(entry), *entry.aliases)), entry.about) for entry in entries]
    if group is None:
        rows.append(("help", "Print the help of a command"))
    options = [(option.shown, option.about) for option in GLOBAL_OPTIONS]
    options.append(("-h, --help", "Print this help"))
    if group is None:
        options.append(("-V, --version", "Print the version"))
    width = max(len(name) for name, _ in (*rows, *options))
    lines = [head, "", "Commands:", *(f"  {name:<{width}}  {about}" for name, about in rows)]
    lines += ["", "Options:", *(f"  {name:<{width}}  {about}" for name, about in options)]
    more = "lazydap help COMMAND" if group is None else f"lazydap help {group.word} COMMAND"
    return "\n".join([*lines, "", f"`{more}` says more about one of them, with an example.", ""])


def _word(entry: Command | Group) -> str:
    return entry.word if isinstance(entry, Group) else entry.words[-1]


def add_operand(parser: Words, operand: Operand) -> argparse.Action:
    """Make `parser` take `operand`."""
    about = f"{operand.about}: {', '.join(operand.choices)}" if operand.choices else operand.about
    # Never required in argparse's own eyes: an unknown option is the more useful thing to hear about first.
    return parser.add_argument(operand.key, metavar=f"<{operand.shown}>", nargs="?", help=about)


def add_option(parser: Words, option: Option) -> argparse.Action:
    """Make `parser` take `option`; the value is None where it is not given."""
    keys: dict[str, Any] = {"nargs": 0} if option.value is None else {"metavar": f"<{option.value}>"}
    about = f"{option.about}: {', '.join(option.choices)}" if option.choices else option.about
    return parser.add_argument(
        option.flag, action=_Given, option=option, dest=option.key, default=None, help=about.replace("%", "%%"), **keys
    )


def add_help(parser: Words) -> None:
    """Make `parser` answer `--help` by raising HelpWanted."""
    parser.add_argument("-h", "--help", action=_Help, help="Print this help")
