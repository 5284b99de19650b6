"""Naive Bayes: each feature has its own distribution given the class."""
