"""Questions to networks: marginals, estimates, single questions, many rows, draws."""

from __future__ import annotations
