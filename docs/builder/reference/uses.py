"""Where names are used: the pages whose examples call them."""

from __future__ import annotations

import doctest
import re
from functools import cache
from pathlib import Path

from docs.builder.page import DOCS


@cache
def uses() -> dict[str, tuple[Path, ...]]:
    """Pages by the names that stand in their examples: ``query`` is found in ``net.query("Rain")``."""
    found: dict[str, dict[Path, None]] = {}
    for page in sorted(DOCS.rglob("*.md")):
        for example in _examples(page.read_text(encoding="utf-8")):
            for name in re.findall(r"\b[A-Za-z_]\w*\b", example):
                found.setdefault(name, {})[page] = None
    return {name: tuple(pages) for name, pages in found.items()}


def _examples(text: str) -> list[str]:
    try:
        return [example.source for example in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        return []
