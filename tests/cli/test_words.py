"""The words of the command line: what is understood, and how what is not is named."""

import importlib
import json
import shlex
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import shtab

from lazydap_cli.grammar.options import GLOBAL_OPTIONS
from lazydap_cli.grammar.tree import COMMANDS
from lazydap_cli.grammar.upkeep import SHELLS
from lazydap_cli.grammar.words import Command, Group
from lazydap_cli.parsers import usage
from lazydap_cli.reading import Invocation, Text, explicit_format, read
from lazydap_cli.results import Listing, Single
from lazydap_core.errors import UsageError

SURFACE = Path(__file__).parents[1] / "contract" / "golden" / "cli-surface.json"


def understood(*argv: str) -> Invocation:
    found = read(argv, bare_opens_editor=False, version="1.2.3")
    assert isinstance(found, Invocation), found
    return found


def refused(*argv: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read(argv, bare_opens_editor=False, version="1.2.3")
    return caught.value


def answered(*argv: str) -> str:
    found = read(argv, bare_opens_editor=False, version="1.2.3")
    assert isinstance(found, Text), found
    return found.text


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("c", "continue"),
        ("next", "step"),
        ("step-into", "step-in"),
        ("b", "break"),
    ],
)
def test_an_alias_is_the_command_itself(typed: str, command: str) -> None:
    assert understood(typed).command.name == command


def test_an_alias_of_a_group_leads_to_its_commands() -> None:
    assert understood("w", "list").command.name == "watch list"


def test_global_options_may_stand_before_and_behind_the_command() -> None:
    before = understood("--format", "csv", "--instance=x", "watch", "list")
    between = understood("watch", "--format", "csv", "--instance", "x", "list")
    behind = understood("watch", "list", "--instance", "x", "--format=csv")
    assert before == between == behind
    assert (before.format, before.instance) == ("csv", "x")


def test_the_option_nearest_to_the_command_counts() -> None:
    assert understood("--format", "csv", "status", "--format", "ids").format == "ids"


def test_an_option_may_stand_before_the_operand() -> None:
    found = understood("break", "--dry-run", "--condition", "x > 1", "a.py:3")
    assert found.values["location"] == "a.py:3"
    assert found.values["condition"] == "x > 1"


def test_a_value_may_begin_with_a_dash_when_it_is_written_with_an_equals_sign() -> None:
    assert understood("break", "a.py:3", "--condition=-x > 1").values["condition"] == "-x > 1"


def test_an_operand_may_begin_with_a_dash_behind_two_dashes() -> None:
    assert understood("eval", "--", "-x").values["expression"] == "-x"


def test_a_negative_number_is_an_expression() -> None:
    assert understood("eval", "-1").values["expression"] == "-1"


def test_an_id_can_be_given_many_times() -> None:
    assert understood("break", "--remove", "--id", "1", "--id", "2").values["id"] == (1, 2)


def test_what_follows_two_dashes_belongs_to_the_program() -> None:
    found = understood("launch", "a.py", "--cwd", "d", "--", "--format", "table", "--", "x")
    assert found.words == ("--format", "table", "--", "x")
    assert found.format is None


def test_defaults_stand_where_nothing_was_given() -> None:
    found = understood("variables", "--reference", "3")
    assert found.values["filter"] == "all"
    assert found.values["max"] is None
    assert understood("eval", "x").values["context"] == "watch"
    assert understood("step").values["wait"] is False


def test_closed_words_are_read_in_any_case() -> None:
    assert understood("eval", "x", "--context", "HOVER").values["context"] == "hover"
    assert understood("variables", "--reference", "1", "--filter", "Named").values["filter"] == "named"


@pytest.mark.parametrize(
    ("spelling", "program"),
    [
        ("codelldb", "codelldb"),
        ("LLDB", "codelldb"),
        ("lldb-dap", "lldb-dap"),
        ("debugpy", "debugpy"),
        ("Python", "debugpy"),
        ("delve", "delve"),
        ("dlv", "delve"),
        ("go", "delve"),
    ],
)
def test_an_adapter_has_several_spellings(spelling: str, program: str) -> None:
    assert understood("launch", "x", "--adapter", spelling).values["adapter"] == program


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (["frobnicate"], "InvalidSubcommand"),
        (["watch", "frobnicate"], "InvalidSubcommand"),
        (["watch"], "DisplayHelpOnMissingArgumentOrSubcommand"),
        (["status", "--nope"], "UnknownArgument"),
        (["--nope", "status"], "UnknownArgument"),
        (["status", "extra"], "UnknownArgument"),
        (["status", "--", "extra"], "UnknownArgument"),
        (["eval", "a", "+", "b"], "UnknownArgument"),
        (["step", "--wai"], "UnknownArgument"),
        (["launch"], "MissingRequiredArgument"),
        (["launch", "--", "a.py"], "MissingRequiredArgument"),
        (["variables"], "MissingRequiredArgument"),
        (["continue", "--timeout", "5"], "MissingRequiredArgument"),
        (["break", "--list", "--remove"], "ArgumentConflict"),
        (["break", "--remove", "--toggle", "--all"], "ArgumentConflict"),
        (["logs", "--purge", "--follow"], "ArgumentConflict"),
        (["logs", "--purge", "--limit", "200"], "ArgumentConflict"),
        (["step", "--wait", "--wait"], "ArgumentConflict"),
        (["stack", "--thread", "1", "--thread", "2"], "ArgumentConflict"),
        (["--format", "json", "--format", "csv", "status"], "ArgumentConflict"),
        (["--format", "JSON", "status"], "InvalidValue"),
        (["status", "--format", "nope"], "InvalidValue"),
        (["status", "--format"], "InvalidValue"),
        (["break", "--condition", "-x"], "InvalidValue"),
        (["completions", "nope"], "InvalidValue"),
        (["step", "--wait=3"], "TooManyValues"),
        (["break", "--id", "x", "--remove"], "ValueValidation"),
        (["break", "--id", "-1", "--remove"], "ValueValidation"),
        (["break", "--id", str(2**32), "--remove"], "ValueValidation"),
        (["stack", "--thread", "1_0"], "ValueValidation"),
        (["stack", "--thread", "٣"], "ValueValidation"),
        (["launch", "x", "--adapter", "nope"], "ValueValidation"),
        (["eval", "x", "--context", "nope"], "ValueValidation"),
        (["eval", "\udcff"], "InvalidUtf8"),
    ],
)
def test_each_mistake_has_its_kind(argv: list[str], kind: str) -> None:
    error = refused(*argv)
    assert error.details["kind"] == kind
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["staus"], "`status`"),
        (["watch", "ad", "x"], "`add`"),
        (["break", "--dryrun", "a:1"], "`--dry-run`"),
        (["--formt", "json", "status"], "`--format`"),
        (["completions", "bsh"], "`bash`"),
        (["launch", "-x.py"], "`./-x.py`"),
        (["launch", "x.py", "--verbose"], "come after `--`"),
        (["eval", "-x"], "`-- -x`"),
    ],
)
def test_a_mistake_is_answered_with_what_was_probably_meant(argv: list[str], hint: str) -> None:
    assert hint in refused(*argv).message


def test_the_format_of_an_error_is_told_before_the_words_are_understood() -> None:
    assert explicit_format(["nope", "--format", "table"]) == "table"
    assert explicit_format(["--format=csv", "nope"]) == "csv"
    assert explicit_format(["launch", "--", "--format", "table"]) is None
    assert explicit_format(["--format", "nope"]) is None


def test_nothing_at_all_is_answered_with_help_or_the_editor() -> None:
    assert answered() == answered("--help") == answered("help")
    found = read([], bare_opens_editor=True, version="1")
    assert isinstance(found, Invocation)
    assert found.command.name == "tui"


def test_the_version_is_printed_with_the_name() -> None:
    assert answered("--version") == answered("-V") == "lazydap 1.2.3\n"


def commands() -> list[Command]:
    nested = [entry.commands if isinstance(entry, Group) else (entry,) for entry in COMMANDS]
    return [command for group in nested for command in group]


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_command_has_help_with_an_example(command: Command) -> None:
    text = answered(*command.words, "--help")
    assert text == answered(*command.words, "-h") == answered("help", *command.words)
    assert text.startswith("Usage: lazydap ")
    assert command.example in text
    for option in (*command.options, *GLOBAL_OPTIONS):
        assert option.flag in text


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_what_every_command_prints_is_what_its_words_say(command: Command) -> None:
    module, _, name = command.runs.partition(":")
    found = importlib.import_module(f"lazydap_cli.commands.{module}")
    given = get_type_hints(getattr(found, name))["return"]
    kinds = {each for each in get_args(given) or (given,) if each in (Listing, Single)}
    if command.prints == "text":
        assert kinds == set()
    elif command.turned_by is not None:
        assert kinds == {Listing, Single}
    else:
        assert kinds == {Listing if command.prints == "rows" else Single}


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_the_example_of_every_command_is_understood(command: Command) -> None:
    words = shlex.split(command.example.partition(">")[0] if command.name == "completions" else command.example)
    assert words[0] == "lazydap"
    assert understood(*words[1:]).command == command


def surface() -> dict[str, Any]:
    return json.loads(SURFACE.read_text())["v10"]


def test_the_whole_surface_of_the_older_command_line_is_there() -> None:
    expected = surface()
    assert {*expected["options"]} == {*(option.shown for option in GLOBAL_OPTIONS), "--help", "--version"}
    ours = {entry.word if isinstance(entry, Group) else entry.name: entry for entry in COMMANDS}
    assert list(expected["commands"]) == [name for name in ours if name in expected["commands"]]
    for name, theirs in expected["commands"].items():
        entry = ours[name]
        assert list(entry.aliases) == theirs.get("aliases", [])
        if isinstance(entry, Group):
            inner = {command.words[-1]: command for command in entry.commands}
            assert list(inner) == list(theirs["commands"])
            for word, command in inner.items():
                assert_same_words(command, theirs["commands"][word])
        else:
            assert_same_words(entry, theirs)


def assert_same_words(command: Command, theirs: dict[str, Any]) -> None:
    shown = {option.shown: option for option in command.options}
    wanted = {words.partition(" [")[0]: words.partition(" [")[2].rstrip("]") for words in theirs["options"]}
    assert [name for name in shown if name in wanted] == list(wanted), command.name
    for name, default in wanted.items():
        found = shown[name].default
        # 200 is the default of `logs --limit`, which must be told from an explicit 200.
        assert default in ("" if found is None else str(found), "200"), (command.name, name)
    positionals = theirs.get("positionals", [])
    assert bool(positionals) == (command.operand is not None)
    if command.operand is not None:
        shape = f"<{command.operand.shown}>" if command.operand.required else f"[{command.operand.shown}]"
        assert positionals[0] == shape
        assert len(positionals) == (1 if command.operand.trailing is None else 2)
    assert usage(command) == theirs["usage"]


def test_completions_are_offered_for_shells_that_can_be_served() -> None:
    assert {*SHELLS} <= {*shtab.SUPPORTED_SHELLS}
    assert {"bash", "zsh", "fish"} <= {*SHELLS}


def test_an_option_that_another_command_has_the_name_of_leads_to_that_command() -> None:
    message = refused("launch", "a.py", "--wait").message
    assert message == "unexpected argument `--wait`; `lazydap wait` is a command of its own: see `lazydap help launch`"
