"""Owns the list of breakpoints: asked for by a command, kept as it is while it can be seen."""

from typing import Final

from msgspec.structs import replace

from lazydap_nvim import entries
from lazydap_nvim.host import Host
from lazydap_nvim.model import Project
from lazydap_nvim.targets import having_breakpoints
from lazydap_nvim.verbs import Breakpoints

BREAKPOINTS: Final = "breakpoints"


async def list_breakpoints(host: Host, verb: Breakpoints) -> None:
    """`:LazydapBreakpoints`: those of one project as a list, kept up to date from now on. Raises LazydapError."""
    await host.acquainted(verb.where, is_file_enough=True)
    token = next(host.tokens)
    project = having_breakpoints(host.model, verb.where, host.root_of)
    if project is not None and project.breakpoints:
        # What is known already need not wait for the rest.
        _open(host, project.root, token)
    if project is not None and project.is_connected:
        host.looks.listed[project.root] = _session(project)
        await host.read_stoppers(project.root)
        project = host.project(project.root)
    if project is not None and (project.breakpoints or entries.of_project(project)):
        _open(host, project.root, token)
    else:
        host.editor.say("no breakpoints: :LazydapBreak puts one")


def _open(host: Host, root: str, token: int) -> None:
    host.model = replace(host.model, breakpoint_list=token, breakpoint_root=root)
    host.draw()


def renew(host: Host, project: Project) -> None:
    """Ask anew where a session has come or gone and the list is in sight: no event tells what its adapter thinks."""
    session = project.live
    if BREAKPOINTS not in host.looks.shown or not project.is_connected:
        return
    is_early = session is not None and session.state == "initialising"
    if not is_early and host.looks.listed.get(project.root, "") != _session(project):
        host.looks.listed[project.root] = _session(project)
        host.want(project.root, "stoppers")


def _session(project: Project) -> str | None:
    return None if project.live is None else str(project.live.id)
