"""The built site in chromium, from files: nothing fetched, nothing too wide, a search that finds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browsing import picture
from tests.site.moving_pages import PAGES
from tests.site.opened_pages import NARROW, opened


def pages_of(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_no_page_is_wider_than_a_telephone_and_none_asks_another_host(browser: Browser, site: Path) -> None:
    pages = pages_of(site)
    assert len(pages) > 60
    with opened(browser, pages[0], NARROW) as page:
        wide = {}
        for file in pages:
            page.goto(file.as_uri())
            if (width := page.evaluate("document.documentElement.scrollWidth")) > NARROW[0]:
                wide[file.name] = width
        assert wide == {}


BROAD = [
    "index.html",
    "understand/when-not.html",
    "lookup/what-runs-where.html",
    "lookup/accuracy.html",
    *(f"do/moving/{name}.html" for name in PAGES),
]
"""Pages whose tables are read in whole lines."""


@pytest.mark.parametrize("size", [(1280, 800), NARROW], ids=lambda size: f"{size[0]}x{size[1]}")
def test_what_goes_on_to_the_right_says_so(browser: Browser, site: Path, size: tuple[int, int]) -> None:
    """Tables and code that do not fit show a shadow at the edge behind which there is more."""
    with opened(browser, site / "index.html", size) as page:
        unsaid, hidden = {}, 0
        for file in pages_of(site):
            if file.name == "live.html":
                continue
            page.goto(file.as_uri())
            for box in page.evaluate(_SIDEWAYS):
                hidden += 1
                if not box["shadow"] or not box["keyboard"]:
                    unsaid[file.name] = box
        assert unsaid == {}
        assert hidden > 10


def test_the_shadow_follows_what_is_hidden(browser: Browser, site: Path) -> None:
    with opened(browser, site / "lookup" / "what-runs-where.html", NARROW) as page:
        box = page.locator(".wide").nth(1)
        for left, shadows in ((0, "^wide more-right"), (40, "more-left"), (10_000, "^wide more-left *$")):
            box.evaluate("(box, left) => { box.scrollLeft = left; }", left)
            expect(box).to_have_class(re.compile(shadows), timeout=20_000)
        page.set_viewport_size({"width": 1600, "height": 800})
        expect(box).to_have_class(re.compile("^wide *$"), timeout=20_000)


@pytest.mark.parametrize("name", BROAD)
def test_no_column_of_a_table_is_out_of_view(browser: Browser, site: Path, name: str) -> None:
    with opened(browser, site / name) as page:
        assert page.locator("main .wide table").count() >= 1
        assert [box for box in page.evaluate(_SIDEWAYS) if box["table"]] == []


def test_a_broad_picture_scrolls_on_a_telephone(browser: Browser, site: Path) -> None:
    with opened(browser, site / "lookup" / "gallery.html", NARROW) as page:
        steps = page.get_by_alt_text("A tree of five arcs, step by step")
        steps.scroll_into_view_if_needed()
        assert steps.evaluate("img => img.getBoundingClientRect().width / img.naturalWidth") > 0.7
        expect(page.locator("p.wide", has=steps)).to_have_class(re.compile("more-right"), timeout=20_000)


@pytest.mark.parametrize("name", ["index.html", "understand/when-not.html", "do/moving/pgmpy.html"])
def test_small_tables_fit_on_a_telephone(browser: Browser, site: Path, name: str) -> None:
    with opened(browser, site / name, NARROW) as page:
        assert [box for box in page.evaluate(_SIDEWAYS) if box["table"]] == []


_SIDEWAYS = """() => [...document.querySelectorAll("main .wide, main pre")]
  .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
  .map((box) => ({
    table: box.querySelector("table") !== null, width: box.scrollWidth, room: box.clientWidth,
    shadow: getComputedStyle(box).boxShadow.includes("inset") || getComputedStyle(box).maskImage !== "none",
    keyboard: box.tabIndex === 0,
  }))"""


def test_one_screen_tells_what_bayou_is(browser: Browser, site: Path) -> None:
    """What, for whom, a screenshot, three beginnings, both tables; only a last line may be cut."""
    with opened(browser, site / "index.html") as page:
        assert page.evaluate(_LOWEST, "h1, h1 + p, .opening img, .beginnings pre") <= 800
        assert page.evaluate(_LOWEST, ".figures tbody tr:nth-child(3)") <= 800
        assert page.locator(".opening img").evaluate("img => img.complete && img.naturalWidth > 1000")
        shown = "img => img.getBoundingClientRect().width / (img.naturalWidth / 2)"  # two dots for a pixel
        assert page.locator(".opening img").evaluate(shown) > 0.65
        sizes = "all => all.map(part => parseFloat(getComputedStyle(part).fontSize))"
        assert min(page.locator("main p, main li, main td, main pre").evaluate_all(sizes)) >= 12
        page.set_viewport_size({"width": 1920, "height": 1080})
        assert page.evaluate(_LOWEST, ".figures") <= 1080


_LOWEST = """(selector) =>
  Math.max(...[...document.querySelectorAll(selector)].map((part) => part.getBoundingClientRect().bottom))"""


def test_the_explorer_on_the_first_page_answers(browser: Browser, site: Path) -> None:
    with opened(browser, site / "index.html") as page:
        page.locator("iframe").scroll_into_view_if_needed()
        frame = page.frame_locator("iframe")
        bar = frame.get_by_role("button", name=re.compile("^xray = yes:"))
        bar.scroll_into_view_if_needed()
        bar.click()
        expect(frame.get_by_role("list", name="Findings").get_by_role("listitem").first).to_be_visible()


def test_a_fold_opens_and_its_markdown_is_rendered(browser: Browser, site: Path, tmp_path: Path) -> None:
    from docs.builder.frame import framed
    from docs.builder.markdown import render
    from docs.builder.page import DOCS
    from docs.builder.page import Page as Made

    made = Made(DOCS / "fold.md", "fold.html")
    render(made, "# Fold\n\n<details>\n<summary>Solution</summary>\n\nIt is *forty-two*.\n\n</details>\n")
    file = site / "fold.html"
    file.write_text(framed(made, None, []), encoding="utf-8")
    try:
        with opened(browser, file) as page:
            expect(page.get_by_text("It is forty-two.")).to_be_hidden()
            page.get_by_text("Solution").click()
            expect(page.locator("em")).to_have_text("forty-two")
    finally:
        file.unlink()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), NARROW], ids=lambda size: f"{size[0]}x{size[1]}")
def test_text_can_be_read_by_day_and_night(
    browser: Browser, site: Path, size: tuple[int, int], scheme: Any
) -> None:
    """Contrast by the formula of WCAG 2: at least 4.5 for every colour of the theme on both grounds."""
    with opened(browser, site / "do" / "networks" / "gaps.html", size, color_scheme=scheme) as page:
        for told in (
            "--ink",
            "--quiet",
            "--link",
            "--keyword",
            "--string",
            "--number",
            "--comment",
            "--output",
        ):
            for ground in ("--paper", "--well"):
                assert page.evaluate(_CONTRAST, [told, ground]) >= 4.5, (told, ground, scheme)
        picture(page, f"site-gaps-{size[0]}-{scheme}")
        page.goto((site / "index.html").as_uri())
        picture(page, f"site-home-{size[0]}-{scheme}")


_CONTRAST = """([text, ground]) => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue(name).trim().replace("#", "");
    const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
    const parts = [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const [one, other] = [light(text), light(ground)].sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
}"""
