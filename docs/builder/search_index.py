"""What the search looks through: every section of every page, as a script that also loads from ``file://``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from docs.builder.page import Page, Section

_LONGEST = 3000
"""Characters of a section's text that are searched: enough for all but tables of figures."""


_WEIGHTS = {
    "changelog.html": 0.4,
    "lookup/reference.html": 0.4,
    "lookup/benchmarks.html": 0.5,
    **dict.fromkeys(
        (
            f"lookup/reference/{name}.html"
            for name in ("sources-of-your-own", "statistics-of-rows", "counts", "moments-words-and-samples")
        ),
        0.5,
    ),
}
"""Pages that name everything answer few questions."""


def weight(page: Page, section: Section) -> float:
    """How likely a section is what somebody looks for, all else being equal."""
    if page.url in _WEIGHTS:
        return _WEIGHTS[page.url]
    if page.url.endswith("index.html"):
        return 0.4
    if page.url.startswith("lookup/reference/"):
        return 0.8 if section.level < 3 else 0.6
    return 1.0 if page.url.startswith(("learn/", "do/")) else 0.8


def search_index(pages: Iterable[tuple[Page, str]]) -> str:
    """The script; ``pages`` come with the name of their shelf."""
    rows = []
    for page, shelf in pages:
        for section in page.sections:
            text = re.sub(r"\s+", " ", " ".join(section.text)).strip()[:_LONGEST]
            if section.heading:
                place = page.url + (f"#{section.anchor}" if section.anchor else "")
                words = section.keywords.strip()
                rows.append([place, page.title, section.heading, shelf, text, words, weight(page, section)])
    return f"window.searchIndex = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"
