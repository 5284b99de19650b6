"""A page: where its Markdown is, where it goes, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
DOCS = ROOT / "docs"


@dataclass
class Section:
    """A heading and the plain text below it: what the search finds."""

    anchor: str
    heading: str
    level: int
    text: list[str] = field(default_factory=list)
    keywords: str = ""


@dataclass
class Page:
    """One page of the site; ``url`` is its path in the site, ``source`` that of its Markdown."""

    source: Path
    url: str
    title: str = ""
    html: str = ""
    sections: list[Section] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(url in the site, anchor) of every link to another page or place."""
    files: set[Path] = field(default_factory=set)
    """Pictures that the page shows."""
    problems: list[str] = field(default_factory=list)
    parent: str = ""
    """The url of the page that lists this one, where no shelf does."""
    siblings: list[tuple[str, str]] = field(default_factory=list)
    """(title, url) of the pages which that page lists."""

    @property
    def up(self) -> str:
        """The way from this page to the first one: ``../`` for each folder."""
        return "../" * self.url.count("/")


def url_of(source: Path) -> str:
    """Where a Markdown file goes: a README becomes the first page of its folder."""
    inside = source.relative_to(DOCS) if source.is_relative_to(DOCS) else Path(source.name.lower())
    name = "index.html" if inside.name == "README.md" else f"{inside.stem}.html"
    return (inside.parent / name).as_posix()
