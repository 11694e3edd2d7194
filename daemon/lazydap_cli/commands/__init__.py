"""The commands, a module for each kind of them; each is imported only when it is typed."""
