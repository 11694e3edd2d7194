"""What is peculiar to each debug adapter, and how its process is owned."""
