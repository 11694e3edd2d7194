"""Owns what of a Go program is to be built, how and from where; knows delve's words for it, and runs nothing."""

import re
from pathlib import Path
from typing import Final, Literal, get_args

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_daemon.adapters.plan import LaunchPlan

Mode = Literal["debug", "test", "exec"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

MAX_SOURCE: Final = 2**20
"""Bytes of a Go file that are looked at."""

_TEST_FILE: Final = "_test.go"
_MAIN: Final = re.compile(r"^func\s+main\s*\(\s*\)", re.MULTILINE)
_PACKAGE: Final = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_IGNORED: Final = re.compile(r"\A(?:\s*//[^\n]*\n|\s*\n)*?//(?:go:build|\s*\+build)\s+ignore\s*$", re.MULTILINE)


def mode_of(plan: LaunchPlan) -> Mode:
    """Whether the program is built, built as a test or there already: as the launch says, else by its name.

    Raises InvalidLaunchConfig for a mode that does not exist, or that does not fit the program.
    """
    path = program_path(plan)
    is_source = path.suffix == ".go" or path.is_dir()
    mode = plan.options.mode
    if mode is None:
        return "exec" if not is_source else "test" if path.name.endswith(_TEST_FILE) else "debug"
    if mode not in MODES:
        raise InvalidLaunchConfig(
            f"there is no mode {mode!r} for a Go program: use one of {', '.join(MODES)}", mode=mode
        )
    if (mode == "exec") is is_source:
        wanted = "a program that is built already" if mode == "exec" else "a Go file or the folder of a package"
        raise InvalidLaunchConfig(f"the mode {mode} needs {wanted}, which {path} is not", mode=mode, program=str(path))
    return mode


def program_path(plan: LaunchPlan) -> Path:
    """The program's real path: by it the compiler names its files, and so do breakpoints."""
    return Path(plan.cwd, plan.program).resolve()


def package_of(path: Path) -> Path:
    """The folder of the package that a Go file or a folder stands for."""
    return path if path.is_dir() else path.parent


def module_root(path: Path) -> Path:
    """Where `go build` is to run: the nearest folder with a `go.mod`, without one the package's own."""
    package = package_of(path)
    return next((folder for folder in (package, *package.parents) if (folder / "go.mod").is_file()), package)


def build_target(path: Path, mode: Mode) -> Path:
    """What is named to `go build`: the package, or one file of it where the file alone is the program.

    That is so outside of any module, and for one of several programs that share a folder.
    """
    package = package_of(path)
    if path == package or mode == "test":
        return package
    if not (module_root(path) / "go.mod").is_file():
        return path
    text = _text(path)
    if _IGNORED.search(text):
        return path
    others = (other for other in package.glob("*.go") if other != path and not other.name.endswith(_TEST_FILE))
    is_one_of_several = _MAIN.search(text) and any(_is_program(_text(other)) for other in others)
    return path if is_one_of_several else package


def library_of(target: Path) -> str | None:
    """The package that `target`, a folder or a file, belongs to where that is no program; None where it may be one."""
    files = [target] if target.suffix == ".go" else sorted(target.glob("*.go"))
    texts = (_text(file) for file in files if not file.name.endswith(_TEST_FILE))
    # All that is built of one folder belongs to one package.
    names = (clause[1] for text in texts if not _IGNORED.search(text) and (clause := _PACKAGE.search(text)))
    name = next(names, "main")
    return None if name == "main" else name


def _is_program(text: str) -> bool:
    return _MAIN.search(text) is not None and _IGNORED.search(text) is None


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MAX_SOURCE)
    except OSError:
        # Whoever builds it says what is wrong with it.
        return ""


def binary_name(target: Path, mode: Mode) -> str:
    """What the program that is built of `target` is called, as `go build` would call it."""
    name = target.stem if target.suffix == ".go" else target.name
    return f"{name or 'program'}.test" if mode == "test" else name or "program"
