"""Checks of the project itself: what the tools of `make check` do not see, and tests of those checks."""
