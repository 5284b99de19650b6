"""Classifiers whose features depend on each other: trees, k parents, whole networks."""
