"""Owns what keeps state.toml from being written, in one line with its cure; writes nothing."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Final

from lazydap_core.domain.breakpoints import Breakpoint, Watch
from lazydap_core.errors import StateFileInvalid
from lazydap_core.state_file import parse_state
from lazydap_daemon.store.writing import ChangedMeanwhileError, read_text

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


def trouble(path: Path, root: Path, seen: str | None) -> str | None:
    """What can be known beforehand to keep the file from being written; None where nothing is.

    `seen` is the text that is known to be well.
    """
    try:
        found = read_text(path)
        if found is not None and found.strip() and found != seen:
            parse_state(found, root)
        _require_writable(path.parent)
    except FAILURES as error:
        return words_for(error, path)
    return None


def _require_writable(folder: Path) -> None:
    there = next(part for part in (folder, *folder.parents) if os.path.lexists(part))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


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
    """One line for an edit of the file that was not taken over."""
    told = "an edit of state.toml gave way to what the daemon had"
    match edit:
        case Breakpoint():
            name = PurePath(edit.source).name
            return f"{told}: `lazydap break {name}:{edit.line} --move {edit.id}` puts breakpoint {edit.id} there"
        case Watch():
            return f"{told}: watch {edit.id}"
        case _:
            return told
