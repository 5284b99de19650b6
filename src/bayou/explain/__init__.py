"""Floor 8: answers with their reasons, and how far they can be trusted."""

from __future__ import annotations

from bayou.explain.intervals import CredibleInterval, credible_interval
from bayou.explain.sensitivity import TableDerivatives, table_derivatives
from bayou.explain.strength import FindingStrength, Strengths, strengths
from bayou.explain.working import elimination_working

__all__ = [
    "CredibleInterval",
    "FindingStrength",
    "Strengths",
    "TableDerivatives",
    "credible_interval",
    "elimination_working",
    "strengths",
    "table_derivatives",
]
