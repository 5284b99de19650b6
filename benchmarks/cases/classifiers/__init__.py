"""Classifiers on matrices, texts and wide tables in memory, beside those of other libraries."""

from __future__ import annotations
