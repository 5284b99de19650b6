"""Kernel densities and the rules for their bandwidths."""
