"""Naive Bayes for documents."""
