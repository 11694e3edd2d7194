"""Owns which launch configurations a project has, read anew each time it is asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.project_file import read_tables
from lazydap_core.launches.vscode import Reading, read_text
from lazydap_core.state_file import read_state


def launch_json_path(root: Path) -> Path:
    """Where editors keep the launch configurations of the project at `root`."""
    return root / ".vscode" / "launch.json"


def read_launches(
    root: Path,
    environ: Mapping[str, str],
    file: Path | None = None,
    known: Mapping[str, str] | None = None,
    *,
    is_asked: bool = False,
) -> Reading:
    """The project's configurations, those of its state file first; of two with one name the first counts.

    `file` is the file a person is looking at, `known` are more variables (`words.Variables`), `is_asked` as in
    `read_text`. A launch.json that is no JSON is a warning. Raises StateFileInvalid, and InvalidLaunchConfig when
    launch.json is there and cannot be read.
    """
    ours = read_tables(read_state(root).launch_configs, root)
    theirs = _launch_json(root, environ, file, known, is_asked=is_asked)
    taken = {configuration.name for configuration in ours.configurations}
    shadowed = [name for name in dict.fromkeys(entry.name for entry in theirs.configurations) if name in taken]
    kept = (*ours.configurations, *(entry for entry in theirs.configurations if entry.name not in taken))
    return Reading(
        kept,
        (
            *ours.warnings,
            *theirs.warnings,
            *(f"`{name}` stands in state.toml and in launch.json: the one in state.toml is used" for name in shadowed),
            *_said_of_twins(kept),
        ),
        theirs.inputs,
        theirs.compounds,
    )


def _said_of_twins(kept: Sequence[LaunchConfiguration]) -> list[str]:
    counts = Counter((entry.name, entry.source) for entry in kept)
    return [
        f"`{name}` stands {count} times in {source}: the first is used"
        for (name, source), count in counts.items()
        if count > 1
    ]


def said_of(reading: Reading, name: str) -> tuple[str, ...]:
    """The warnings that are about the configuration `name`."""
    return tuple(warning for warning in reading.warnings if f"`{name}`" in warning)


def find_launch(reading: Reading, name: str) -> LaunchConfiguration:
    """The first configuration called exactly `name`, which can be launched.

    Raises InvalidLaunchConfig, saying why not.
    """
    found = _called(reading, name)
    return _without(found.not_runnable_reason, found)


def find_configuration(reading: Reading, name: str) -> LaunchConfiguration:
    """As `find_launch`, and one that attaches will do."""
    found = _called(reading, name)
    return _without(found.fault, found)


def _called(reading: Reading, name: str) -> LaunchConfiguration:
    found = next((entry for entry in reading.configurations if entry.name == name), None)
    if found is None and name in reading.compounds:
        parts = reading.compounds[name]
        raise InvalidLaunchConfig(
            f"`{name}` is a compound: launch one of {', '.join(parts) or 'its configurations'}",
            name=name,
            available=list(parts),
        )
    if found is None:
        available = [entry.name for entry in reading.configurations]
        known = ", ".join(f"`{each}`" for each in available) or "none"
        raise InvalidLaunchConfig(
            f"there is no launch configuration `{name}`: there is {known}", name=name, available=available
        )
    return found


def _without(reason: str | None, found: LaunchConfiguration) -> LaunchConfiguration:
    if reason is None:
        return found
    raise InvalidLaunchConfig(
        f"`{found.name}` of {found.source} cannot be run: {reason}",
        name=found.name,
        source=found.source,
        adapter_type=found.adapter_type,
        unresolved=list(found.unresolved),
    )


def _launch_json(
    root: Path, environ: Mapping[str, str], file: Path | None, known: Mapping[str, str] | None, *, is_asked: bool
) -> Reading:
    path = launch_json_path(root)
    try:
        return read_text(path.read_text(encoding="utf-8"), root, environ, file, known, is_asked=is_asked)
    except (FileNotFoundError, NotADirectoryError):
        return Reading()
    except OSError as error:
        raise InvalidLaunchConfig(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        return Reading(warnings=(f"{path} is left out: {error}",))
