"""Floor 8: answers with their reasons."""

from __future__ import annotations

from bayou.explain.working import elimination_working

__all__ = ["elimination_working"]
