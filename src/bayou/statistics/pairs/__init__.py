"""Counts of all pairs of columns."""
