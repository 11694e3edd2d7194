"""Clients of the protocol: one conversation, a blocking and an async way to carry it."""
