"""Owns what a .vscode/launch.json asks a person before a launch; asks nobody."""

from typing import Any, Literal, cast

import msgspec

PICK_PROCESS = "command:pickProcess"


class Input(msgspec.Struct, frozen=True):
    """One question: `options` to choose among, or none for a text; `default` is what stands there first."""

    id: str
    description: str
    default: str = ""
    options: tuple[str, ...] = ()


class _Option(msgspec.Struct):
    value: str
    label: str = ""


class _Entry(msgspec.Struct):
    id: str
    type: Literal["promptString", "pickString"]
    description: str = ""
    default: str = ""
    options: list[str | _Option] = []


def read_inputs(listed: Any) -> tuple[Input, ...]:
    """The questions in the value of `inputs`; one of another type, or that cannot be read, is left out."""
    found: list[Input] = []
    for value in cast("list[Any]", listed) if isinstance(listed, list) else []:
        try:
            entry = msgspec.convert(value, _Entry)
        except msgspec.ValidationError:
            # Whoever uses it finds its variable among those that cannot be expanded.
            continue
        options = tuple(option if isinstance(option, str) else option.value for option in entry.options)
        found.append(Input(entry.id, entry.description or entry.id, entry.default, options))
    return tuple(found)
