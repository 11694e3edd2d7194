"""Which config.toml is read."""

import sys
from pathlib import Path

import pytest

from lazydap_core.config import Config, config_path, read_config
from lazydap_core.errors import ConfigInvalid


def _write(file: Path, seconds: int) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[general]\nwait_timeout_seconds = {seconds}\n[other]\nx = 1\n")
    return file


def test_without_a_file_there_are_defaults_and_a_file_to_create(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert read_config(environ) == Config(path=None, wait_timeout_seconds=None, commands={})
    assert config_path(environ) == tmp_path / ".config" / "lazydap" / "config.toml"


def test_a_named_file_goes_first_then_the_desktops_then_the_homes(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
        "LAZYDAP_CONFIG_PATH": str(tmp_path / "named.toml"),
    }
    files = [
        _write(tmp_path / "named.toml", 1),
        _write(tmp_path / "xdg" / "lazydap" / "config.toml", 2),
        _write(tmp_path / "home" / ".config" / "lazydap" / "config.toml", 3),
    ]
    assert (read_config(environ).wait_timeout_seconds, config_path(environ)) == (1, files[0])
    environ["LAZYDAP_CONFIG_PATH"] = ""
    assert (read_config(environ).path, config_path(environ)) == (files[1], files[1])
    files[1].unlink()
    assert (read_config(environ).path, config_path(environ)) == (files[2], files[2])
    files[2].unlink()
    assert config_path(environ) == files[1]


def test_a_named_file_that_is_missing_is_an_error_whatever_else_there_is(tmp_path: Path) -> None:
    _write(tmp_path / ".config" / "lazydap" / "config.toml", 3)
    with pytest.raises(ConfigInvalid, match=r"named\.toml cannot be read"):
        read_config({"HOME": str(tmp_path), "LAZYDAP_CONFIG_PATH": str(tmp_path / "named.toml")})


@pytest.mark.linux
def test_platformdirs_is_not_asked_where_its_answer_is_not_the_contracts(tmp_path: Path) -> None:
    loaded = "platformdirs" in sys.modules
    read_config({"HOME": str(tmp_path)})
    assert ("platformdirs" in sys.modules) == loaded
