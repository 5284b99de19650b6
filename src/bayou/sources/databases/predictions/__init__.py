"""Predictions as SQL: what features add to the score of a class, as expressions of one SELECT."""

from __future__ import annotations
