"""Classifiers with the interface of scikit-learn, all on one base class and statistics that add."""
