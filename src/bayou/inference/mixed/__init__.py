"""Exact answers about states and numbers together: conditional linear Gaussian networks."""
