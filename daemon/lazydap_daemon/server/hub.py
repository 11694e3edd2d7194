"""Owns who hears which event; knows no socket and no session."""

import logging
from typing import Final, Protocol

from lazydap_core.errors import FrameTooLarge, Unencodable
from lazydap_core.protocol import codec
from lazydap_core.protocol.events import CHANNELS, Event
from lazydap_core.protocol.framing import frame

log = logging.getLogger("daemon.events")

EVENT_ID: Final = 0


class Subscriber(Protocol):
    """A connection that has subscribed: `channels` it wants, `version` it is spoken to in."""

    @property
    def channels(self) -> frozenset[str]:
        """The channels last subscribed to."""
        ...

    @property
    def version(self) -> int:
        """The protocol version of its events."""
        ...

    def offer(self, data: bytes) -> None:
        """Take one framed event; must not wait and must not raise."""
        ...


class Hub:
    """Hands each event to every subscriber of its channel, in order, before `publish` returns."""

    def __init__(self) -> None:
        self._subscribers: dict[Subscriber, None] = {}

    def join(self, subscriber: Subscriber) -> None:
        """Count `subscriber` in from the next event on; joining twice is joining once."""
        self._subscribers[subscriber] = None

    def leave(self, subscriber: Subscriber) -> None:
        """Forget `subscriber`, known or not."""
        self._subscribers.pop(subscriber, None)

    def publish(self, event: Event) -> None:
        """Offer `event` to those who want it, encoded once for each version among them.

        An event that a version has no words for, or that no frame can hold, does not reach its subscribers.
        """
        channel = CHANNELS[type(event)]
        framed: dict[int, bytes | None] = {}
        for subscriber in tuple(self._subscribers):
            if channel not in subscriber.channels:
                continue
            version = subscriber.version
            if version not in framed:
                framed[version] = _framed(event, version)
            data = framed[version]
            if data is not None:
                subscriber.offer(data)


def _framed(event: Event, version: int) -> bytes | None:
    try:
        return frame(codec.encode(EVENT_ID, event, version))
    except (FrameTooLarge, Unencodable) as error:
        log.warning("a %s event is dropped for version %d: %s", type(event).__name__, version, error.message)
        return None
