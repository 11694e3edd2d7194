"""How the model changes: pure functions, with what is to be done about it as values."""
