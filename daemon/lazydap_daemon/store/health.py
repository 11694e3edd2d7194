"""Owns what keeps state.toml from being written, in one line with its cure; writes nothing."""

import errno
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Final

from lazydap_core.domain.breakpoints import Breakpoint, FunctionBreakpoint, Watch
from lazydap_core.errors import StateFileInvalid
from lazydap_daemon.store.writing import ChangedMeanwhileError

UNSAVED: Final = "breakpoints and watches are not saved"
FAILURES: Final = (OSError, UnicodeError, StateFileInvalid, ChangedMeanwhileError)
"""What can go wrong with the file; anything else is a fault of ours."""

_CURES: Final[Mapping[int, str]] = {
    errno.ENOTDIR: "move what is in the folder's place away",
    errno.EEXIST: "move what is in the folder's place away",
    errno.EISDIR: "move that folder away",
    errno.EACCES: "make file and folder writable",
    errno.EPERM: "make file and folder writable",
    errno.EROFS: "make the disk writable",
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room on the disk",
}


def words_for(error: Exception, path: Path) -> str:
    """One line for a failure of `FAILURES`."""
    match error:
        case StateFileInvalid():
            return f"{UNSAVED}: {error.message}"
        case UnicodeError():
            return f"{UNSAVED}: {path} is not UTF-8: mend or remove it"
        case OSError():
            cure = _CURES.get(error.errno or 0, "mend that")
            return f"{UNSAVED}: {path} cannot be written ({error.strerror or error}): {cure}"
        case _:
            return f"{UNSAVED}: {error}; tried again in a moment"


def gave_way(edit: object) -> str:
    """One line for an edit of the file that was not taken over, or not in all its parts."""
    told = "an edit of state.toml gave way to what the daemon had"
    match edit:
        case Breakpoint():
            return f"{told}: breakpoint {edit.id}, {PurePath(edit.source).name}:{edit.line}"
        case FunctionBreakpoint():
            return f"{told}: breakpoint {edit.id}, {edit.name}"
        case Watch():
            return f"{told}: watch {edit.id}"
        case _:
            return told
