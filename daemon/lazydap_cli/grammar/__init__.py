"""The words of the command line as data: every command, option, default and conflict; runs nothing."""
