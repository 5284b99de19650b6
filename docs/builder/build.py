"""The build: pages read, rendered, checked and written, with what they show."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from docs.builder.frame import framed
from docs.builder.inserts import LIVE, inserted, live_page
from docs.builder.markdown import render, told
from docs.builder.notebooks import lessons, notebook_text, notebook_url, with_notebook_link
from docs.builder.page import DOCS, ROOT, Page, url_of
from docs.builder.reference.reference_pages import LIST, reference_pages, with_summaries
from docs.builder.search_index import search_index
from docs.builder.shelves import Shelf, not_listed, shelves

THEME = Path(__file__).parent / "theme"


def build(target: Path) -> list[str]:
    """Write the site into a folder, which is emptied first; what is wrong with it, in words."""
    listed = shelves()
    pages = [*_pages(listed), *reference_pages()]
    problems = [problem for page in pages for problem in page.problems]
    problems += [f"{path.relative_to(ROOT)}: no shelf lists this page" for path in not_listed(listed)]
    problems += _broken(pages, [notebook_url(lesson) for lesson in lessons(listed)])
    if target.exists():
        shutil.rmtree(target)
    _write(target, pages, listed)
    return problems


def _pages(listed: list[Shelf]) -> list[Page]:
    sources = {DOCS / "README.md": None, **{shelf.source: None for shelf in listed}}
    sources |= {entry.source: None for shelf in listed for entry in shelf.entries}
    sources |= dict.fromkeys(sorted((DOCS / "decisions").glob("*.md")))
    pages = []
    for source in sources:
        page = Page(source, url_of(source))
        if source.exists():
            text = inserted(source.read_text(encoding="utf-8"))
            if source in lessons(listed):
                text = with_notebook_link(text, source)
            render(page, with_summaries(text) if source == LIST else text)
        else:
            page.problems.append(f"{told(page)}: listed on a shelf, but not there")
        pages.append(page)
    return pages


def _broken(pages: list[Page], made: Iterable[str] = ()) -> list[str]:
    """Links to pages that are not built, and to places not on their page; ``made`` are other files."""
    anchors: dict[str, set[str]] = {url: set() for url in (LIVE, *made)}
    anchors |= {page.url: page.anchors for page in pages}
    found = []
    for page in pages:
        for url, anchor in page.links:
            if url not in anchors:
                found.append(f"{told(page)}: {url} is not built")
            elif anchor and anchor not in anchors[url]:
                found.append(f"{told(page)}: there is no #{anchor} on {url}")
    return found


def shelf_of(page: Page, listed: list[Shelf]) -> Shelf | None:
    """The shelf that a page stands on: the one that lists it, or that of its folder."""
    for shelf in listed:
        if page.url == shelf.url or any(entry.url == page.url for entry in shelf.entries):
            return shelf
    folder = "understand" if page.url.startswith("decisions/") else page.url.partition("/")[0]
    return next((shelf for shelf in listed if shelf.url.startswith(f"{folder}/")), None)


def _write(target: Path, pages: list[Page], listed: list[Shelf]) -> None:
    for page in pages:
        file = target / page.url
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(framed(page, shelf_of(page, listed), listed), encoding="utf-8")
        for picture in page.files:
            copy = target / picture.relative_to(DOCS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, copy)
    for file in THEME.iterdir():
        if file.suffix in (".css", ".js", ".svg"):
            shutil.copyfile(file, target / file.name)
    found = ((page, shelf.title if (shelf := shelf_of(page, listed)) else "") for page in pages)
    (target / "search-index.js").write_text(search_index(found), encoding="utf-8")
    (target / LIVE).write_text(live_page(), encoding="utf-8")
    _write_notebooks(target, lessons(listed))


def _write_notebooks(target: Path, sources: list[Path]) -> None:
    for source in sources:
        file = target / notebook_url(source)
        file.parent.mkdir(exist_ok=True)
        file.write_text(notebook_text(source, sources), encoding="utf-8")
