"""Guaranteed bounds: exact masses of explored cut-set tuples, and mini-bucket bounds for the rest."""
