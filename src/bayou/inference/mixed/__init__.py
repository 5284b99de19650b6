"""Exact inference with discrete and continuous variables together: conditional linear Gaussian networks."""
