"""Owns the messages of the feature `source`: code that is no file on disk."""

from lazydap_core.protocol.objects import I64, NULL, SessionId, WireObject


class Source(WireObject, frozen=True, kw_only=True):
    """Feature `source`: the text behind the `source_reference` of a frame's source."""

    session_id: SessionId
    source_reference: I64


class SourceText(WireObject, frozen=True, kw_only=True):
    """The whole text; lines of frames count in it from 1. `mime_type` is the adapter's own word, where it has one."""

    text: str
    mime_type: str | None = NULL
