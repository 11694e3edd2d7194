"""Owns which project a command is meant for; asks the file system only for where a project's root is."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from lazydap_core.project import has_root
from lazydap_nvim.model import Model, Project, place, standing_frame
from lazydap_nvim.verbs import Where

RootOf = Callable[[str], str | None]


def root_finder(environ: Mapping[str, str]) -> RootOf:
    """A function from a file or folder to the root of the project it lies in, None where there is none."""

    def root_of(path: str) -> str | None:
        if not path:
            return None
        found = has_root(Path(path) if os.path.isdir(path) else Path(path).parent, environ)  # noqa: PTH112 - hot
        return None if found is None else str(found)

    return root_of


def is_same_file(one: str, other: str) -> bool:
    """Whether two names are of one file, links followed."""
    return one == other or (bool(one) and bool(other) and os.path.realpath(one) == os.path.realpath(other))


def commanded(model: Model, where: Where, root_of: RootOf) -> Project | None:
    """The project whose session a movement or a question is for.

    The one whose stop this window shows, else the one last commanded or last stopped, else the only live one; with
    nothing live the buffer's project, or the one last commanded.
    """
    live = [project for project in model.projects.values() if project.live is not None]
    if len(live) == 1:
        return live[0]
    for project in live:
        if _stands_in(project, where.file):
            return project
    last = model.projects.get(model.last) if model.last is not None else None
    if last is not None and last in live:
        return last
    own = model.projects.get(root_of(where.file) or root_of(where.cwd) or "")
    if live:
        return own if own in live else live[-1]
    return own or last


def root_for_start(file: str, program: str, cwd: str, root_of: RootOf) -> str:
    """The project a launch or an attach belongs to: the file's, the program's, else where the editor or the file is.

    These two are the commands that make a project where nothing marks one: a session has to belong somewhere.
    """
    found = root_of(file) or root_of(program) or root_of(cwd)
    if found is not None:
        return found
    return str(Path(file).parent) if file and not program else cwd


def _stands_in(project: Project, file: str) -> bool:
    session = project.live
    where = None if session is None or session.stop is None else place(standing_frame(session.stop))
    return where is not None and is_same_file(where[0], file)


def root_for_breakpoint(model: Model, file: str, root_of: RootOf) -> str | None:
    """The root of the project that owns breakpoints in `file`.

    The live session that has shown the file, else the project it lies in, else one that was launched around it.
    """
    for project in model.projects.values():
        if project.live is not None and file in project.live.shown:
            return project.root
    if root := root_of(file):
        return root
    around = [root for root in model.projects if file.startswith(root.rstrip("/") + "/")]
    return max(around, key=len, default=None)


def having_breakpoints(model: Model, where: Where, root_of: RootOf) -> Project | None:
    """The project whose breakpoints are meant where no line is: that of the file, else the one commanded from here."""
    root = root_for_breakpoint(model, where.file, root_of) if where.file else None
    return model.projects.get(root or "") or commanded(model, where, root_of)
