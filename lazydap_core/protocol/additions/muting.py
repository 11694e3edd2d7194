"""Owns the messages of the feature `mute`: all breakpoints off, and on again as each of them is."""

from lazydap_core.protocol.objects import WireObject


class Mute(WireObject, frozen=True, kw_only=True):
    muted: bool


class Muted(WireObject, frozen=True, kw_only=True):
    muted: bool
    applied_to_session: bool
    not_saved: str | None = None


class MuteChanged(WireObject, frozen=True, kw_only=True):
    muted: bool
