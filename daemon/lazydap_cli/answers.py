"""Owns what a launch configuration asks for that a shell does not know: the options that give it, and who lacks it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from lazydap_cli.call import Call
from lazydap_cli.pairs import pair
from lazydap_core.errors import InvalidLaunchConfig, UsageError
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.inputs import Input

_INPUT: Final = "${input:"
_ENVIRONMENT: Final = "${env:"
_OF_A_FILE: Final = frozenset(
    {
        "${file}",
        "${fileBasename}",
        "${fileBasenameNoExtension}",
        "${fileDirname}",
        "${fileDirnameBasename}",
        "${fileExtname}",
        "${fileWorkspaceFolder}",
        "${relativeFile}",
        "${relativeFileDirname}",
    }
)


def given_file(call: Call) -> Path | None:
    """The file that `--file` names. Raises UsageError where it is missing."""
    typed = call.given("file")
    if typed is None:
        return None
    try:
        return Path(os.path.realpath(call.folder / typed, strict=True))
    except OSError as error:
        raise UsageError(f"`--file {typed}` is no file: {error.strerror}", argument="--file") from error


def given_inputs(call: Call) -> dict[str, str]:
    """What `--input` gave, by the names that launch.json has for it. Raises UsageError."""
    return {
        f"input:{name}": value for name, value in (pair(text, "--input", "ID=VALUE") for text in call.given("input"))
    }


def check_inputs(given: Mapping[str, str], asked: Sequence[Input]) -> None:
    """Raises UsageError for an answer to something that is not asked, or that may not be answered so."""
    questions = {each.id: each for each in asked}
    for name, value in given.items():
        number = name.removeprefix("input:")
        question = questions.get(number)
        if question is None:
            known = ", ".join(f"`{each}`" for each in questions) or "nothing"
            raise UsageError(f"launch.json asks for no input `{number}`: it asks for {known}", argument="--input")
        if question.options and value not in question.options:
            raise UsageError(
                f"`{value}` is no answer to the input `{number}`: use one of {', '.join(question.options)}",
                argument="--input",
            )


def check_complete(configuration: LaunchConfiguration, asked: Sequence[Input]) -> None:
    """Raises InvalidLaunchConfig where variables that nobody has given are all that keeps it from being run."""
    if not configuration.unresolved or not replace(configuration, unresolved=()).is_runnable:
        return
    questions = {each.id: each for each in asked}
    lacking = "; ".join(f"{token}: {_how_to_give(token, questions)}" for token in configuration.unresolved)
    raise InvalidLaunchConfig(
        f"`{configuration.name}` of {configuration.source} needs to be told more: {lacking}",
        name=configuration.name,
        source=configuration.source,
        adapter_type=configuration.adapter_type,
        unresolved=list(configuration.unresolved),
    )


def options_lacking(configuration: LaunchConfiguration, asked: Sequence[Input]) -> tuple[str, ...] | None:
    """The options of `launches run` that would let it be run; None where it can be as it is, or no option helps."""
    if not configuration.unresolved or not replace(configuration, unresolved=()).is_runnable:
        return None
    questions = {each.id for each in asked}
    found: list[str] = []
    for token in configuration.unresolved:
        number = token[len(_INPUT) : -1]
        if token in _OF_A_FILE:
            found.append("--file FILE")
        elif token.startswith(_INPUT) and number in questions:
            found.append(f"--input {number}=VALUE")
        else:
            return None
    return tuple(dict.fromkeys(found))


def _how_to_give(token: str, questions: Mapping[str, Input]) -> str:
    if token in _OF_A_FILE:
        return "name the file with `--file FILE`"
    if token.startswith(_ENVIRONMENT):
        return f"set the variable {token[len(_ENVIRONMENT) : -1]}"
    question = questions.get(token[len(_INPUT) : -1]) if token.startswith(_INPUT) else None
    if question is None:
        return "only an editor knows it, start it there or write the value into launch.json"
    choices = f" (one of {', '.join(question.options)})" if question.options else ""
    return f"give it with `--input {question.id}=VALUE`{choices}"
