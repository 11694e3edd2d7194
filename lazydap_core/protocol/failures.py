"""Owns the way between the error tree and the payload `Error`; knows nothing of who raises or shows them."""

from typing import Any, Final, cast, get_args

from lazydap_core import errors
from lazydap_core.domain.words import ErrorCode
from lazydap_core.protocol import responses

_CODES: Final[frozenset[str]] = frozenset(get_args(ErrorCode))
_CLASSES: Final[dict[str, type[errors.DaemonError]]] = {cls.code: cls for cls in errors.DaemonError.__subclasses__()}


def error_payload(error: errors.LazydapError) -> responses.Error:
    """What travels for an error; one that has no wire code of its own travels as DaemonInternalError."""
    code = error.code if error.code in _CODES else "DaemonInternalError"
    return responses.Error(code=cast("ErrorCode", code), message=error.message, details=error.details)


def error_from(payload: responses.Error) -> errors.DaemonError:
    """The error that a payload stands for; details that are no object are kept under the key `details`."""
    error = _CLASSES[payload.code](payload.message)
    details = payload.details
    if isinstance(details, dict):
        error.details = cast("dict[str, Any]", details)
    elif details is not None:
        error.details = {"details": details}
    return error
