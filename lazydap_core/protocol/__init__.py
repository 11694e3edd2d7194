"""The lazydap protocol: what travels between a client and the daemon, without any I/O (doc/protocol.md)."""
