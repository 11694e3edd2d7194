"""Launch configurations: those of .vscode/launch.json and of the project's state file, read and never written."""
