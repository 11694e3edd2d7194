"""Owns what a command, an option and an operand are made of; knows none of them."""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec


class Option(msgspec.Struct, frozen=True):
    """One option: a switch when `value` is None, else the name under which its value is asked for.

    `choices` are the only words allowed; `read` turns the word into a value or raises ValueError with the reason, and
    `offers` is what a shell completes of what it understands. `needs` names the option without which this one makes no
    sense.
    """

    flag: str
    about: str
    value: str | None = None
    read: Callable[[str], object] | None = None
    choices: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    default: object = None
    repeatable: bool = False
    required: bool = False
    needs: str | None = None
    completes: str | None = None

    @property
    def key(self) -> str:
        """The name under which the parsed value is kept."""
        return self.flag.lstrip("-").replace("-", "_")

    @property
    def shown(self) -> str:
        """The option as messages and help name it."""
        return self.flag if self.value is None else f"{self.flag} <{self.value}>"


class Operand(msgspec.Struct, frozen=True):
    """A positional argument of a command, kept under `key`; `trailing` allows more of them, after `--`."""

    key: str
    shown: str
    about: str
    required: bool = True
    trailing: str | None = None
    choices: tuple[str, ...] = ()
    completes: str | None = None


class Command(msgspec.Struct, frozen=True):
    """One command: `runs` names the function that carries it out, as `module:function` of lazydap_cli.commands.

    `prints` says what comes of it: rows, which every format can show, one thing, or text that is the same in all of
    them. With the option `turned_by` it is rows where it is one thing else, and the reverse.
    """

    words: tuple[str, ...]
    about: str
    runs: str
    example: str
    aliases: tuple[str, ...] = ()
    operand: Operand | None = None
    more_operands: tuple[Operand, ...] = ()
    options: tuple[Option, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    prints: Literal["one", "rows", "text"] = "one"
    turned_by: str | None = None

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Every positional argument, in order."""
        return (() if self.operand is None else (self.operand,)) + self.more_operands

    @property
    def name(self) -> str:
        """The command as it is typed, without `lazydap`."""
        return " ".join(self.words)


class Group(msgspec.Struct, frozen=True):
    """A word that needs a second one."""

    word: str
    about: str
    commands: tuple[Command, ...]
    aliases: tuple[str, ...] = ()


def named(entries: tuple[Command | Group, ...]) -> Mapping[str, Command | Group]:
    """The entries by their own last word and by every alias."""
    table: dict[str, Command | Group] = {}
    for entry in entries:
        for word in (entry.word if isinstance(entry, Group) else entry.words[-1], *entry.aliases):
            table[word] = entry
    return table
