"""Owns which line of the running program, made of an older text, a line of an edited file is, and how that is said."""

from lazydap_nvim.model import Session
from lazydap_nvim.verbs import Older, OlderByRoot, Severity

FEATURE = "program_line"
NOT_THERE = "this line is not in the running program"
HELD = f"{NOT_THERE}: the breakpoint holds from the next launch"
ALTERED = "this line has changed since launch: the program has its older text"
UNKNOWN = "this file has changed since launch: this may be another line of the program"
UNTOLD = (
    "this file has changed since launch, and this daemon takes its lines for the program's: end it with"
    " `lazydap shutdown`, a newer one starts"
)


def of(told: OlderByRoot, root: str, line: int) -> Older:
    """Where the program of `root` has a line; there as well where nothing was told."""
    return dict[str, Older](told).get(root) or Older(line=line)


def remark(older: Older) -> tuple[str, Severity] | None:
    """What is to be said of a line that the program has, or may have."""
    if older.is_unknown:
        return UNKNOWN, "warn"
    return (ALTERED, "warn") if older.is_altered else None


def refusal(session: Session) -> str:
    """Why the program cannot go to a line that it does not have, and what to do."""
    return f"{NOT_THERE}: {'build it, then ' if session.adapter == 'codelldb' else ''}:LazydapRestart"
