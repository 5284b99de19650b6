"""Probabilities without a network: probability tables, Bayes' rule, weighted votes."""
