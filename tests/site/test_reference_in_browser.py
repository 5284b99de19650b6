"""The reference and the tables of jobs in a browser: short pages, beside each other, on every screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.site.opened_pages import NARROW, opened

REFERENCE = "lookup/reference"


def test_no_page_of_the_reference_is_endless(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        tall = {}
        for file in sorted((site / REFERENCE).glob("*.html")):
            page.goto(file.as_uri())
            if (height := page.evaluate("document.documentElement.scrollHeight")) > 40 * 800:
                tall[file.name] = height
        assert tall == {}


@pytest.mark.parametrize("size", [(1280, 800), NARROW], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_reference_can_be_walked(browser: Browser, site: Path, size: tuple[int, int]) -> None:
    """Its pages stand beside each other with the one that is read marked; its names are links at the top."""
    with opened(browser, site / REFERENCE / "network-questions.html", size) as page:
        names = page.locator("main details.names")
        if size == NARROW:
            expect(names.locator("a").first).to_be_hidden()
            names.locator("summary").click()
            page.locator(".beside summary").click()
        expect(names.get_by_role("link", name="marginals", exact=True)).to_be_visible()
        names.get_by_role("link", name="marginals", exact=True).click()
        expect(page.get_by_role("heading", name="Network.marginals")).to_be_in_viewport()
        beside = page.get_by_role("navigation", name="Look up")
        expect(beside.locator("[aria-current=page]")).to_have_text("Network: questions")
        beside.get_by_role("link", name="Network: edits").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Network: edits")


def test_jobs_are_cards_on_a_telephone(browser: Browser, site: Path) -> None:
    """Identifiers stay whole where a line can hold them, and each statement has a line of its own."""
    with opened(browser, site / "do" / "moving" / "pgmpy.html", NARROW) as page:
        broken = page.evaluate(_BROKEN_WORDS)
        assert broken == []
        rows = page.locator(".jobs td:last-child:has(code + code)")
        assert rows.count() >= 2
        for row in rows.all():
            tops = row.locator("code").evaluate_all(
                "all => all.map(code => code.getBoundingClientRect().top)"
            )
            assert len({*tops}) == len(tops)


_TOPS = "all => all.map(code => code.getBoundingClientRect().top)"
_BROKEN_WORDS = """() => {
  const found = [];
  for (const code of document.querySelectorAll(".jobs td code")) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.data.matchAll(/[A-Za-z]+/g)) {
        const range = document.createRange();
        range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
        const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (tops.size > 1) found.push(word[0]);
      }
    }
  }
  return found;
}"""
