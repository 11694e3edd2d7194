"""Owns the errors of the debug adapter protocol; knows nothing of lazydap's own.

DapError
  RequestRefused      the adapter answered `success: false`
  RequestTimedOut     no answer within the time given
  BodyMalformed       an answer or an event of a shape nobody expects
  StreamBroken        the stream ended, or carries something that is no message
  FramingBroken       the same, as the codec sees it
"""

from typing import Any


class DapError(Exception):
    """Base of all: `str(error)` is one line."""


class RequestRefused(DapError):
    """The adapter refused `command`; `text` is its own words, empty when it gave none, `body` the answer's body."""

    def __init__(self, command: str, text: str, body: Any = None) -> None:
        super().__init__(f"the adapter refused {command}: {text}" if text else f"the adapter refused {command}")
        self.command = command
        self.text = text
        self.body = body


class RequestTimedOut(DapError):
    """The adapter did not answer `command` within `seconds`; a late answer still reaches its `on_body` hook."""

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(f"the adapter did not answer {command} within {seconds:g} s")
        self.command = command
        self.seconds = seconds


class BodyMalformed(DapError):
    """The body of `command` (a request's answer, or an event) is not of the shape the protocol gives it."""

    def __init__(self, command: str, detail: str) -> None:
        super().__init__(f"the adapter sent a malformed {command}: {detail}")
        self.command = command
        self.detail = detail


class StreamBroken(DapError):
    """Nothing more can be said to or heard from the adapter; `detail` says what happened to the stream."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class FramingBroken(DapError):
    """The bytes are no DAP messages; `detail` says why."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail
