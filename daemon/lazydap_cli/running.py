"""Owns one run of the command line from the words typed to the exit code; knows no command's work."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import cast

from lazydap_cli import streams
from lazydap_cli.call import Call
from lazydap_cli.failure import CommandFailed, exit_code, report
from lazydap_cli.formats import check
from lazydap_cli.interruption import INTERRUPTED
from lazydap_cli.reading import Text, explicit_format, read
from lazydap_cli.results import Result
from lazydap_core import __version__
from lazydap_core.errors import Cancelled, LazydapError


def run(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    """Carry out `argv`, print its result or its error, and give back the exit code."""
    at_a_terminal = streams.is_terminal(streams.STDOUT)
    chosen = explicit_format(argv) or ("table" if at_a_terminal else "json")
    try:
        return _carried_out(argv, environ, chosen, at_a_terminal=at_a_terminal)
    except KeyboardInterrupt:
        error: LazydapError = Cancelled("interrupted; the program was left as it was")
        streams.write_err(report(error, chosen))
        return INTERRUPTED
    except LazydapError as failure:
        error = failure
    except OSError as failure:
        error = CommandFailed(str(failure))
    streams.write_err(report(error, chosen))
    return exit_code(error)


def _carried_out(argv: Sequence[str], environ: Mapping[str, str], chosen: str, *, at_a_terminal: bool) -> int:
    asked = read(argv, bare_opens_editor=at_a_terminal and streams.is_terminal(streams.STDIN), version=__version__)
    if isinstance(asked, Text):
        streams.write_out(asked.text)
        return 0
    check(chosen, prints_rows=asked.prints_rows)
    call = Call(asked, environ, chosen, at_a_terminal=at_a_terminal)
    result = _function(asked.command.runs)(call)
    if result is not None:
        call.show(result)
    return 0


def _function(runs: str) -> Callable[[Call], Result | None]:
    module, _, name = runs.partition(":")
    # Only the module of the command that was typed: what the others import is not paid for.
    return cast("Callable[[Call], Result | None]", getattr(import_module(f"lazydap_cli.commands.{module}"), name))
