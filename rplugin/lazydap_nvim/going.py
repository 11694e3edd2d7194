"""Owns running to the cursor's line and jumping to it: whether that can be done now, and what is sent."""

from pathlib import Path

from lazydap_core.protocol import objects, requests
from lazydap_nvim import following, older
from lazydap_nvim.explain import NOTHING_LIVE, RUNNING, STILL_LAUNCHING
from lazydap_nvim.host import Host
from lazydap_nvim.verbs import Jump, RunTo


async def go(host: Host, verb: RunTo | Jump) -> None:
    """Move the program to a line, or say in one line why not."""
    project = await host.acquainted(verb.where)
    session = None if project is None else project.live
    if project is None or session is None:
        is_launching = project is not None and project.launching is not None
        host.editor.say(STILL_LAUNCHING if is_launching else NOTHING_LIVE)
        return
    if session.state != "paused":
        host.editor.say(RUNNING)
        return
    file = verb.file or verb.where.file
    if not file:
        host.editor.say("this buffer is no file: go to a line of the program's source", "warn")
        return
    feature, what = ("run_to", "run to a line") if isinstance(verb, RunTo) else ("goto", "jump to a line")
    if feature not in project.features:
        host.editor.say(f"this daemon cannot {what}: end it with :Lazydap shutdown, a newer one starts", "warn")
        return
    there = older.of(verb.older, project.root, verb.line or verb.where.line)
    if there.is_new:
        host.editor.say(older.refusal(session), "warn")
        return
    if words := older.remark(there):
        host.editor.say(*words)
    await following.deliver(host, host.link_to(project.root))
    kind = requests.RunTo if isinstance(verb, RunTo) else requests.Goto
    wanted = kind(session_id=session.id, source=str(Path(file)), line=there.line, wait=objects.NoWait())
    host.move(project.root, wanted)
