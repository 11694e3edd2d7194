"""Owns what `[[launch_configs]]` of the project's state file mean; expands nothing and reads no file."""

import os
from pathlib import Path
from typing import Any, Literal, cast, get_args

import msgspec

from lazydap_core.domain.words import AdapterKind
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.vscode import Reading


class _Entry(msgspec.Struct):
    name: str
    adapter: str = "codelldb"
    kind: Literal["launch", "attach"] = "launch"
    program: str | None = None
    args: list[str] = []
    cwd: str | None = None
    env: dict[str, str] = {}
    stop_on_entry: bool = False


def read_tables(tables: Any, root: Path) -> Reading:
    """The configurations in the value of `launch_configs`; one that cannot be read is left out with a warning."""
    if not isinstance(tables, (list, tuple)):
        return Reading(warnings=("state.toml: launch_configs is left out: it is no list of tables",))
    configurations: list[LaunchConfiguration] = []
    warnings: list[str] = []
    for index, table in enumerate(cast("list[Any]", tables)):
        try:
            configurations.append(_configuration(msgspec.convert(table, _Entry), root))
        except msgspec.ValidationError as error:
            warnings.append(f"state.toml: launch configuration {index} is left out: {error}")
    return Reading(tuple(configurations), tuple(warnings))


def _configuration(entry: _Entry, root: Path) -> LaunchConfiguration:
    def path(text: str | None) -> str | None:
        return None if text is None else os.path.join(root, text)  # noqa: PTH118  # the words of the file are kept

    return LaunchConfiguration(
        name=entry.name,
        source="state.toml",
        adapter=cast("AdapterKind", entry.adapter) if entry.adapter in get_args(AdapterKind) else None,
        adapter_type=entry.adapter,
        request=entry.kind,
        program=path(entry.program),
        args=tuple(entry.args),
        cwd=path(entry.cwd),
        env=entry.env,
        stop_on_entry=entry.stop_on_entry,
    )
