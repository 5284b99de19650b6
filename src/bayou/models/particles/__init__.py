"""Particle filters and their results, as users see them."""

from __future__ import annotations
