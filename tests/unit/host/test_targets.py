"""Which project a command is meant for."""

from pathlib import Path
from uuid import UUID

from lazydap_nvim.model import Model, Project
from lazydap_nvim.targets import commanded, having_breakpoints, root_finder, root_for_breakpoint, root_for_start
from lazydap_nvim.verbs import Where
from tests.unit.host.building import frame, project, session, stop


def root_of(path: str) -> str | None:
    """Roots are the first two folders."""
    parts = path.split("/")
    return "/" + parts[1] if len(parts) > 2 and parts[1] in ("p", "q", "r") else None


def live(root: str, number: int, line: int = 4) -> Project:
    told = stop(1, frame=frame(line, path=f"{root}/a.py"))
    one = session(id=UUID(int=number), state="paused", stop=told, shown=frozenset({f"{root}/a.py", "/usr/lib/x.py"}))
    return project(root=root, session=one)


def model(*projects: Project, last: str | None = None) -> Model:
    return Model(projects={one.root: one for one in projects}, last=last)


def chosen(of: Model, file: str = "", cwd: str = "") -> str | None:
    found = commanded(of, Where(file=file, cwd=cwd), root_of)
    return None if found is None else found.root


def test_the_only_live_session_gets_every_command() -> None:
    assert chosen(model(live("/p", 1), project(root="/q")), file="/q/b.py") == "/p"


def test_of_several_the_one_whose_stop_the_window_shows() -> None:
    assert chosen(model(live("/p", 1), live("/q", 2), last="/p"), file="/q/a.py") == "/q"


def test_else_the_one_last_commanded_or_stopped() -> None:
    assert chosen(model(live("/p", 1), live("/q", 2), last="/q"), file="/p/other.py") == "/q"


def test_else_the_buffers_project() -> None:
    assert chosen(model(live("/p", 1), live("/q", 2)), file="/q/other.py") == "/q"


def test_with_nothing_live_the_buffers_project_or_the_editors_or_the_last() -> None:
    nothing = model(project(root="/p"), project(root="/q"), project(root="/r"), last="/r")
    assert chosen(nothing, file="/q/b.py") == "/q"
    assert chosen(nothing, cwd="/p/sub") == "/p"
    assert chosen(nothing, file="/tmp/x.py") == "/r"
    assert chosen(Model()) is None


def test_breakpoints_are_listed_of_the_files_project_though_another_is_live() -> None:
    known = model(live("/p", 1), project(root="/q"))
    listed = {file: having_breakpoints(known, Where(file=file), root_of) for file in ("/q/b.py", "/usr/lib/x.py", "")}
    assert [found and found.root for found in listed.values()] == ["/q", "/p", "/p"]


def test_a_library_that_was_stepped_into_belongs_to_the_program() -> None:
    assert root_for_breakpoint(model(live("/p", 1), project(root="/q")), "/usr/lib/x.py", root_of) == "/p"


def test_a_breakpoint_goes_to_the_files_project_else_to_one_launched_around_it() -> None:
    assert root_for_breakpoint(Model(), "/q/b.py", root_of) == "/q"
    assert root_for_breakpoint(model(project(root="/tmp/work")), "/tmp/work/b.py", root_of) == "/tmp/work"
    assert root_for_breakpoint(model(project(root="/tmp/work")), "/tmp/workshop/b.py", root_of) is None


def test_roots_are_found_from_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "top" / ".lazydap").mkdir(parents=True)
    (tmp_path / "top" / "sub").mkdir()
    (tmp_path / "top" / "sub" / "a.py").touch()
    find = root_finder({"HOME": str(tmp_path)})
    top = str(tmp_path / "top")
    assert find(f"{top}/sub/a.py") == top
    assert find(f"{top}/sub") == top
    assert find(f"{top}/sub/not yet there.py") == top
    assert find(str(tmp_path / "elsewhere.py")) is None
    assert find("") is None


def test_a_start_belongs_to_a_project_and_without_one_to_the_folder_of_the_file() -> None:
    roots = {"/p/a.py": "/p", "/q/prog": "/q", "/q": "/q"}

    assert root_for_start("/p/a.py", "/q/prog", "/q", roots.get) == "/p"
    assert root_for_start("/x/a.py", "/q/prog", "/y", roots.get) == "/q"
    assert root_for_start("/x/a.py", "", "/q", roots.get) == "/q"
    assert root_for_start("/x/a.py", "", "/y", roots.get) == "/x"
    assert root_for_start("/x/a.py", "/z/prog", "/y", roots.get) == "/y"
    assert root_for_start("", "", "/y", roots.get) == "/y"
