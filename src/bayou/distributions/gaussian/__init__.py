"""Gaussian variables: linear regressions on continuous parents, one per combination of discrete states."""
