"""Owns what the user reads: an error, an ending or a status in one line that says what to do; knows no editor."""

import logging
import re
from collections.abc import Sequence
from pathlib import PurePath

from lazydap_core.domain.endings import exit_code_words, signal_of
from lazydap_core.errors import (
    DapProtocolError,
    LazydapError,
    SessionAlreadyActive,
    SessionNotFound,
    SessionNotPaused,
    StaleHandle,
)
from lazydap_core.protocol.objects import OutputChunk
from lazydap_nvim.model import Project, Session, one_line, place, standing_frame
from lazydap_nvim.verbs import Severity

NOTHING_LIVE = "nothing is live: :LazydapLaunch starts a program"
ALREADY_LIVE = "a program is already live: :LazydapStop first"
RUNNING = "the program is running: :LazydapPause stops it"
STILL_LAUNCHING = "the program is still being launched: give it a moment"


_COMMANDS = {
    "`lazydap logs`": ":LazydapLog",
    "`lazydap status`": ":LazydapStatus",
    "`lazydap shutdown`": ":Lazydap shutdown",
    "`lazydap doctor`": ":checkhealth lazydap",
    "`lazydap variables`": ":LazydapVariables",
}
"""What a cure on the command line is called in the editor."""
_IN_EDITOR = re.compile("|".join(map(re.escape, _COMMANDS)))

_ASKED_IN_WORDS = ("evaluate", "setExpression", "setVariable")
"""Requests about what a person wrote: the adapter's answer is about that, and needs no introduction."""
_COMPLAINT = re.compile(r"error: <user expression \d+>:\d+:\d+: (?P<words>.*)")
"""How LLDB's compiler begins what is wrong; remarks of its own may stand before it."""
_QUOTED = re.compile(r"\s*\d*\s*\|")
"""A line in which a compiler shows the expression and points into it."""

log = logging.getLogger("lazydap.host")


def error_line(error: LazydapError) -> str:
    """The one line for an error; those that a user meets every day in the editor's own words."""
    match error:
        case SessionNotPaused():
            return RUNNING
        case SessionNotFound():
            return NOTHING_LIVE
        case SessionAlreadyActive():
            return ALREADY_LIVE
        case StaleHandle():
            return "the program has moved on: ask again"
        case DapProtocolError() if words := _adapters_words(error):
            return words
        case _:
            words = " ".join(error.message.split()) or f"{type(error).__name__}: see :LazydapLog"
            return _IN_EDITOR.sub(lambda found: _COMMANDS[found.group()], words)


def _adapters_words(error: DapProtocolError) -> str | None:
    """What the adapter says of an expression, in one line: of a traceback the exception, the rest goes to the log."""
    told = str(error.details.get("adapter_message") or "").strip()
    if not told or error.details.get("command") not in _ASKED_IN_WORDS:
        return None
    lines = told.splitlines()
    if wrong := [found["words"] for line in lines if (found := _COMPLAINT.match(line))]:
        return "; ".join(wrong)
    if not lines[0].startswith("Traceback "):
        return " ".join(" ".join(line for line in lines if not _QUOTED.match(line)).split()) or None
    log.info("%s", told)
    # An exception's own words may be of several lines; its frames are indented.
    first = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].startswith(" ")), 0) + 1
    return " ".join(" ".join(lines[first:]).split()) or None


def program_name(session: Session) -> str:
    """What the session's program is called."""
    return PurePath(session.program).name or "the program"


def adapter_name(session: Session) -> str:
    """What serves the session: for the kind that two programs serve, the program."""
    is_shared = session.adapter == "codelldb" and session.adapter_command is not None
    return PurePath(session.adapter_command or "").name if is_shared else session.adapter


def ending_line(session: Session, chunks: Sequence[OutputChunk] = ()) -> tuple[str, bool]:
    """How the session ended and whether it ended well; for a failure with the last line the program wrote to stderr."""
    name = program_name(session)
    if session.state == "adapter_died":
        return f"{name}: adapter died ({session.ended or 'no reason known'}): :LazydapLaunch again", False
    if session.ended == "disconnected" and not session.is_ending:
        # Somebody else did it, and perhaps has left the program running.
        return f"the session of {name} ended", True
    if session.exit_code is None or session.is_ending:
        # How a program ends that we have ended says nothing about it.
        return f"{name} ended", True
    if session.exit_code == 0:
        return f"{name} ended: exit code 0", True
    last = last_stderr_line(chunks)
    signal = signal_of(session.exit_code, session.adapter)
    how = f" by {signal}" if signal else f": exit code {exit_code_words(session.exit_code, session.adapter)}"
    return f"{name} ended{how}" + (f": {last}" if last else ""), False


def asking_line(session: Session) -> str:
    """What is said of a program that seems to wait for input, and has no terminal to get it from."""
    name = program_name(session)
    return f'{name} wants input: set "console": "integratedTerminal" in launch.json'


def last_stderr_line(chunks: Sequence[OutputChunk]) -> str | None:
    """The last line that is not blank of what the program wrote to stderr."""
    text = "".join(chunk.output for chunk in chunks if chunk.category == "stderr")
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), None)


def place_words(session: Session) -> str | None:
    """`a.py:7` for where the session stands, None where that is not known."""
    where = None if session.stop is None else place(standing_frame(session.stop))
    return None if where is None else f"{PurePath(where[0]).name}:{where[1]}"


def met_line(project: Project) -> str | None:
    """What an editor says that opens on a program which is live already."""
    session = project.live
    if session is None:
        return None
    name = program_name(session)
    if session.state != "paused":
        return f"{name} is running: :LazydapPause stops it where it is"
    words = place_words(session)
    if words:
        return f"{name} is stopped at {words}: :LazydapHere goes there"
    frame = None if session.stop is None else standing_frame(session.stop)
    return None if frame is None else f"{name} is stopped in {one_line(frame.name)}, which has no source here"


def lost_line(project: Project) -> tuple[str, Severity]:
    """What is said when a project's daemon has gone, and how loudly."""
    name = PurePath(project.root).name or project.root
    if project.live is None:
        return f"{name}: the daemon is gone: the next command starts it", "info"
    return f"{name}: daemon and program are gone: :LazydapLaunch again", "warn"


def status_line(project: Project) -> str:
    """One line about a project."""
    name = PurePath(project.root).name or project.root
    count = len(project.breakpoints)
    marks = f"{count} breakpoint{'' if count == 1 else 's'}"
    if project.launching is not None and project.live is None:
        return f"{name}: launching {PurePath(project.launching).name}; {marks}"
    if not project.is_connected:
        return f"{name}: no daemon runs; {marks}; :LazydapLaunch starts a program"
    session = project.session
    if session is None:
        return f"{name}: nothing is live; {marks}; :LazydapLaunch starts a program"
    program = program_name(session)
    match session.state:
        case "paused":
            at = place_words(session)
            why = session.stop.reason if session.stop is not None and session.stop.reason else None
            words = f"stopped{f' at {at}' if at else ''}{f' ({why})' if why else ''}"
            if at is not None and at.startswith(f"{program}:"):
                # A row is short, and the place names the program.
                return f"{name}: {words}; {marks}"
        case "running" | "initialising":
            words = "running" if session.state == "running" else "starting"
        case "exited" | "terminated" | "adapter_died":
            line, _ = ending_line(session)
            return f"{name}: {line}; {marks}"
    return f"{name}: {program} is {words}; {adapter_name(session)}; {marks}"
