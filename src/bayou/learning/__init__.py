"""Floor 6: learning from statistics, whatever source they come from."""

from __future__ import annotations

from bayou.learning.parameters import PriorChoice, collect, domains, estimate

__all__ = ["PriorChoice", "collect", "domains", "estimate"]
