"""Classifiers of bayou and of others on the same rows: accuracy, seconds, learning curves, and the page."""

from __future__ import annotations
