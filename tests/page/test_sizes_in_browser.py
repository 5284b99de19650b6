"""Windows of every size: words stay whole, phones have all that a screen has, and tell what they hide."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browsing import OVERLAPS, SIZES, bar, choose, picture, tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_comparing_fits_into_the_window(
    browser: Browser, address: str, size: tuple[int, int], scheme: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        choose(page, "Asia")
        bar(page, "smoke = yes").click()
        page.get_by_role("button", name="Compare").click()
        bar(page, "smoke = no").click()
        expect(page.get_by_label("Marks in the drawing")).to_contain_text("B, now")
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"compare-{size[0]}-{scheme}")


BREAKING = "document.styleSheets[0].insertRule('th, td { overflow-wrap: anywhere !important; width: 1px; }')"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_words_of_tables_stay_whole(browser: Browser, address: str, size: tuple[int, int]) -> None:
    with tab(browser, address, size) as page:
        choose(page, "Asia")
        page.get_by_role("tab", name="Table").click()
        page.get_by_role("button", name="smoke = yes").click()
        assert page.evaluate(OVERLAPS) == []
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("button", name="smoke = no").click()
        expect(page.get_by_role("columnheader", name="B − A").first).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"beliefs-{size[0]}")
        page.evaluate(BREAKING)
        assert "broken: Variable" in page.evaluate(OVERLAPS)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_what_next_with_utilities_has_whole_words_and_one_minus(
    browser: Browser, address: str, size: tuple[int, int]
) -> None:
    with tab(browser, address, size) as page:
        choose(page, "Asia")
        bar(page, "xray = yes").click()
        if size[0] < 700:
            page.get_by_role("tab", name="Findings").click()
        asked = page.get_by_role("region", name="Ask about")
        asked.get_by_role("combobox").select_option("lung")
        expect(asked).to_contain_text("which test or question tells most about lung")
        asked.get_by_role("button", name="What next?").click()
        expect(asked.get_by_text(re.compile("^How much of the uncertainty about lung"))).to_be_visible()
        asked.get_by_role("button", name="Utilities and costs…").click()
        fields = page.get_by_role("dialog").get_by_role("textbox").all()[:6]
        for field, text in zip(fields, ("treat", "5", "-15", "wait", "-30", "0"), strict=True):
            field.fill(text)
        page.get_by_role("dialog").get_by_role("button", name="Use these").click()
        advice = asked.get_by_text(re.compile("expected utility"), exact=False).first
        expect(advice).to_have_text(re.compile(r"\(expected utility −\d"))
        expect(asked.get_by_text(re.compile("^How much of the uncertainty"))).to_be_hidden()
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"next-utilities-{size[0]}")


def test_a_phone_has_the_toolbar_in_one_row(browser: Browser, address: str) -> None:
    with tab(browser, address, SIZES[2]) as page:
        choose(page, "Asia")
        bar(page, "dysp = yes").click()
        tools = page.get_by_role("toolbar").get_by_role("button")
        expect(tools).to_have_count(4)
        boxes = [tool.bounding_box() for tool in tools.all()]
        assert len({box["y"] for box in boxes if box}) == 1
        header = page.get_by_role("banner").bounding_box()
        assert header is not None
        assert header["height"] < 0.13 * SIZES[2][1]
        page.get_by_role("tab", name="Findings").click()
        page.get_by_role("button", name="More…").click()
        names = ["New variable…", "Edit…", "Learn…", "Most probable explanation", "Download…", "Help"]
        items = page.get_by_role("menu", name="More").locator("button")
        expect(items).to_have_text(names)
        picture(page, "phone-more")
        items.filter(has_text="Most probable").click()
        section = page.get_by_role("region", name="Most probable explanation")
        expect(section).to_be_in_viewport(ratio=0.9)
        page.get_by_role("button", name="More…").click()
        page.get_by_role("menuitem", name="Edit…").click()
        expect(page.get_by_role("menuitem", name="Paste…")).to_be_in_viewport()


def test_columns_that_a_phone_does_not_show_are_told(browser: Browser, address: str) -> None:
    with tab(browser, address, SIZES[2]) as page:
        choose(page, "Asia")
        page.get_by_role("button", name="More about dysp").click()
        page.get_by_role("menuitem", name="Edit table…").click()
        hint = page.get_by_text("More columns on the right →")
        expect(hint).to_be_visible()
        page.get_by_role("columnheader", name="Sum").scroll_into_view_if_needed()
        expect(hint).to_be_hidden()
