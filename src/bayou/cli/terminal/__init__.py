"""What a terminal needs: screens, pipes, progress, paths, signals."""
