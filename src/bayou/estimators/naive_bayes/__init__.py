"""Naive Bayes: each feature with a distribution of its own given the class."""
