"""Connections to databases: statements as trees, how each driver runs them and what its types mean."""

from __future__ import annotations
