"""The search of the site: what people type finds its page, and the hits can be read on every screen."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.opened_pages import opened
from tests.site.questions import FIRST, QUESTIONS, SPELLINGS


def hits(page: Page, question: str) -> list[str]:
    """The addresses that the search gives, without their anchors."""
    page.get_by_role("searchbox").fill(question)
    links = page.get_by_role("list", name="Hits").get_by_role("link")
    expect(links.first).to_be_visible()
    return cast("list[str]", links.evaluate_all("all => all.map(link => link.href.split('#')[0])"))


@pytest.mark.parametrize("start", ["index.html", "lookup/reference/networks.html"])
def test_the_search_finds_what_people_ask(browser: Browser, site: Path, start: str) -> None:
    with opened(browser, site / start) as page:
        page.keyboard.press("/")
        missed = {}
        for question, right in QUESTIONS.items():
            found = [address.removeprefix(site.as_uri() + "/") for address in hits(page, question)[:3]]
            if not {*right} & {*found}:
                missed[question] = found
        assert missed == {}


def test_a_name_typed_as_it_is_comes_first(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        page.keyboard.press("/")
        links = page.get_by_role("list", name="Hits").get_by_role("link")
        found = {}
        for name in FIRST:
            hits(page, name)
            found[name] = str(links.first.evaluate("link => link.href")).removeprefix(site.as_uri() + "/")
        missed = {name: place for name, place in found.items() if not place.startswith(FIRST[name])}
        assert missed == {}
        assert found["pgmpy"] == FIRST["pgmpy"]  # the top of its page


def test_american_and_british_spellings_are_one(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        page.keyboard.press("/")
        for american, british in SPELLINGS:
            assert hits(page, american)[:3] == hits(page, british)[:3], american


@pytest.mark.parametrize("width", [320, 390, 430, 600, 830, 1280])
def test_hits_are_not_cut_off(browser: Browser, site: Path, width: int) -> None:
    with opened(browser, site / "do" / "index.html", (width, 844)) as page:
        page.get_by_role("searchbox").focus()
        hits(page, "missing values")
        box = page.get_by_role("list", name="Hits").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["width"] >= min(500, width - 40)


def test_every_page_that_a_question_names_is_there(site: Path) -> None:
    named = {page for right in QUESTIONS.values() for page in right}
    assert [page for page in sorted(named) if not (site / page).exists()] == []
    assert len(QUESTIONS) >= 20


def test_a_hit_is_opened_by_the_keyboard(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        page.keyboard.press("/")
        page.keyboard.type("netica")
        expect(page.get_by_role("list", name="Hits").get_by_role("link").first).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Move from Netica and GeNIe")).to_be_visible()


def test_a_question_without_an_answer_says_so(browser: Browser, site: Path) -> None:
    with opened(browser, site / "do" / "index.html") as page:
        page.get_by_role("searchbox").focus()
        page.get_by_role("searchbox").fill("xyzzyx")
        expect(page.get_by_text("Nothing found.")).to_be_visible()
