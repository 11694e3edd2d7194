"""Owns the order in which the commands are shown."""

from typing import Final

from lazydap_cli.grammar import looking, motion, sessions, stopping, upkeep
from lazydap_cli.grammar.words import Command, Group

COMMANDS: Final[tuple[Command | Group, ...]] = (
    *sessions.COMMANDS,
    *motion.COMMANDS,
    *stopping.COMMANDS,
    *looking.COMMANDS,
    *upkeep.COMMANDS,
)
