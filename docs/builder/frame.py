"""What stands around a page: the shelves above, the pages of a shelf beside it, what is on the page."""

from __future__ import annotations

import html
import os
from pathlib import Path
from string import Template

from docs.builder.page import Page
from docs.builder.shelves import Shelf

_FRAME = Template((Path(__file__).parent / "theme" / "page.html").read_text(encoding="utf-8"))


def framed(page: Page, shelf: Shelf | None, shelves: list[Shelf]) -> str:
    """The whole HTML of a page."""
    title = "bayou" if page.url == "index.html" else f"{page.title} · bayou"
    return _FRAME.substitute(
        title=html.escape(title),
        up=page.up,
        kind="home" if page.url == "index.html" else "page",
        shelves="".join(_shelf_link(page, each, shelf) for each in shelves),
        beside=_beside(page, shelf),
        contents=_contents(page),
        body=page.html,
        neighbours=_neighbours(page, shelf),
    )


def _way(page: Page, url: str) -> str:
    return os.path.relpath(url, os.path.dirname(page.url) or ".")


def _shelf_link(page: Page, shelf: Shelf, current: Shelf | None) -> str:
    here = ' aria-current="true"' if shelf is current else ""
    return f'<a href="{_way(page, shelf.url)}"{here}>{html.escape(shelf.title)}</a>'


def _beside(page: Page, shelf: Shelf | None) -> str:
    if shelf is None:
        return ""
    parts = [f'<nav class="beside" aria-label="{html.escape(shelf.title)}"><details open>']
    parts.append(f"<summary>{html.escape(shelf.title)}</summary>")
    for group, entries in shelf.groups.items():
        parts.append(f"<h2>{html.escape(group)}</h2><ul>")
        for entry in entries:
            here = entry.url == page.url
            current, inside = (' aria-current="page"', _contents(page)) if here else ("", "")
            title = html.escape(entry.title).replace("`", "")
            parts.append(f'<li><a href="{_way(page, entry.url)}"{current}>{title}</a>{inside}</li>')
        parts.append("</ul>")
    return "".join([*parts, "</details></nav>"])


def _contents(page: Page) -> str:
    """The headings of a page, if there are several: on its right, or below its name in the list."""
    levels = (2, 3) if sum(section.level == 2 for section in page.sections) < 10 else (2,)
    found = [section for section in page.sections if section.level in levels and section.anchor]
    if len(found) < 2 or page.url == "index.html":
        return ""
    members = page.url.startswith("lookup/reference/")
    lines = []
    for section in found:
        told = section.heading.rpartition(".")[2] if members and section.level == 3 else section.heading
        link = f'<a href="#{section.anchor}">{html.escape(told)}</a>'
        lines.append(f'<li class="level{section.level}">{link}</li>')
    inside = f"<h2>On this page</h2><ul>{''.join(lines)}</ul>"
    return f'<nav class="contents" aria-label="On this page">{inside}</nav>'


def _neighbours(page: Page, shelf: Shelf | None) -> str:
    """Links to the pages before and after this one on its shelf."""
    entries = shelf.entries if shelf else []
    at = next((at for at, entry in enumerate(entries) if entry.url == page.url), None)
    if at is None:
        return ""
    links = []
    if at > 0:
        links.append(f'<a rel="prev" href="{_way(page, entries[at - 1].url)}">{entries[at - 1].title}</a>')
    if at + 1 < len(entries):
        links.append(f'<a rel="next" href="{_way(page, entries[at + 1].url)}">{entries[at + 1].title}</a>')
    return f'<nav class="neighbours" aria-label="Pages before and after">{"".join(links)}</nav>'
