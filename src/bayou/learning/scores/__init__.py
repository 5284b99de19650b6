"""Scores of families: how well a variable fits its parents."""
