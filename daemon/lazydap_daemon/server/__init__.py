"""The socket, its connections and their subscriptions."""
