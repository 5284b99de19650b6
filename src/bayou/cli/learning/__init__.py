"""Commands that learn: parameters, classifiers and structures from tables."""

from __future__ import annotations
