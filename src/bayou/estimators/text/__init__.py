"""Naive Bayes of documents."""
