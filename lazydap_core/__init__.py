"""The contract every part of lazydap shares: domain types, protocol, paths, discovery and the clients."""

__version__ = "0.1.0"
