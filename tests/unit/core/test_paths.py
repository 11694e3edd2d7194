"""Where a project's files lie, and which folders are refused."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lazydap_core.errors import DaemonUnreachable
from lazydap_core.paths import places
from lazydap_core.project import has_root, instance_name, project_root


@pytest.fixture
def environ(short_folder: Path) -> dict[str, str]:
    (short_folder / "home").mkdir()
    return {
        "HOME": str(short_folder / "home"),
        "LAZYDAP_RUNTIME_DIR": str(short_folder / "run"),
        "LAZYDAP_DATA_DIR": str(short_folder / "data"),
    }


def test_files_are_named_after_the_instance(tmp_path: Path, environ: dict[str, str], short_folder: Path) -> None:
    found = places(tmp_path, environ=environ)

    name = instance_name(tmp_path)
    assert found.root == tmp_path
    assert found.instance == name
    assert found.socket == short_folder / "run" / f"lazydap-{name}.sock"
    assert found.lock == short_folder / "run" / f"lazydap-{name}.lock"
    assert found.stolen_lock(12) == short_folder / "run" / f"lazydap-{name}.stale-12"
    assert found.pid == short_folder / "data" / f"lazydap-{name}.pid"
    assert found.log == short_folder / "data" / f"lazydap-{name}.log"


@pytest.mark.parametrize(
    ("given", "variable", "expected"),
    [
        ("My Name", "other", "my-name"),
        (None, "Other_One", "other-one"),
        ("  ", "other", "other"),
        (None, " ", None),
        (None, "\udcff", None),
    ],
)
def test_a_given_name_goes_before_the_variable_and_that_before_the_root(
    tmp_path: Path, environ: dict[str, str], given: str | None, variable: str, expected: str | None
) -> None:
    found = places(tmp_path, instance=given, environ={**environ, "LAZYDAP_INSTANCE": variable})
    assert found.instance == (expected or instance_name(tmp_path))
    assert found.root == tmp_path


def test_folders_are_made_for_their_owner_alone_parents_included(tmp_path: Path, environ: dict[str, str]) -> None:
    deep = Path(environ["LAZYDAP_RUNTIME_DIR"]) / "a" / "b"
    before = os.umask(0)
    try:
        places(tmp_path, environ={**environ, "LAZYDAP_RUNTIME_DIR": str(deep)})
    finally:
        os.umask(before)
    assert {folder.stat().st_mode & 0o777 for folder in (deep, deep.parent, deep.parent.parent)} == {0o700}


def test_a_folder_that_others_may_read_is_closed_to_them(tmp_path: Path, environ: dict[str, str]) -> None:
    folder = Path(environ["LAZYDAP_DATA_DIR"])
    folder.mkdir(mode=0o755)
    places(tmp_path, environ=environ)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("variable", ["LAZYDAP_RUNTIME_DIR", "LAZYDAP_DATA_DIR"])
@pytest.mark.parametrize("mode", [0o1777, 0o1700, 0o777, 0o770])
def test_a_folder_that_others_use_is_refused_and_stays_as_it_is(
    tmp_path: Path, environ: dict[str, str], variable: str, mode: int
) -> None:
    folder = Path(environ[variable])
    folder.mkdir()
    folder.chmod(mode)

    with pytest.raises(
        DaemonUnreachable, match=rf"^others may write into {folder}: set {variable} to {folder}/lazydap"
    ):
        places(tmp_path, environ=environ)
    assert folder.stat().st_mode & 0o7777 == mode
    places(tmp_path, environ={**environ, variable: str(folder / "lazydap")})


@pytest.mark.parametrize("variable", ["LAZYDAP_RUNTIME_DIR", "LAZYDAP_DATA_DIR"])
def test_a_folder_that_is_a_link_is_refused_with_what_to_do(
    tmp_path: Path, environ: dict[str, str], variable: str
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    Path(environ[variable]).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DaemonUnreachable, match=rf"symbolic link: remove it, or set {variable}") as refused:
        places(tmp_path, environ=environ)
    assert "\n" not in refused.value.message


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    Path(environ["LAZYDAP_RUNTIME_DIR"]).touch()
    with pytest.raises(DaemonUnreachable, match="is not a folder"):
        places(tmp_path, environ=environ)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    somebody_elses = Path("/usr")
    if os.getuid() == 0:  # Then /usr is our own, but we may give a folder away.
        somebody_elses = tmp_path / "given away"
        somebody_elses.mkdir(mode=0o700)
        os.chown(somebody_elses, 12345, -1)
    with pytest.raises(DaemonUnreachable, match="belongs to user"):
        places(tmp_path, environ={**environ, "LAZYDAP_RUNTIME_DIR": str(somebody_elses)})


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DaemonUnreachable, match="set LAZYDAP_DATA_DIR"):
        places(tmp_path, environ={**environ, "LAZYDAP_DATA_DIR": str(tmp_path / "file" / "below")})


def test_a_socket_path_over_a_hundred_bytes_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    room = 100 - len(environ["LAZYDAP_RUNTIME_DIR"]) - len("/lazydap-.sock")
    assert len(os.fsencode(places(tmp_path, instance="x" * room, environ=environ).socket)) == 100
    with pytest.raises(DaemonUnreachable, match="101 bytes"):
        places(tmp_path, instance="x" * (room + 1), environ=environ)


@pytest.mark.linux
def test_the_desktops_folders_are_used_where_they_are_absolute(short_folder: Path, tmp_path: Path) -> None:
    home = short_folder / "home"
    home.mkdir()
    environ = {"HOME": str(home), "XDG_RUNTIME_DIR": str(short_folder), "XDG_DATA_HOME": str(tmp_path)}
    found = places(tmp_path, environ=environ)
    assert (found.runtime, found.data) == (short_folder / "lazydap", tmp_path / "lazydap")

    relative = {"HOME": str(home), "XDG_RUNTIME_DIR": str(short_folder), "XDG_DATA_HOME": "data"}
    assert places(tmp_path, environ=relative).data == home / ".local" / "share" / "lazydap"


@pytest.mark.linux
def test_without_a_desktop_sockets_lie_in_tmp_under_the_owner_of_home(
    short_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_made(folder: Path, owner: int, variable: str, _: Mapping[str, str]) -> Path:
        assert (owner, variable) in {(4242, "LAZYDAP_RUNTIME_DIR"), (4242, "LAZYDAP_DATA_DIR")}
        return folder

    def owner_of(_: Path) -> int:
        return 4242

    monkeypatch.setattr("lazydap_core.paths._private_folder", not_made)  # nothing of this machine's /tmp is touched
    monkeypatch.setattr("lazydap_core.paths._owner_of_home", owner_of)
    found = places(tmp_path, environ={"HOME": str(short_folder), "XDG_RUNTIME_DIR": "", "LAZYDAP_RUNTIME_DIR": ""})
    assert found.runtime == Path("/tmp/lazydap-4242")


def test_a_relative_folder_is_taken_from_here(
    short_folder: Path, tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(short_folder)
    assert places(tmp_path, environ={**environ, "LAZYDAP_RUNTIME_DIR": "r"}).runtime == short_folder / "r"


def test_a_home_that_is_gone_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(DaemonUnreachable, match="set HOME"):
        places(tmp_path, environ={**environ, "HOME": str(tmp_path / "none")})


def test_the_root_of_a_link_is_the_root_of_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "real" / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert project_root(tmp_path / "link", {"HOME": str(tmp_path)}) == tmp_path / "real"


def test_a_folder_under_no_marked_root_has_none(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert has_root(folder, environ) is None
    assert project_root(folder, environ) == folder
    (tmp_path / "a" / "package.json").touch()
    assert has_root(folder, environ) == tmp_path / "a"


PATHS_AND_BLOCKING = """
import sys
from pathlib import Path
import lazydap_core.client.blocking
import lazydap_core.client.starting
import lazydap_core.paths
lazydap_core.paths.places(Path("/"), environ={environ!r})
print(*(name for name in {heavy!r} if name in sys.modules))
"""


@pytest.mark.linux
def test_a_command_with_a_running_daemon_loads_nothing_heavy(environ: dict[str, str]) -> None:
    heavy = ("anyio", "asyncio", "tomlkit", "tomllib", "platformdirs", "subprocess", "threading", "psutil", "pynvim")
    program = PATHS_AND_BLOCKING.format(environ=environ, heavy=heavy)
    answer = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=20, check=True
    )
    assert answer.stdout.strip() == ""
