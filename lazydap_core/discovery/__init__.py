"""Finding and probing debug adapters, one file an adapter."""
