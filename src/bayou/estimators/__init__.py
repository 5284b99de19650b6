"""Classifiers with scikit-learn's manners: short recipes over statistics, one base class for all methods."""
