"""Estimators for sequences: a hidden Markov model with scikit-learn's interface, and one for each class."""
