"""Votes of several hypotheses."""
