"""Owns how the words typed become one call of one command; knows nothing of daemons and prints nothing."""

import argparse
from collections.abc import Mapping, Sequence

import msgspec

from lazydap_cli.grammar.options import FORMATS, GLOBAL_OPTIONS
from lazydap_cli.grammar.tree import COMMANDS
from lazydap_cli.grammar.upkeep import TUI
from lazydap_cli.grammar.words import Command, Group, Option, named
from lazydap_cli.parsers import CommandParser, HelpWanted, overview, read_value
from lazydap_core.errors import UsageError


class Invocation(msgspec.Struct, frozen=True):
    """A command and what was said to it. `format` is None where nobody chose one; `words` are those after `--`."""

    command: Command
    values: Mapping[str, object]
    format: str | None
    instance: str | None
    words: tuple[str, ...] = ()

    @property
    def prints_rows(self) -> bool:
        """Whether what comes of it is a list, or text to which a format does nothing."""
        command = self.command
        is_turned = command.turned_by is not None and bool(self.values[command.turned_by.lstrip("-")])
        return command.prints == "text" or (command.prints == "rows") is not is_turned


class Text(msgspec.Struct, frozen=True):
    """An answer that needs no command: help, or the version."""

    text: str


def read(argv: Sequence[str], *, bare_opens_editor: bool, version: str) -> Invocation | Text:
    """What `argv` (without the program's name) asks for; nothing at all asks for the editor, or else for help.

    Raises UsageError, whose detail `kind` names the mistake, with the closest right spelling in its message.
    """
    for word in argv:
        if not _is_utf8(word):
            raise UsageError(f"{word!a} is not UTF-8, and the daemon speaks only that", kind="InvalidUtf8")
    given: dict[str, object] = {}
    rest = list(argv)
    try:
        entry = _addressed(rest, given)
        if isinstance(entry, Command):
            return _leaf(entry, given, rest)
        if entry is None and bare_opens_editor:
            return _leaf(TUI, given, [])
    except HelpWanted as wanted:
        return Text(wanted.text)
    except _VersionWanted:
        return Text(f"lazydap {version}\n")
    if entry is None:
        return Text(overview(None))
    choices = ", ".join(command.words[-1] for command in entry.commands)
    # clap's name for this mistake, which scripts may know.
    kind = "DisplayHelpOnMissingArgumentOrSubcommand"
    raise UsageError(f"`lazydap {entry.word}` needs one of: {choices}", kind=kind)


class _VersionWanted(Exception):  # noqa: N818  # Not an error: a question.
    """`--version` was met."""


def _addressed(rest: list[str], given: dict[str, object]) -> Command | Group | None:
    """What the front of `rest` names; takes those words off, and puts the global options among them into `given`."""
    group: Group | None = None
    while rest:
        word = rest.pop(0)
        if word in ("-h", "--help"):
            raise HelpWanted(overview(group))
        if word in ("-V", "--version") and group is None:
            raise _VersionWanted
        if word.startswith("-"):
            _take_global(word, rest, given)
        elif word == "help" and group is None:
            raise HelpWanted(_help(rest))
        else:
            entry = _entry(word, group)
            if isinstance(entry, Command):
                return entry
            group = entry
    return group


def explicit_format(argv: Sequence[str]) -> str | None:
    """The format that `argv` asks for, told before the rest is understood; the words after `--` are not ours."""
    own = argv[: argv.index("--")] if "--" in argv else argv
    found = None
    for position, word in enumerate(own):
        name, has_value, value = word.partition("=")
        if name != "--format":
            continue
        if not has_value:
            value = own[position + 1] if position + 1 < len(own) else ""
        found = value if value in FORMATS else found
    return found


def _leaf(command: Command, globals_given: Mapping[str, object], rest: list[str]) -> Invocation:
    words: tuple[str, ...] = ()
    if command.operand is not None and command.operand.trailing is not None and "--" in rest:
        at = rest.index("--")
        rest, words = rest[:at], tuple(rest[at + 1 :])
    given = _parsed(command, rest)
    for option in GLOBAL_OPTIONS:
        if given[option.key] is None:
            given[option.key] = globals_given.get(option.key)
    _check_together(command, given)
    for option in command.options:
        if given[option.key] is None:
            given[option.key] = () if option.repeatable else False if option.value is None else option.default
    chosen_format, instance = given.pop("format"), given.pop("instance")
    return Invocation(
        command,
        given,
        chosen_format if isinstance(chosen_format, str) else None,
        instance if isinstance(instance, str) else None,
        words,
    )


def _parsed(command: Command, rest: Sequence[str]) -> dict[str, object]:
    parser = CommandParser(command)
    try:
        namespace, unknown = parser.parse_known_args(rest)
    except argparse.ArgumentError as error:
        raise _misused_option(command, error) from None
    unknown = [word for word in unknown if word != "--"]
    if unknown:
        raise _unknown_argument(command, unknown[0])
    return vars(namespace)


def _check_together(command: Command, given: Mapping[str, object]) -> None:
    by_flag = {option.flag: option for option in command.options}
    for one, other in command.conflicts:
        if given[by_flag[one].key] is not None and given[by_flag[other].key] is not None:
            raise UsageError(f"`{one}` and `{other}` exclude each other", kind="ArgumentConflict")
    missing = [option.shown for option in command.options if option.required and given[option.key] is None]
    missing += [f"<{each.shown}>" for each in command.operands if each.required and given[each.key] is None]
    missing += [
        option.needs
        for option in command.options
        if option.needs is not None and given[option.key] is not None and given[by_flag[option.needs].key] is None
    ]
    if missing:
        raise UsageError(
            f"`lazydap {command.name}` also needs {' and '.join(missing)}: see `lazydap help {command.name}`",
            kind="MissingRequiredArgument",
        )
    operand = command.operand
    if operand is not None and operand.choices and given[operand.key] not in operand.choices:
        word = str(given[operand.key])
        raise UsageError(
            f"`{word}` is no {operand.shown.lower()} known here{_closest(word, operand.choices)}:"
            f" use one of {', '.join(operand.choices)}",
            kind="InvalidValue",
        )


def _misused_option(command: Command, error: argparse.ArgumentError) -> UsageError:
    for option in (*command.options, *GLOBAL_OPTIONS):
        if option.flag == error.argument_name:
            return _needs_value(option) if option.value is not None else _takes_no_value(option)
    return UsageError(str(error), kind="UnknownArgument")


def _needs_value(option: Option) -> UsageError:
    return UsageError(
        f"`{option.flag}` needs a value; one that starts with a dash is written `{option.flag}=-value`",
        kind="InvalidValue",
    )


def _takes_no_value(option: Option) -> UsageError:
    return UsageError(f"`{option.flag}` takes no value", kind="TooManyValues")


def _unknown_argument(command: Command, word: str) -> UsageError:
    if word.startswith("-"):
        flags = [option.flag for option in (*command.options, *GLOBAL_OPTIONS)]
        hint = _closest(word.partition("=")[0], flags)
        if not hint and (name := word.lstrip("-")) in named(COMMANDS):
            hint = f"; `lazydap {name}` is a command of its own"
        elif not hint and command.operand is not None:
            hint = _leading_dash(command, word)
        return UsageError(
            f"unexpected argument `{word}`{hint}: see `lazydap help {command.name}`", kind="UnknownArgument"
        )
    if command.operand is not None and command.operand.trailing is not None:
        hint = ": what the program itself is to read comes after `--`"
    elif command.operand is not None:
        hint = f": quote {command.operand.shown} if it holds blanks"
    else:
        hint = f": `lazydap {command.name}` takes none"
    return UsageError(f"unexpected argument `{word}`{hint}", kind="UnknownArgument")


def _leading_dash(command: Command, word: str) -> str:
    if command.operand is not None and command.operand.trailing is not None:
        return f"; a program of that name is `./{word}`, its own options come after `--`"
    return f"; to mean the text itself, write `-- {word}`"


def _entry(word: str, group: Group | None) -> Command | Group:
    table = named(COMMANDS if group is None else group.commands)
    entry = table.get(word)
    if entry is not None:
        return entry
    place = "lazydap" if group is None else f"lazydap {group.word}"
    help_place = "lazydap --help" if group is None else f"lazydap {group.word} --help"
    raise UsageError(
        f"`{place}` has no command `{word}`{_closest(word, table)}: see `{help_place}`", kind="InvalidSubcommand"
    )


def _take_global(word: str, rest: list[str], given: dict[str, object]) -> None:
    flag, has_value, value = word.partition("=")
    for option in GLOBAL_OPTIONS:
        if option.flag != flag:
            continue
        if not has_value:
            if not rest or rest[0].startswith("-"):
                raise _needs_value(option)
            value = rest.pop(0)
        if option.key in given:
            raise UsageError(f"`{flag}` is given twice; give it once", kind="ArgumentConflict")
        given[option.key] = read_value(option, value)
        return
    hint = _closest(flag, [*(option.flag for option in GLOBAL_OPTIONS), "--help", "--version"])
    raise UsageError(f"unexpected argument `{word}`{hint}: see `lazydap --help`", kind="UnknownArgument")


def _help(words: Sequence[str]) -> str:
    group: Group | None = None
    for word in words:
        entry = _entry(word, group)
        if isinstance(entry, Command):
            try:
                CommandParser(entry).parse_known_args(["--help"])
            except HelpWanted as wanted:
                return wanted.text
        else:
            group = entry
    return overview(group)


def _closest(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    # Only a mistake pays for this import.
    from difflib import get_close_matches  # noqa: PLC0415

    matches = get_close_matches(word, list(known), n=1)
    return f"; did you mean `{matches[0]}`?" if matches else ""


def _is_utf8(word: str) -> bool:
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)
