"""Errors travel and come back as the same class, with the same text and details."""

from typing import Any, get_args

import pytest

from lazydap_core import errors
from lazydap_core.domain.words import ErrorCode
from lazydap_core.protocol import responses
from lazydap_core.protocol.codec import decode, encode
from lazydap_core.protocol.failures import error_from, error_payload


@pytest.mark.parametrize("code", get_args(ErrorCode))
def test_an_error_comes_back_as_what_was_raised(code: str) -> None:
    raised = getattr(errors, code)("say what to do", session_id="s", tries=3)

    travelled = decode(encode(7, error_payload(raised))).payload

    assert isinstance(travelled, responses.Error)
    error = error_from(travelled)
    assert (type(error), str(error), error.details) == (type(raised), "say what to do", {"session_id": "s", "tries": 3})


def test_details_may_have_any_key() -> None:
    payload = responses.Error(code="BadRequest", message="m", details={"message": "other", "self": 1})

    assert error_from(payload).details == {"message": "other", "self": 1}


@pytest.mark.parametrize(("details", "kept"), [(None, {}), ("text", {"details": "text"}), ([1], {"details": [1]})])
def test_details_that_are_no_object_are_kept_under_a_key(details: Any, kept: dict[str, Any]) -> None:
    payload = responses.Error(code="Timeout", message="m", details=details)

    assert error_from(payload).details == kept


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.DaemonUnreachable("m"), "DaemonInternalError"),
        (errors.UsageError("m"), "DaemonInternalError"),
        (errors.Undecodable("m"), "BadRequest"),
        (errors.FrameTooLarge("m"), "BadRequest"),
    ],
)
def test_an_error_without_a_code_of_the_wire_travels_under_one(error: errors.LazydapError, code: str) -> None:
    assert error_payload(error).code == code
