"""`make demo`: the debugger in a real Neovim, for a person at a terminal or as printed screens."""
