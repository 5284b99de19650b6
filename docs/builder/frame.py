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
            inside = f"<ul>{_siblings(page)}</ul>" if entry.url == page.parent else ""
            parts.append(_line(page, entry.url, entry.title, inside))
        parts.append("</ul>")
    return "".join([*parts, "</details></nav>"])


def _siblings(page: Page) -> str:
    return "".join(_line(page, url, title) for title, url in page.siblings)


def _line(page: Page, url: str, title: str, below: str = "") -> str:
    """A page in the list; below that which is read, what is on it."""
    current, inside = (' aria-current="page"', _contents(page)) if url == page.url else ("", "")
    told = html.escape(title).replace("`", "")
    return f'<li><a href="{_way(page, url)}"{current}>{told}</a>{inside}{below}</li>'


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
    """Links to the pages before and after this one on its shelf, or among its siblings."""
    on_shelf = [(entry.title, entry.url) for entry in shelf.entries] if shelf else []
    listed = page.siblings or on_shelf
    at = next((at for at, (_, url) in enumerate(listed) if url == page.url), None)
    if at is None:
        return ""
    links = []
    if at > 0:
        links.append(_neighbour(page, "prev", *listed[at - 1]))
    if at + 1 < len(listed):
        links.append(_neighbour(page, "next", *listed[at + 1]))
    return f'<nav class="neighbours" aria-label="Pages before and after">{"".join(links)}</nav>'


def _neighbour(page: Page, relation: str, title: str, url: str) -> str:
    return f'<a rel="{relation}" href="{_way(page, url)}">{title}</a>'
