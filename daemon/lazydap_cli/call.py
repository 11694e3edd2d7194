"""Owns what every command may ask of its surroundings: its words, its project, its daemon, its place of printing."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazydap_cli import streams, table
from lazydap_cli.formats import rendered
from lazydap_cli.reading import Invocation
from lazydap_cli.results import Listing, Result, Single
from lazydap_core.errors import ConfigInvalid, DaemonUnreachable

if TYPE_CHECKING:
    from lazydap_core.client.blocking import BlockingClient
    from lazydap_core.config import Config
    from lazydap_core.paths import Places


CALLED = "command line"
"""What the command line calls itself to the daemon."""


class Call:
    """One command being carried out. Places are found, and a daemon started, only when a command asks for them."""

    def __init__(self, invocation: Invocation, environ: Mapping[str, str], chosen: str, *, at_a_terminal: bool) -> None:
        self.invocation = invocation
        self.environ = environ
        self.format = chosen
        self.at_a_terminal = at_a_terminal

    def given(self, key: str) -> Any:
        """The value of an option or operand; None, False or () where it was not given and has no default."""
        return self.invocation.values[key]

    @cached_property
    def folder(self) -> Path:
        """The folder the command was typed in, as a real path. Raises DaemonUnreachable when it is gone."""
        try:
            return Path(os.getcwd())  # noqa: PTH109  # Path.cwd() is the same with one more call.
        except OSError as error:
            raise DaemonUnreachable(
                f"this folder cannot be used ({error.strerror}): change into another one"
            ) from error

    @cached_property
    def places(self) -> "Places":
        """Where this project's daemon lives.

        Raises DaemonUnreachable where its folders cannot be used, UsageError where somebody else's name meets it.
        """
        from lazydap_core.paths import places  # noqa: PLC0415  # `version` and the like need none.

        found = places(self.folder, instance=self.invocation.instance, environ=self.environ)
        found.check_name()
        return found

    @cached_property
    def config(self) -> "Config":
        """The user's configuration; a broken one counts as none, with a warning: it must not take recovery with it."""
        from lazydap_core.config import Config, read_config  # noqa: PLC0415  # as above

        try:
            return read_config(self.environ)
        except ConfigInvalid as error:
            self.warn(error.message)
            return Config()

    @property
    def terminal_size(self) -> tuple[int, int] | None:
        """Columns and rows of the terminal that is printed to; None where it is none, or does not say."""
        if not self.at_a_terminal:
            return None
        columns, rows = os.get_terminal_size(streams.STDOUT)
        return (columns, rows) if columns and rows else None

    def connect(self) -> "BlockingClient":
        """A connection to the project's daemon, started if none runs. Raises DaemonUnreachable, VersionMismatch."""
        from lazydap_core.client.starting import ensure_daemon  # noqa: PLC0415  # as above

        return ensure_daemon(self.places, self.environ, called=CALLED)

    def show(self, result: Result) -> None:
        """Print `result`. Raises UsageError where the format prints lists and the result is none."""
        # Whatever was asked for: what could not be saved is lost with the daemon.
        if isinstance(result, (Listing, Single)) and (words := result.document.get("not_saved")) is not None:
            self.warn(words)
        streams.write_out(rendered(result, self.format, self._look()))

    def warn(self, text: str) -> None:
        """One line beside the result, in every format."""
        streams.write_err(f"warning: {table.shown(text)}\n")

    def _look(self) -> table.Look:
        columns = os.get_terminal_size(streams.STDOUT).columns if self.at_a_terminal else 0
        return table.look_of(self.environ, at_a_terminal=self.at_a_terminal, terminal_columns=columns)
