"""The built site in chromium, from files: nothing fetched, nothing too wide, a search that finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.page.browsing import picture
from tests.site.moving_pages import PAGES
from tests.site.questions import FIRST, QUESTIONS, SPELLINGS

NARROW = (390, 844)


@contextmanager
def opened(
    browser: Browser, file: Path, size: tuple[int, int] = (1280, 800), **options: Any
) -> Iterator[Page]:
    """A page of the site; requests that leave the folder and scripts that fail are failures."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("requestfailed", lambda request: faults.extend(_not_loaded(request)))
    page.on(
        "request", lambda request: faults.extend(re.findall(r"^(?!file:|data:|blob:|about:).*", request.url))
    )
    page.goto(file.as_uri())
    yield page
    context.close()
    assert not faults


def _not_loaded(request: Request) -> list[str]:
    """What could not be loaded, unless the tab had already left the page."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"not loaded: {request.url}"]


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
            tops = row.locator("code").evaluate_all("all => all.map(code => code.getBoundingClientRect().top)")
            assert len({*tops}) == len(tops)


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
