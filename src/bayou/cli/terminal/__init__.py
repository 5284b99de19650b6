"""Input and output on a terminal: screen, pipes, progress, paths, signals."""
