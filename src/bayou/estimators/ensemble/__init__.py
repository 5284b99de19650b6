"""Classifiers that combine several hypotheses."""
