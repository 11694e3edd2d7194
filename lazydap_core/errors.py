"""Owns the one error tree of lazydap; what a client can do about an error decides its class.

LazydapError
  DaemonError                    the daemon answered with one of the protocol's codes
    AdapterNotFound, AdapterCrashed, AdapterTimeout, DapProtocolError
    SessionNotFound, SessionAlreadyActive, SessionNotPaused, StaleHandle
    InvalidLaunchConfig, InvalidProjectRoot, BadRequest, VersionMismatch
    Unsupported, Timeout, Cancelled, DaemonInternalError
  DaemonUnreachable              no daemon could be reached or started
    ReplyTimedOut                a daemon is there, and has not answered in time
  StateFileInvalid               .lazydap/state.toml cannot be read as what it should be
  ConfigInvalid                  the user's config.toml cannot be read as what it should be
  UsageError                     the command line or a variable could not be read
  FrameTooLarge, Undecodable     bytes that are no lazydap frame
  Unencodable                    a value that cannot be put into a frame
"""

from typing import Any, ClassVar


class LazydapError(Exception):
    """Base of all: `str(error)` is one line that says what to do next, `details` holds plain JSON values."""

    code: ClassVar[str] = "DaemonInternalError"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = details


class DaemonError(LazydapError):
    """An error with a wire code (doc/protocol.md, "Errors")."""


class AdapterNotFound(DaemonError):
    """No usable adapter: install one or configure its path."""

    code = "AdapterNotFound"


class AdapterCrashed(DaemonError):
    """The adapter could not be started, or its stream broke."""

    code = "AdapterCrashed"


class AdapterTimeout(DaemonError):
    """The adapter did not answer in time; `command` in the details."""

    code = "AdapterTimeout"


class DapProtocolError(DaemonError):
    """The adapter refused a request or answered nonsense; `command` and `adapter_message` in the details."""

    code = "DapProtocolError"


class SessionNotFound(DaemonError):
    """No session of that id: launch a program."""

    code = "SessionNotFound"


class SessionAlreadyActive(DaemonError):
    """The one session slot is taken: stop that session first."""

    code = "SessionAlreadyActive"


class SessionNotPaused(DaemonError):
    """The program is running, or moved while the question was asked: pause it first."""

    code = "SessionNotPaused"


class StaleHandle(DaemonError):
    """A frame id or variables reference of an earlier stop: ask for the stack again."""

    code = "StaleHandle"


class InvalidLaunchConfig(DaemonError):
    """The launch configuration cannot be run as it is written."""

    code = "InvalidLaunchConfig"


class InvalidProjectRoot(DaemonError):
    """The project's folders cannot be used."""

    code = "InvalidProjectRoot"


class BadRequest(DaemonError):
    """The request cannot be carried out in this state, or could not be read."""

    code = "BadRequest"


class VersionMismatch(DaemonError):
    """The peer speaks a version this side does not; `client_version` and `daemon_version` in the details."""

    code = "VersionMismatch"


class Unsupported(DaemonError):
    """The adapter or the daemon lacks what was asked for."""

    code = "Unsupported"


class Timeout(DaemonError):
    """A deadline of the daemon ran out."""

    code = "Timeout"


class Cancelled(DaemonError):
    """The request was withdrawn."""

    code = "Cancelled"


class DaemonInternalError(DaemonError):
    """A fault of lazydap itself, or an answer nobody expected."""

    code = "DaemonInternalError"


class DaemonUnreachable(LazydapError):
    """No daemon could be reached or started: `lazydap logs` says why."""

    code = "DaemonUnreachable"


class ReplyTimedOut(DaemonUnreachable):
    """A connected daemon did not answer within the client's own limit: its work goes on."""

    code = "DaemonInternalError"


class StateFileInvalid(LazydapError):
    """The project's state file cannot be read or is malformed: mend it by hand; `path` in the details."""

    code = "DaemonInternalError"


class ConfigInvalid(LazydapError):
    """The user's config.toml cannot be read or is malformed; `path` in the details."""

    code = "InvalidLaunchConfig"


class UsageError(LazydapError):
    """The words given cannot be understood."""

    code = "UsageError"


class FrameTooLarge(LazydapError):
    """A frame holds, or its header claims, more than is allowed; `complete` are the bodies read before that header."""

    code = "BadRequest"
    complete: tuple[bytes, ...] = ()


class Undecodable(LazydapError):
    """A body that is no envelope of its version; `version` and `id` are what could still be read of it."""

    code = "BadRequest"
    version: int | None = None
    id: int | None = None


class Unencodable(LazydapError):
    """A value that cannot travel: text that is not valid Unicode, or something the peer's version has no word for."""

    code = "BadRequest"
