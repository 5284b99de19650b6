"""Particle filters: sets of weighted guesses of a hidden state that are moved, weighed and resampled."""

from __future__ import annotations
