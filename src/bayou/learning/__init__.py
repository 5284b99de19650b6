"""Floor 6: learning parameters and structures from statistics of any source."""

from __future__ import annotations

from bayou.learning.parameters import PriorChoice, collect, domains, estimate

__all__ = ["PriorChoice", "collect", "domains", "estimate"]
