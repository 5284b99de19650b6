"""Noisy-OR, noisy-AND and noisy-MAX nodes: independent causes, the strongest of which wins."""
