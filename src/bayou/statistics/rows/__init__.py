"""Whole rows: distinct ones, samples, and gaps."""
