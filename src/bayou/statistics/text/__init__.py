"""Counts of words by class."""
