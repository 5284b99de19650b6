"""Tables as text: they live on the lowest floor, where every room can use them; here by their old address."""

from __future__ import annotations

from bayou.text_table import Bar, Cell, TextTable, display_width, probability_text, visible

__all__ = ["Bar", "Cell", "TextTable", "display_width", "probability_text", "visible"]
