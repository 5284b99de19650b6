"""Explanations of a classifier's predictions."""
