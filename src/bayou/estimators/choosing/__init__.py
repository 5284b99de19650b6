"""Choosing a classifier: the simplest one that is not surely worse than the best."""
