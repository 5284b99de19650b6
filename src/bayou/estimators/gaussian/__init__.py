"""Classifiers with a multivariate normal distribution per class."""
