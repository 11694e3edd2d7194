"""What one launch is, and what is refused before it is sent."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from lazydap_core.discovery.finding import Found
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import InvalidLaunchConfig, Unsupported
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_nvim.orders import Order, adapter_kind, of_configuration, of_program, request_for

ALL = frozenset({"stop_detail", "launch_options"})


@pytest.fixture
def root(tmp_path: Path) -> str:
    for name in ("app.py", "main.c", "tool", "data.txt", "main.go"):
        (tmp_path / name).write_text("")
    (tmp_path / "tool").chmod(0o755)
    (tmp_path / "bin").mkdir()
    return str(tmp_path)


def order(word: str, root: str, **more: Any) -> Order:
    return of_program(word, [], root, root, {}, **more)


def test_a_program_word_is_found_from_the_editors_directory(root: str) -> None:
    assert order("bin/../app.py", root).program == f"{root}/app.py"
    assert order(f"{root}/app.py", root).program == f"{root}/app.py"
    assert of_program("../app.py", [], root, f"{root}/bin", {}).program == f"{root}/app.py"


def test_a_bare_word_that_is_no_file_is_looked_for_on_the_path(root: str) -> None:
    assert of_program("tool", [], root, f"{root}/bin", {"PATH": root}).program == f"{root}/tool"


@pytest.mark.parametrize(
    ("name", "kind"), [("app.py", "debugpy"), ("main.go", "delve"), ("bin", "delve"), ("tool", "codelldb")]
)
def test_the_name_of_a_program_decides_its_adapter(root: str, name: str, kind: AdapterKind) -> None:
    assert adapter_kind(f"{root}/{name}") == kind


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("nowhere", "there is no program"),
        ("main.c", "main.c is source text: build it"),
        ("data.txt", "data.txt cannot be executed"),
    ],
)
def test_what_cannot_be_run_is_refused_with_what_to_do(root: str, word: str, why: str) -> None:
    with pytest.raises(InvalidLaunchConfig, match=why):
        order(word, root)


def test_a_folder_is_refused_unless_it_is_a_go_package(root: str) -> None:
    with pytest.raises(InvalidLaunchConfig, match="is a folder"):
        order("bin", root, kind="codelldb")
    assert order("bin", root).kind == "delve"


def test_a_configuration_brings_its_own_settings(root: str) -> None:
    configuration = LaunchConfiguration(
        name="tests",
        source="launch.json",
        adapter="debugpy",
        adapter_type="python",
        request="launch",
        program=f"{root}/app.py",
        args=("-q",),
        env={"A": "1"},
        adapter_command="/usr/bin/python3",
    )
    made = of_configuration(configuration, root, (), stop_on_entry=True)
    assert isinstance(made, Order)
    assert made == Order(
        root=root,
        kind="debugpy",
        program=f"{root}/app.py",
        args=("-q",),
        cwd=root,
        env={"A": "1"},
        stop_on_entry=True,
        pinned="/usr/bin/python3",
        configuration="tests",
    )


def found(program: Any, kind: AdapterKind, interpreter: str | None = None) -> Found:
    return Found(kind, program, (f"/usr/bin/{program}",), interpreter)


def test_the_editors_environment_travels_where_the_daemon_takes_it(root: str) -> None:
    environ = {"COLOUR": "blue", "NVIM": "/run/nvim.1", "VIMRUNTIME": "/usr/share/nvim"}
    sent = request_for(order("app.py", root), found("debugpy", "debugpy", "/venv/bin/python"), environ, ALL)
    assert sent.options == {"client_env": {"COLOUR": "blue"}}
    assert sent.adapter_command == "/venv/bin/python"
    plain = request_for(order("app.py", root), found("debugpy", "debugpy", "/venv/bin/python"), environ, frozenset())
    assert plain.options is None


def test_a_mode_travels_and_is_not_lost_on_a_daemon_that_takes_none(root: str) -> None:
    tests = msgspec.structs.replace(order("bin", root), mode="test")
    assert request_for(tests, found("delve", "delve"), {}, ALL).options == {"client_env": {}, "mode": "test"}
    with pytest.raises(Unsupported, match="run tests"):
        request_for(tests, found("delve", "delve"), {}, frozenset())
    plain = request_for(order("bin", root), found("delve", "delve"), {}, frozenset())
    assert (plain.adapter, plain.options) == ("delve", None)


def test_a_native_program_names_the_adapter_that_serves_it(root: str) -> None:
    sent = request_for(order("tool", root), found("lldb-dap", "codelldb"), {}, ALL)
    assert sent.adapter == "codelldb"
    assert sent.adapter_command == "/usr/bin/lldb-dap"
    assert sent.options == {"client_env": {}, "adapter": "lldb-dap"}


def test_lldb_dap_is_not_sent_to_a_daemon_that_does_not_know_it(root: str) -> None:
    with pytest.raises(Unsupported, match="install codelldb"):
        request_for(order("tool", root), found("lldb-dap", "codelldb"), {}, frozenset())
