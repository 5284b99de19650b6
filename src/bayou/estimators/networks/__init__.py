"""Classifiers whose features depend on each other: trees, up to k parents, networks."""
