"""Owns completion scripts, from the grammar by way of shtab; knows no daemon."""

import argparse
from collections.abc import Iterable

import shtab

from lazydap_cli.grammar.options import GLOBAL_OPTIONS
from lazydap_cli.grammar.tree import COMMANDS
from lazydap_cli.grammar.words import Command, Group, Operand, Option
from lazydap_cli.parsers import ABOUT, add_help, add_operand, add_option

_FILES = {"file": shtab.FILE, "directory": shtab.DIR}


def script(shell: str) -> str:
    """The completion script for one of `grammar.upkeep.SHELLS`."""
    return shtab.complete(_whole_tree(), shell)


def _whole_tree() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="lazydap", description=ABOUT, add_help=False)
    _add_options(root, GLOBAL_OPTIONS)
    root.add_argument("-V", "--version", action="store_true", help="Print the version")
    _add_entries(root, COMMANDS)
    return root


def _add_entries(parser: argparse.ArgumentParser, entries: Iterable[Command | Group]) -> None:
    branches = parser.add_subparsers()
    for entry in entries:
        word = entry.word if isinstance(entry, Group) else entry.words[-1]
        branch = branches.add_parser(
            word, aliases=entry.aliases, help=entry.about, description=entry.about, add_help=False
        )
        if isinstance(entry, Group):
            _add_options(branch, GLOBAL_OPTIONS)
            _add_entries(branch, entry.commands)
            continue
        _add_options(branch, (*entry.options, *GLOBAL_OPTIONS))
        for operand in entry.operands:
            _complete(add_operand(branch, operand), operand)


def _add_options(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    for option in options:
        _complete(add_option(parser, option), option)
    add_help(parser)


def _complete(action: argparse.Action, words: Option | Operand) -> None:
    offered = words.choices or (words.offers if isinstance(words, Option) else ())
    if offered:
        action.choices = offered
    if words.completes is not None:
        # The attribute that shtab looks for; argparse knows nothing of it.
        setattr(action, "complete", _FILES[words.completes])  # noqa: B010
