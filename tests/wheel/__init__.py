"""What is handed out: the sources, and wheels where some have been built."""
