"""The command line: one more client of the protocol."""
