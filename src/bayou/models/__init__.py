"""The objects that users work with: networks, their posteriors, and answers for tables."""

from __future__ import annotations
