"""Owns reading the user's config.toml; knows what its keys are called, not what they are used for."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec

from lazydap_core.errors import ConfigInvalid
from lazydap_core.project import home_folder

CONFIG_FILE: Final = Path("lazydap") / "config.toml"


class Config(msgspec.Struct, frozen=True):
    """What the user has configured. `commands` has the path of a program by the name it is configured under.

    The names are adapter kinds and `lldb-dap`; for `debugpy` the path is an interpreter. `path` is the file that was
    read, None when there is none. `idle_exit_minutes` is how long an unused daemon stays, 0 for ever.
    """

    path: Path | None = None
    wait_timeout_seconds: int | None = None
    idle_exit_minutes: float = 240
    commands: Mapping[str, str] = {}


class _General(msgspec.Struct):
    wait_timeout_seconds: Annotated[int, msgspec.Meta(ge=0)] | None = None


class _Daemon(msgspec.Struct):
    idle_exit_minutes: Annotated[float, msgspec.Meta(ge=0)] = 240


class _Adapter(msgspec.Struct):
    command: str | None = None


class _Document(msgspec.Struct):
    general: _General = msgspec.field(default_factory=_General)
    daemon: _Daemon = msgspec.field(default_factory=_Daemon)
    adapter: dict[str, _Adapter] = {}  # msgspec copies it


def read_config(environ: Mapping[str, str]) -> Config:
    """The user's configuration, the defaults where there is no file.

    Raises ConfigInvalid when the file cannot be read or is malformed, or `LAZYDAP_CONFIG_PATH` names none.
    """
    if named := environ.get("LAZYDAP_CONFIG_PATH"):
        return _read(Path(named))
    found = next((path for path in _candidates(environ) if path.exists()), None)
    return _read(found) if found else Config()


def config_path(environ: Mapping[str, str]) -> Path:
    """The file that `read_config` reads; where there is none, the one to create."""
    if named := environ.get("LAZYDAP_CONFIG_PATH"):
        return Path(named)
    candidates = list(_candidates(environ))
    return next((path for path in candidates if path.exists()), candidates[0])


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    if shared := environ.get("XDG_CONFIG_HOME"):
        yield Path(shared) / CONFIG_FILE
    yield home_folder(environ) / ".config" / CONFIG_FILE
    if sys.platform == "darwin":
        import platformdirs  # noqa: PLC0415  # 25 ms, and only here is its answer the contract's

        yield platformdirs.user_config_path(appauthor=False) / CONFIG_FILE


def _read(path: Path) -> Config:
    try:
        document = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8").removeprefix("\ufeff")), _Document)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path} cannot be read: {error}", path=str(path)) from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise ConfigInvalid(f"{path} is malformed: {error}", path=str(path)) from error
    return Config(
        path=path,
        wait_timeout_seconds=document.general.wait_timeout_seconds,
        idle_exit_minutes=document.daemon.idle_exit_minutes,
        commands={name: adapter.command for name, adapter in document.adapter.items() if adapter.command is not None},
    )
