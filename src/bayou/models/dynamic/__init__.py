"""Dynamic networks: the user's object, its input and its answers."""
