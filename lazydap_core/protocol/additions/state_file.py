"""Owns the event of the feature `state_file`: what keeps the project from being saved."""

from lazydap_core.protocol.objects import NULL, WireObject


class StateFile(WireObject, frozen=True, kw_only=True):
    """`not_saved` is one line with the cure, null once all is saved; `overruled` tells of an edit that gave way."""

    not_saved: str | None = NULL
    overruled: str | None = None
