"""The plugin host without an editor and without a daemon."""
