"""Which program serves a launch, among small scripts that stand for adapters."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from lazydap_core.config import Config
from lazydap_core.discovery import lldb_dap, probing, rust
from lazydap_core.discovery.finding import Found, find
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import AdapterNotFound

CODELLDB = "#!/bin/sh\nread line\nprintf 'Content-Length: 2\\r\\n\\r\\n{}'\nexec sleep 60\n"
LLDB_DAP = "#!/bin/sh\necho 'OVERVIEW: LLDB DAP'\n"
PYTHON = "#!/bin/sh\necho 'lazydap-asks 3.9'\n"
DELVE = "#!/bin/sh\necho 'dlv dap [flags]'\n"
BROKEN = "#!/bin/sh\necho first\necho 'error while loading shared libraries: liblldb.so' >&2\nexit 127\n"


class Disk:
    """A home folder and a PATH with nothing in them but what a test puts there."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.home = top / "home"
        self.bin = top / "bin"
        self.later = top / "later"
        for folder in (self.home, self.bin, self.later):
            folder.mkdir()
        # The scripts themselves need sh and sleep.
        self.environ = {"HOME": str(self.home), "PATH": f"{self.bin}:{self.later}:/nowhere"}

    def put(self, path: Path | str, text: str) -> str:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("exec sleep", "exec /bin/sleep"))
        file.chmod(0o755)
        return str(file)

    def find(self, kind: AdapterKind, config: dict[str, str] | None = None, **more: Any) -> Found:
        return find(kind, environ=self.environ, config=Config(commands=config or {}), **more)

    def fails(self, kind: AdapterKind, config: dict[str, str] | None = None, **more: Any) -> AdapterNotFound:
        with pytest.raises(AdapterNotFound) as failed:
            self.find(kind, config, **more)
        assert "\n" not in failed.value.message
        assert failed.value.details["adapter"] == kind
        return failed.value


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    # What this machine has must not be found.
    monkeypatch.setattr(sys, "executable", str(tmp_path / "own" / "python3"))
    monkeypatch.setattr(lldb_dap, "LLVM_FOLDERS", str(tmp_path / "llvm"))
    monkeypatch.setattr(lldb_dap, "HOMEBREW", ())
    return Disk(tmp_path)


def test_codelldb_goes_before_lldb_dap(disk: Disk) -> None:
    disk.put("bin/lldb-dap", LLDB_DAP)
    file = disk.put("later/codelldb", CODELLDB)
    found = disk.find("codelldb")
    assert (found.program, found.command, found.adapter_command) == ("codelldb", (file,), file)


def test_lldb_dap_serves_where_no_codelldb_is(disk: Disk) -> None:
    file = disk.put("later/lldb-dap", LLDB_DAP)
    found = disk.find("codelldb")
    assert (found.kind, found.program, found.command) == ("codelldb", "lldb-dap", (file,))


def test_a_codelldb_that_panics_is_told_with_its_reason_and_not_with_rusts_advice(disk: Disk) -> None:
    advice = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
    panic = f"#!/bin/sh\necho \"thread 'main' panicked\nliblldb.so: cannot open\" >&2\necho '{advice}' >&2\nexit 101\n"
    file = disk.put("bin/codelldb", panic)
    assert disk.fails("codelldb", {"codelldb": file}).details["hint"] == "liblldb.so: cannot open"


def test_one_of_the_two_can_be_asked_for(disk: Disk) -> None:
    disk.put("bin/codelldb", CODELLDB)
    disk.put("bin/lldb-dap", LLDB_DAP)
    assert disk.find("codelldb", adapter="lldb-dap").program == "lldb-dap"
    assert disk.find("codelldb", adapter="codelldb").program == "codelldb"
    disk.put("bin/python3", PYTHON)
    assert "lldb-dap does not serve debugpy" in disk.fails("debugpy", adapter="lldb-dap").message


def test_a_plain_name_goes_before_numbers_and_the_newest_number_before_older_ones(disk: Disk) -> None:
    expected = [
        disk.put("later/lldb-dap", LLDB_DAP),
        disk.put("later/lldb-dap-20", LLDB_DAP),
        disk.put("bin/lldb-dap-9", LLDB_DAP),
        disk.put("later/lldb-vscode", LLDB_DAP),
        disk.put("bin/lldb-vscode-16", LLDB_DAP),
        disk.put("own/lldb-dap", LLDB_DAP),
        disk.put("llvm/llvm-19/bin/lldb-dap", LLDB_DAP),
        disk.put("llvm/llvm-14/bin/lldb-vscode", LLDB_DAP),
    ]
    for file in expected:
        assert disk.find("codelldb").command == (file,)
        Path(file).unlink()
    disk.fails("codelldb")


def test_codelldb_is_looked_for_where_editors_put_it_newest_first(disk: Disk) -> None:
    expected = [
        disk.put("home/.local/share/nvim/mason/packages/codelldb/extension/adapter/codelldb", CODELLDB),
        disk.put("home/.cursor/extensions/vadimcn.vscode-lldb-1.11.4-universal/adapter/codelldb", CODELLDB),
        disk.put("home/.vscode/extensions/vadimcn.vscode-lldb-1.9.2/adapter/codelldb", CODELLDB),
    ]
    for file in expected:
        assert disk.find("codelldb").command == (file,)
        Path(file).unlink()


def test_masons_folder_follows_its_variables(disk: Disk) -> None:
    file = disk.put("elsewhere/bin/dlv", DELVE)
    disk.environ["MASON"] = str(disk.top / "elsewhere")
    assert disk.find("delve").command == (file,)
    del disk.environ["MASON"]
    file = disk.put("share/mine/mason/bin/dlv", DELVE)
    disk.environ |= {"XDG_DATA_HOME": str(disk.top / "share"), "NVIM_APPNAME": "mine"}
    assert disk.find("delve").command == (file,)


def test_delve_is_looked_for_where_go_puts_it(disk: Disk) -> None:
    disk.environ |= {"GOBIN": str(disk.top / "gobin"), "GOPATH": f"{disk.top}/one:{disk.top}/two"}
    for path in ("bin/dlv", "gobin/dlv", "one/bin/dlv", "two/bin/dlv", "home/go/bin/dlv"):
        disk.put(path, DELVE)
    for path in ("bin/dlv", "gobin/dlv", "one/bin/dlv", "two/bin/dlv", "home/go/bin/dlv"):
        file = disk.top / path
        assert disk.find("delve").command == (str(file),)
        file.unlink()


def test_the_programs_python_is_the_active_environments_then_the_nearest_venvs_then_the_paths(disk: Disk) -> None:
    root = disk.top / "project"
    program = root / "src" / "tool" / "main.py"
    disk.environ["VIRTUAL_ENV"] = str(disk.top / "active")
    expected = [
        disk.put("active/bin/python", PYTHON),
        disk.put("project/src/tool/.venv/bin/python", PYTHON),
        disk.put("project/src/.venv/bin/python", PYTHON),
        disk.put("project/.venv/bin/python", PYTHON),
        disk.put("bin/python", PYTHON),
        disk.put("later/python3", PYTHON),
    ]
    disk.put(".venv/bin/python", PYTHON)  # above the project
    for file in expected:
        found = disk.find("debugpy", program=program, root=root)
        assert found.interpreter == found.adapter_command == file
        assert found.command == (sys.executable, "-m", "debugpy.adapter")
        Path(file).unlink()
    disk.fails("debugpy", program=program, root=root)


def test_a_program_outside_the_project_has_its_own_venv_first(disk: Disk) -> None:
    root = disk.top / "project"
    beside_root = disk.put("project/.venv/bin/python", PYTHON)
    assert disk.find("debugpy", root=root).interpreter == beside_root
    beside = disk.put("tool/.venv/bin/python", PYTHON)
    assert disk.find("debugpy", program=disk.top / "tool" / "x.py", root=root).interpreter == beside


def test_what_does_not_work_is_passed_over_and_told_only_when_nothing_does(disk: Disk) -> None:
    broken = disk.put("bin/lldb-dap", BROKEN)
    failed = disk.fails("codelldb")
    assert failed.details["found"] == broken
    assert failed.details["hint"] == "error while loading shared libraries: liblldb.so"
    assert str(disk.later) in failed.details["searched"]
    assert "adapter.lldb-dap.command" in failed.message

    working = disk.put("later/lldb-dap", LLDB_DAP)
    assert disk.find("codelldb").command == (working,)


def test_a_broken_codelldb_leaves_the_launch_to_lldb_dap(disk: Disk) -> None:
    # Its `--help` would answer: only a greeting shows that its library is missing.
    disk.put("bin/codelldb", "#!/bin/sh\necho usage\nexit 101\n")
    disk.put("bin/lldb-dap", LLDB_DAP)
    assert disk.find("codelldb").program == "lldb-dap"


def test_a_python_too_old_for_debugpy_is_named(disk: Disk) -> None:
    disk.put("bin/python3", "#!/bin/sh\necho 'lazydap-asks 2.7'\n")
    assert "Python 2.7" in disk.fails("debugpy").details["hint"]


def test_a_python_that_only_prints_is_none(disk: Disk) -> None:
    disk.put("bin/python3", "#!/bin/sh\necho 'no version is installed'\n")
    assert disk.fails("debugpy").details["hint"] == "no version is installed"


def test_nothing_found_says_how_to_install_it_and_every_place_searched(disk: Disk) -> None:
    failed = disk.fails("codelldb")
    assert "MasonInstall codelldb" in failed.message
    assert "lazydap[lldb]" in failed.message
    assert str(disk.home / ".config" / "lazydap" / "config.toml") in failed.message
    searched = failed.details["searched"]
    assert len(set(searched)) == len(searched)
    assert {
        str(disk.bin),
        "/nowhere",
        str(disk.home / ".local/share/nvim/mason/packages/codelldb/extension/adapter/codelldb"),
        str(disk.home / ".vscode/extensions"),
        str(disk.home / ".cursor/extensions"),
        str(disk.top / "own" / "lldb-dap"),
    } <= set(searched)
    assert "go install" in disk.fails("delve").message
    assert "Python 3.8" in disk.fails("debugpy").message


@pytest.mark.parametrize("how", ["pinned", "configured"])
@pytest.mark.parametrize("fault", ["missing", "not executable", "a folder"])
def test_a_path_that_somebody_named_is_never_passed_over(disk: Disk, how: str, fault: str) -> None:
    disk.put("bin/codelldb", CODELLDB)
    named = disk.top / "named"
    if fault == "not executable":
        named.write_text(CODELLDB)
    elif fault == "a folder":
        named.mkdir()

    if how == "pinned":
        failed = disk.fails("codelldb", pinned=str(named))
    else:
        failed = disk.fails("codelldb", {"codelldb": str(named)})

    assert failed.details == {"adapter": "codelldb", "configured": str(named)}


def test_a_named_path_that_does_not_work_is_never_passed_over(disk: Disk) -> None:
    disk.put("bin/codelldb", CODELLDB)
    broken = disk.put("named", BROKEN)
    assert disk.fails("codelldb", {"codelldb": broken}).details["found"] == broken
    assert disk.fails("codelldb", pinned=broken).details["found"] == broken


def test_a_pin_goes_before_the_configuration_and_that_before_the_search(disk: Disk) -> None:
    disk.put("bin/codelldb", CODELLDB)
    configured = disk.put("configured", CODELLDB)
    pinned = disk.put("pinned", CODELLDB)
    assert disk.find("codelldb", {"codelldb": configured}).command == (configured,)
    assert disk.find("codelldb", {"codelldb": configured}, pinned=pinned).command == (pinned,)


def test_a_configured_lldb_dap_is_used_where_no_codelldb_is(disk: Disk) -> None:
    configured = disk.put("my-lldb", LLDB_DAP)
    assert disk.find("codelldb", {"lldb-dap": configured}).program == "lldb-dap"
    disk.put("bin/codelldb", CODELLDB)
    assert disk.find("codelldb", {"lldb-dap": configured}).program == "codelldb"


@pytest.mark.parametrize("name", ["lldb-dap", "lldb-dap-19", "lldb-vscode-16"])
def test_a_pinned_lldb_dap_is_known_by_its_name(disk: Disk, name: str) -> None:
    assert disk.find("codelldb", pinned=disk.put(f"x/{name}", LLDB_DAP)).program == "lldb-dap"


def test_a_configured_python_is_the_programs(disk: Disk) -> None:
    disk.put("bin/python3", PYTHON)
    configured = disk.put("other/python", PYTHON)
    assert disk.find("debugpy", {"debugpy": configured}).interpreter == configured


def test_without_asking_the_first_executable_is_taken(disk: Disk) -> None:
    broken = disk.put("bin/codelldb", BROKEN)
    assert disk.find("codelldb", probe=False).command == (broken,)


def test_a_program_that_hangs_costs_a_bounded_time_and_leaves_nothing_running(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "PROBE_SECONDS", 0.3)
    disk.put("bin/python3", f"#!/bin/sh\n/bin/sleep 60 &\necho $! > {disk.top}/pid\nwait\n")
    started = time.monotonic()

    assert "did not answer within" in disk.fails("debugpy").details["hint"]

    assert time.monotonic() - started < 5
    sleeper = int((disk.top / "pid").read_text())
    deadline = time.monotonic() + 5
    while psutil.pid_exists(sleeper) and psutil.Process(sleeper).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "what the program started still runs"
        time.sleep(0.005)  # noqa: TID251  # this is the poll, and it has a deadline


def test_a_program_that_answers_is_ended_when_it_has_said_enough(disk: Disk) -> None:
    disk.put("bin/codelldb", CODELLDB)
    started = time.monotonic()
    disk.find("codelldb")
    assert time.monotonic() - started < probing.PROBE_SECONDS


def test_a_flood_of_output_is_cut(disk: Disk) -> None:
    disk.put("bin/python3", "#!/bin/sh\nwhile :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done\n")
    started = time.monotonic()
    disk.fails("debugpy")
    assert time.monotonic() - started < probing.PROBE_SECONDS


def test_adapters_are_asked_without_the_pythons_of_others(disk: Disk) -> None:
    disk.environ |= {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "KEPT": "yes"}
    disk.put("bin/dlv", '#!/bin/sh\necho "dap $PYTHONHOME$PYTHONPATH$KEPT" >&2\nexit 3\n')
    assert disk.fails("delve").details["hint"] == "dap yes"


def test_the_pythons_and_the_debugger_of_this_environment_work() -> None:
    environ = dict(os.environ)
    assert find("debugpy", environ=environ, config=Config(), pinned=sys.executable).interpreter == sys.executable


def test_a_version_managers_stand_in_is_seen_through_in_the_programs_folder(disk: Disk) -> None:
    project = disk.top / "project"
    project.mkdir()
    (project / ".python-version").write_text("/real/python3.12\n")
    disk.put(
        "bin/python3",
        "#!/bin/sh\nread real < .python-version 2>/dev/null\necho 'lazydap-asks 3.12'\necho \"lazydap-asks $real\"\n",
    )
    assert disk.find("debugpy", program=project / "app.py", root=project).interpreter == "/real/python3.12"


RUSTC = '#!/bin/sh\n[ "$RUSTUP_AUTO_INSTALL" = 0 ] || exit 1\necho info: toolchain >&2\necho {}\n'


def test_the_scripts_that_show_rusts_types_are_those_of_the_toolchain_in_use(disk: Disk) -> None:
    toolchain = disk.top / "toolchain"
    disk.put(disk.bin / "rustc", RUSTC.format(toolchain))
    assert rust.formatters(disk.environ, None) is None
    for name in (rust.SCRIPT, rust.COMMANDS):
        disk.put(toolchain / rust.BELOW / name, "")
    assert rust.formatters(disk.environ, str(disk.home)) == toolchain / rust.BELOW


def test_a_rust_compiler_that_is_not_on_the_path_or_does_not_work_is_looked_for_in_cargos_folder(disk: Disk) -> None:
    toolchain = disk.top / "toolchain"
    for name in (rust.SCRIPT, rust.COMMANDS):
        disk.put(toolchain / rust.BELOW / name, "")
    disk.put(disk.bin / "rustc", BROKEN)
    disk.put(disk.home / ".cargo/bin/rustc", RUSTC.format(toolchain))
    assert rust.formatters(disk.environ, None) == toolchain / rust.BELOW
    hidden = {**disk.environ, "CARGO_HOME": str(disk.top / "elsewhere")}
    assert rust.formatters(hidden, None) is None
