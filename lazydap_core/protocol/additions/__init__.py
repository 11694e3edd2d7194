"""The messages of lazydap's own features, a file for what belongs together (doc/protocol.md, "Features")."""
