"""The session engine: one program, one adapter, every rule of moving and looking."""
