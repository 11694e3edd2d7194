"""Owns how an error says that the project keeps a change that the adapter has not taken; knows no request."""

from typing import Any

from lazydap_core.errors import DaemonError


def kept(error: DaemonError, **details: Any) -> DaemonError:
    """The same error, saying that the change stands all the same, with `details` beside its own."""
    error.details.update(details, applied_to_session=False)
    return type(error)(f"{error.message} (the change is recorded and applies at the next launch)", **error.details)
