"""bayou: Bayesian learning, exact and explained."""

from __future__ import annotations
