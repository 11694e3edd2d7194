"""The Neovim plugin's host process."""
