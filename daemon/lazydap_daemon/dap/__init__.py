"""The debug adapter protocol, and nothing of lazydap."""
