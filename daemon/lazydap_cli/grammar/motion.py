"""Owns the words of the commands that move the program, or wait for it."""

from typing import Final

from msgspec.structs import replace

from lazydap_cli import values
from lazydap_cli.grammar.options import THREAD, TIMEOUT, WAIT
from lazydap_cli.grammar.words import Command, Group, Operand, Option

_LINE = Operand("location", "FILE:LINE", "Where", completes="file")


def _movement(
    word: str, about: str, runs: str, aliases: tuple[str, ...] = (), more: tuple[Option, ...] = ()
) -> Command:
    return Command(
        (word,),
        about,
        f"moving:{runs}",
        f"lazydap {word} --wait",
        aliases=aliases,
        options=(WAIT, TIMEOUT, *more, THREAD),
    )


COMMANDS: Final[tuple[Command | Group, ...]] = (
    _movement(
        "continue",
        "Let the program run",
        "resume",
        aliases=("c",),
        more=(Option("--all-threads", "Every thread, where the adapter moves them one by one"),),
    ),
    _movement("step", "Step over the line", "step", aliases=("next",)),
    Command(
        ("step-in",),
        "Step into the call",
        "moving:step_in",
        "lazydap step-in --wait",
        aliases=("step-into",),
        options=(
            WAIT,
            TIMEOUT,
            Option("--targets", "Show the calls of the line, whose ids `--target` takes, and stay"),
            Option("--target", "Step into this call of the line", value="ID", read=values.i64),
            THREAD,
        ),
        conflicts=(("--targets", "--target"), ("--targets", "--wait")),
        turned_by="--targets",
    ),
    _movement("step-out", "Run to the end of the function", "step_out"),
    Command(
        ("run-to",),
        "Continue to a line, without a breakpoint",
        "moving:run_to",
        "lazydap run-to app.py:12 --wait",
        operand=_LINE,
        options=(WAIT, TIMEOUT, THREAD),
    ),
    Command(
        ("jump",),
        "Go on from another line, executing nothing between",
        "moving:jump",
        "lazydap jump app.py:12 --wait",
        operand=_LINE,
        options=(WAIT, TIMEOUT, THREAD),
    ),
    _movement("pause", "Stop the running program", "pause"),
    Command(
        ("wait",),
        "Wait until the program stops or ends, moving nothing; at once where it has",
        "moving:wait",
        "lazydap wait --timeout 60",
        options=(replace(TIMEOUT, needs=None),),
    ),
)
