"""The daemon of one project; it alone speaks DAP, it alone writes .lazydap/state.toml."""
