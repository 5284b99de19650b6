"""Models of sequences: hidden Markov models, linear Gaussian series, dynamic networks, particle filters."""

from __future__ import annotations
