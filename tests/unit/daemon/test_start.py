"""The start file finds the code wherever lazydap lies, and old Pythons get a sentence."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lazydap_daemon

START = Path(lazydap_daemon.__file__).with_name("start.py")
SHOW = "import sys\n\ndef main(arguments):\n    print([*arguments, *sys.path])\n    return 3\n"


def _laid_out(root: Path, daemon: str) -> Path:
    """A tree with the real start file and a daemon that shows what it was given."""
    package = root / daemon
    package.mkdir(parents=True)
    (root / "lazydap_core").mkdir()
    (package / "__init__.py").touch()
    (package / "main.py").write_text(SHOW)
    (package / "log.py").write_text("raise ImportError('found by a bare name')\n")
    (package / "start.py").write_text(START.read_text())
    return package / "start.py"


@pytest.mark.parametrize(
    ("daemon", "roots"),
    [("daemon/lazydap_daemon", ["daemon", "."]), ("lazydap_daemon", ["."])],
    ids=["checkout", "wheel"],
)
def test_the_code_is_found_beside_the_start_file(tmp_path: Path, daemon: str, roots: list[str]) -> None:
    root = tmp_path.resolve()
    start = _laid_out(root, daemon)

    done = subprocess.run(
        [sys.executable, "-E", str(start), "--instance", "x"], capture_output=True, text=True, timeout=30, check=False
    )

    assert done.returncode == 3, done.stderr
    shown = ast.literal_eval(done.stdout)
    assert shown[: 2 + len(roots)] == ["--instance", "x", *(str(root / name) for name in roots)]
    assert str(start.parent) not in shown


def test_roots_that_are_on_the_path_already_are_not_moved(tmp_path: Path) -> None:
    start = _laid_out(tmp_path.resolve(), "lazydap_daemon")
    code = (
        f"import runpy, sys; sys.path = ['/first', {str(start.parent.parent)!r}, *sys.path]; sys.argv = ['start.py'];"
        f"sys.path.insert(0, {str(start.parent)!r}); runpy.run_path({str(start)!r}, run_name='__main__')"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)

    assert done.returncode == 3, done.stderr
    assert ast.literal_eval(done.stdout)[:2] == ["/first", str(start.parent.parent)]


def test_the_start_file_is_readable_for_an_old_python() -> None:
    source = START.read_text(encoding="ascii")

    tree = ast.parse(source, feature_version=(3, 4))
    assert not [node for node in ast.walk(tree) if isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr))]


def test_everything_of_the_daemon_is_loaded_at_its_start() -> None:
    package = START.parent
    expected = {
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in package.rglob("*.py")
    } - {
        "lazydap_daemon.start",
        "lazydap_daemon.adapters.debugpy_adapter",
        "lazydap_daemon.adapters.debugpy_launcher",
        "lazydap_daemon.adapters.relay",
        "lazydap_daemon.terminal.foreground",
    }
    code = "import sys, lazydap_daemon.main; print(' '.join(sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)

    assert expected - set(done.stdout.split()) == set()
