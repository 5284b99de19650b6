"""Floor 8: pictures. The only room that imports matplotlib, and only when a picture is asked for."""

from __future__ import annotations

from bayou.plots.bars import probability_bars

__all__ = ["probability_bars"]
