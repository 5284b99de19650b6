"""The four shelves: which pages there are, in which order, read from the README of each folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from docs.builder.page import DOCS, url_of

SHELVES = ("learn", "do", "understand", "lookup")
_ENTRY = re.compile(r"^- \[(.+?)\]\((\S+?\.md)\)(?:: (.*))?$")


@dataclass(frozen=True)
class Entry:
    """A line of a shelf: the page, its short title, and what it is for."""

    title: str
    source: Path
    about: str

    @property
    def url(self) -> str:
        """Where the page is in the site."""
        return url_of(self.source)


@dataclass(frozen=True)
class Shelf:
    """A shelf with its groups of pages."""

    title: str
    source: Path
    groups: dict[str, list[Entry]]

    @property
    def url(self) -> str:
        """The shelf's own page."""
        return url_of(self.source)

    @property
    def entries(self) -> list[Entry]:
        """All pages, in order."""
        return [entry for group in self.groups.values() for entry in group]


def shelves() -> list[Shelf]:
    """All four, as their READMEs tell."""
    return [_shelf(DOCS / name / "README.md") for name in SHELVES]


def _shelf(source: Path) -> Shelf:
    groups: dict[str, list[Entry]] = {}
    title = group = ""
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:]
        elif line.startswith("## "):
            group = line[3:]
        elif found := _ENTRY.match(line):
            file = Path(os.path.normpath(source.parent / found[2]))
            groups.setdefault(group, []).append(Entry(found[1], file, found[3] or ""))
    return Shelf(title, source, groups)


def not_listed(listed: list[Shelf]) -> list[Path]:
    """Pages of the docs that no shelf lists (those of the decisions are listed by a page of their own)."""
    known = {entry.source for shelf in listed for entry in shelf.entries} | {shelf.source for shelf in listed}
    pages = (path for path in DOCS.rglob("*.md") if path.parent != DOCS / "decisions")
    return sorted(path for path in pages if path not in known and path != DOCS / "README.md")
