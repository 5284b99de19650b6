"""Where new users hesitated, in a real browser: what is told, what stays in place, what is not lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import bayou
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, picture, tab

ASIA = bayou.examples.asia()


def moved(page: Page) -> list[str]:
    return page.get_by_role("list", name="What moved most").get_by_role("listitem").all_inner_texts()


def test_lists_and_tables_stick_to_one_state(page: Page) -> None:
    """Whichever state rose: of yes and no it is yes, unless no was asked about."""
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    assert all("yes: " in line for line in moved(page))
    page.get_by_role("button", name="Compare").click()
    bar(page, "smoke = no").click()
    expect(page.get_by_role("row", name=re.compile("^lung = yes"))).to_be_visible()
    assert all("yes: " in line for line in moved(page))
    rule = page.get_by_text("tell one state of each variable:")
    expect(rule).to_be_hidden()  # the lists speak for themselves
    page.get_by_role("button", name="Help").click()
    expect(rule).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Why lung?", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("^lung = yes: 5.5% → 1.0%"))).to_be_visible()
    page.get_by_role("combobox", name="State", exact=True).select_option("no")
    expect(page.get_by_role("row", name=re.compile("^lung = no 90.0% 99.0%"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("row", name=re.compile("^lung = no 90.0% 99.0%"))).to_be_visible()


def test_a_and_b_stand_side_by_side_with_a_legend(page: Page) -> None:
    choose(page, "Asia")
    legend = page.get_by_label("Marks in the drawing")
    expect(legend).to_be_hidden()
    bar(page, "smoke = yes").click()
    expect(legend).to_have_text(re.compile("^ before findings$"), use_inner_text=True)
    page.get_by_role("button", name="Compare").click()
    bar(page, "smoke = no").click()
    expect(legend).to_contain_text("A, kept B, now before findings")
    page.get_by_role("tab", name="Table").click()
    table = page.get_by_role("table", name="Beliefs of all variables")
    heads = ["Variable", "State", "A, kept", "B, now", "B − A", "Before findings", "Finding"]
    expect(table.get_by_role("columnheader")).to_have_text(heads)
    row = table.locator("tr", has=page.get_by_role("button", name="bronc = yes"))
    assert row.get_by_role("cell").all_inner_texts()[:5] == ["yes", "60.0%", "30.0%", "−30.0", "45.0%"]


def test_an_intervention_is_no_observation_and_has_no_share(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="More about smoke").click()
    page.get_by_role("menuitem", name="Set by intervention").click()
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("dialog").get_by_role("button", name="Set finding").click()
    expect(page.get_by_text("An intervention is no observation")).to_be_visible()
    bar(page, "xray = yes").click()
    expect(page.get_by_text("With the intervention, about")).to_be_visible()
    page.get_by_role("button", name="Why lung?", exact=True).click()
    expect(page.get_by_text("No shares: an intervention always holds")).to_be_visible()
    bar(page, "dysp = yes").click()
    expect(page.get_by_text("after the intervention, which has none itself")).to_be_visible()
    row = page.get_by_role("row", name=re.compile("^smoke set to yes"))
    expect(row.get_by_role("cell").last).to_have_text("–")


def test_what_is_asked_about_follows_the_findings_and_what_was_named(page: Page) -> None:
    choose(page, "Asia")
    pick = page.get_by_role("combobox", name="Ask about")
    expect(pick).to_have_value('"asia"')
    bar(page, "xray = yes").click()
    expect(pick).to_have_value('"lung"')  # moved most of those that are no functions of others
    bar(page, "lung = yes").click()
    expect(pick).not_to_have_value('"lung"')
    pick.select_option("bronc")
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(3)
    expect(pick).to_have_value('"bronc"')
    page.get_by_role("region", name="Ask about").get_by_role("button", name="Why?", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("^bronc = yes"))).to_be_visible()


def test_a_network_opens_clean_and_offers_the_findings_it_had(page: Page) -> None:
    """For the next patient; a reload, Back and links bring everything as it was."""
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    page.get_by_role("button", name="Compare").click()
    bar(page, "xray = yes").click()
    expect(findings(page)).to_have_count(2)
    page.reload()
    expect(findings(page)).to_have_count(2)
    page.get_by_role("button", name="Networks").click()
    choose(page, "Earthquake")
    expect(page.get_by_text("You had findings here")).to_be_hidden()
    page.go_back()
    for open_again in (lambda: None, lambda: page.goto(page.url.split("#")[0])):
        open_again()
        choose(page, "Asia")
        expect(
            page.get_by_text("You had findings here: smoke = yes, xray = yes; and scenario A")
        ).to_be_visible()
        expect(findings(page)).to_have_count(0)
        expect(page.get_by_role("region", name="Scenarios A and B")).to_be_hidden()
    assert page.evaluate(OVERLAPS) == []
    picture(page, "left-findings")
    top = page.get_by_role("tablist").bounding_box()
    bar(page, "dysp = yes").click()
    expect(findings(page)).to_have_count(1)
    assert page.get_by_role("tablist").bounding_box() == top  # nothing drops away below the mouse
    page.get_by_role("button", name="Take them up again").click()
    expect(findings(page)).to_have_text([re.compile("smoke = yes"), re.compile("xray = yes")])
    expect(page.get_by_text("A, kept: smoke = yes")).to_be_visible()
    expect(page.get_by_text("You had findings here")).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(findings(page)).to_have_text([re.compile("dysp = yes")])


def test_the_menu_leaves_its_variable_in_view_and_its_items_in_place(page: Page) -> None:
    choose(page, "Asia")
    places = []
    for _ in range(2):
        page.get_by_role("button", name="More about tub").click()
        menu, frame = page.get_by_role("menu"), page.locator(".node[data-key='\"tub\"'] .frame")
        expect(menu).to_contain_text("tuberculosis")
        one, other = menu.bounding_box(), frame.bounding_box()
        assert one is not None
        assert other is not None
        apart = one["x"] >= other["x"] + other["width"] or one["x"] + one["width"] <= other["x"]
        assert apart
        items = page.get_by_role("menuitem").or_(page.get_by_role("menuitemcheckbox"))
        places.append([item.bounding_box() for item in items.all()])
        page.get_by_role("menuitemcheckbox", name="Observed: yes").click()
    assert places[0] == places[1]


def test_the_toolbar_stays_where_it_is(page: Page, tmp_path: Path) -> None:
    """Whatever the name of the network, and with something to compare."""
    choose(page, "Asia")
    tools = [page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Download…", "Help")]
    before = [tool.bounding_box() for tool in tools]
    page.get_by_role("button", name="Compare").click()
    assert [tool.bounding_box() for tool in tools] == before
    page.get_by_role("button", name="Networks").click()
    page.get_by_role("button", name="New network").click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    assert [tool.bounding_box() for tool in tools] == before
    ASIA.save(tmp_path / "a_network_with_quite_a_long_name_indeed.bif")
    page.get_by_role("button", name="Networks").click()
    choose(page, tmp_path / "a_network_with_quite_a_long_name_indeed.bif")
    assert [tool.bounding_box() for tool in tools] == before


def test_help_is_closed_without_scrolling_and_names_mean_something(page: Page) -> None:
    choose(page, "Asia")
    about = page.get_by_role("region", name="About this network")
    expect(about).to_contain_text("Shortness of breath after a visit to Asia")
    expect(page.get_by_role("definition").filter(has_text="tuberculosis or lung cancer")).to_be_visible()
    page.get_by_role("button", name="Help").click()
    dialog = page.get_by_role("dialog")
    close = dialog.get_by_role("button", name="Close")
    expect(close).to_be_in_viewport()
    dialog.locator("h4").last.scroll_into_view_if_needed()
    expect(close).to_be_in_viewport()
    close.click()
    expect(dialog).to_be_hidden()


def test_findings_are_written_in_one_way(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "xray = yes").click()
    figures = page.get_by_text(re.compile(r"log P = −2\.\d+\.$"))
    expect(figures).to_be_hidden()  # until who wants them asks
    page.get_by_role("region", name="Findings").get_by_text("Details").click()
    expect(figures).to_be_visible()
    page.get_by_role("button", name="Why lung?", exact=True).click()
    asked = page.get_by_role("region", name="Ask about")
    expect(asked).to_contain_text("lung = yes became more likely")
    assert "=yes" not in asked.inner_text()
    bar(page, "lung = yes").click()
    bar(page, "either = no").click()
    notice = page.get_by_role("alert").last
    expect(notice).to_contain_text("their probability is 0): lung = yes, either = no.")
    assert "=yes" not in notice.inner_text()


def test_nothing_is_told_that_impossible_findings_would_contradict(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "either = no").click()
    page.get_by_role("button", name="Most probable explanation").click()
    expect(page.get_by_role("region", name="Most probable explanation")).to_be_visible()
    bar(page, "lung = yes").click()
    expect(page.get_by_role("alert").last).to_contain_text("The grey bars still show the findings before.")
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", re.compile("^lung = yes: –, observed"))
    expect(bar(page, "either = no")).to_have_attribute(
        "aria-label", re.compile("^either = no: 100%, observed")
    )
    expect(page.get_by_text("They cannot all be true, so nothing follows from them.")).to_be_visible()
    for name in ("What moved most", "Most probable explanation", "Ask about"):
        expect(page.get_by_role("region", name=name)).to_be_hidden()
    fill = page.locator(".state .fill").first
    assert "grayscale" in fill.evaluate("bar => getComputedStyle(bar).filter")
    picture(page, "impossible")
    page.get_by_role("button", name="Release lung = yes").click()
    for name in ("What moved most", "Most probable explanation", "Ask about"):
        expect(page.get_by_role("region", name=name)).to_be_visible()
    assert fill.evaluate("bar => getComputedStyle(bar).filter") == "none"


def test_a_word_about_undo_goes_with_the_next_change(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="More about smoke").click()
    page.get_by_role("menuitem", name="Edit table…").click()
    expect(page.get_by_role("grid")).to_be_focused()
    page.keyboard.type("0.3")
    page.keyboard.press("Control+Enter")
    told = page.get_by_text("Table of smoke: applied. Ctrl+Z takes it back.")
    expect(told).to_be_visible()
    bar(page, "xray = yes").click()
    expect(findings(page)).to_have_count(1)
    expect(told).to_have_count(0, timeout=1000)  # long before it would go by itself


def test_the_menu_of_edits_leaves_its_variable_in_view(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="More about bronc").click()
    page.get_by_role("menuitem", name="Edit this variable…").click()
    menu, frame = page.get_by_role("menu"), page.locator(".node[data-key='\"bronc\"'] .frame")
    expect(menu).to_have_attribute("aria-label", "Edit bronc")
    one, other = menu.bounding_box(), frame.bounding_box()
    assert one is not None
    assert other is not None
    assert one["x"] >= other["x"] + other["width"] or one["x"] + one["width"] <= other["x"]


def test_compared_cases_begin_with_what_is_asked_about(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "xray = yes").click()
    page.get_by_role("button", name="Save case").click()
    page.get_by_role("checkbox", name="Compare Case 1").check()
    expect(page.get_by_role("combobox", name="Ask about")).to_have_value('"lung"')
    expect(page.get_by_role("combobox", name="Beliefs of")).to_have_value('"lung"')


def test_the_reason_stands_at_the_top_without_a_line(page: Page) -> None:
    choose(page, "Asia")
    for state in ("xray = yes", "smoke = yes", "dysp = yes"):
        bar(page, state).click()
    expect(findings(page)).to_have_count(3)
    page.get_by_role("button", name="Why lung?", exact=True).click()
    asked = page.get_by_role("region", name="Ask about").bounding_box()
    panel = page.get_by_role("complementary").bounding_box()
    assert asked is not None
    assert panel is not None
    assert asked["y"] + 1 <= panel["y"]  # its line is out of view


def test_clear_all_leaves_a_and_says_how_it_goes(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    page.get_by_role("button", name="Compare").click()
    panel = page.get_by_role("region", name="Findings")
    clear, drop = (panel.get_by_role("button", name=name) for name in ("Clear all", "Drop A"))
    one, other = clear.bounding_box(), drop.bounding_box()
    assert one is not None
    assert other is not None
    assert one["y"] == other["y"]
    clear.click()
    expect(panel).to_contain_text("The findings of A are still there to compare with (green bars).")
    expect(page.get_by_role("region", name="Scenarios A and B")).to_be_visible()
    assert page.evaluate(OVERLAPS) == []
    drop.click()
    for part in (
        page.get_by_role("region", name="Scenarios A and B"),
        drop,
        page.get_by_text("The findings of A"),
    ):
        expect(part).to_be_hidden()


def test_the_first_finding_moves_no_card_of_a_phone(browser: Browser, address: str) -> None:
    with tab(browser, address, SIZES[2]) as page:
        choose(page, "Asia")
        expect(bar(page, "smoke = yes")).to_be_visible()
        before = page.locator(".card").evaluate_all(
            "cards => cards.map(card => card.getBoundingClientRect().top)"
        )
        picture(page, "phone-before")
        bar(page, "asia = yes").click()
        expect(page.get_by_role("tab", name="Findings (1)")).to_be_visible()
        expect(page.get_by_label("Marks in the drawing")).to_have_text(re.compile("before findings"))
        picture(page, "phone-after")
        after = page.locator(".card").evaluate_all(
            "cards => cards.map(card => card.getBoundingClientRect().top)"
        )
        assert after == before


def test_the_findings_of_a_phone_begin_at_their_top(browser: Browser, address: str) -> None:
    with tab(browser, address, SIZES[2]) as page:
        choose(page, "Asia")
        bar(page, "dysp = yes").click()
        expect(page.get_by_role("tab", name="Findings (1)")).to_be_visible()
        here = page.evaluate("scrollY")
        assert here > 300
        page.get_by_role("tab", name="Findings").click()
        head = page.get_by_role("heading", name="Findings", exact=True)
        expect(head).to_be_in_viewport()
        tabs, box = page.get_by_role("tablist").bounding_box(), head.bounding_box()
        assert tabs is not None
        assert box is not None
        assert box["y"] >= tabs["y"] + tabs["height"]  # not below the tabs, which stay in view
        page.get_by_role("tab", name="Cards").click()
        assert page.evaluate("scrollY") == here


def test_an_intervention_is_explained_and_in_the_legend(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="More about smoke").click()
    page.get_by_role("menuitem", name="Set by intervention").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What it acts on changes with it; what acts on it stays as it was.")
    same = "Nothing in this network influences smoke, so setting it tells the same as observing it."
    expect(dialog).to_contain_text(same)
    dialog.get_by_role("radio", name="yes").check()
    dialog.get_by_role("button", name="Set finding").click()
    expect(page.get_by_role("region", name="Findings")).to_contain_text(same)
    expect(page.get_by_label("Marks in the drawing")).to_contain_text("▶ set by intervention")
    picture(page, "intervention")
    page.get_by_role("button", name="More about lung").click()
    page.get_by_role("menuitem", name="Set by intervention").click()
    expect(dialog).not_to_contain_text("Nothing in this network influences")


def test_replace_a_shows_its_result_as_compare_does(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 600})
    choose(page, "Asia")
    for state in ("smoke = yes", "xray = yes"):
        bar(page, state).click()
    head = page.get_by_role("heading", name="Scenarios A and B")
    for name, state in (("Compare", "dysp = yes"), ("Replace A", "bronc = yes")):
        page.get_by_role("complementary").evaluate("panel => panel.scrollTo(0, 0)")
        page.get_by_role("button", name=name).click()
        expect(head).to_be_in_viewport()
        bar(page, state).click()


def test_tabs_stay_where_they_are_whichever_is_chosen(page: Page) -> None:
    choose(page, "Asia")
    tabs = page.get_by_role("tab")
    before = [tab.bounding_box() for tab in tabs.all()]
    page.get_by_role("tab", name="Table").click()
    assert [tab.bounding_box() for tab in tabs.all()] == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_short_names_have_their_meaning_beside_them(browser: Browser, address: str, scheme: str) -> None:
    with tab(browser, address, SIZES[2]) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        choose(page, "Asia")
        expect(page.get_by_role("group", name="tub").get_by_text("tuberculosis")).to_be_visible()
        bar(page, "asia = yes").click()
        expect(page.get_by_role("tab", name="Findings (1)")).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"phone-meanings-{scheme}")
        page.get_by_role("tab", name="Findings").click()
        expect(page.get_by_role("list", name="What moved most")).to_contain_text(
            "tuberculosis or lung cancer"
        )
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"phone-moved-{scheme}")
        page.get_by_role("combobox", name="Search variables and states").fill("lung")
        names = ["lung lung cancer", "lung = yes", "lung = no", "either tuberculosis or lung cancer"]
        expect(page.get_by_role("option").locator(".hit")).to_have_text(names)
        picture(page, f"phone-search-{scheme}")


def test_a_learned_network_is_found_again_on_the_first_page(page: Page, tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_text("".join(["ill,test\n", *("no,no\nyes,yes\n" * 30), "no,yes\n"]))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Learn from a table…").click()
    chooser.value.set_files(tmp_path / "clinic.csv")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Open")).first.click()
    expect(bar(page, "ill = yes")).to_be_visible()
    for leave in ("Networks", "reload"):
        page.get_by_role("button", name="Networks", exact=True).click()
        if leave == "reload":
            page.reload()
        listed = page.get_by_role("list", name="Opened in this tab").get_by_role("button")
        expect(listed).to_have_text("Learned from clinic.csvill, test2 variables, 1 arc")
        assert page.evaluate(OVERLAPS) == []
        picture(page, "first-page")
        listed.click()
        expect(bar(page, "ill = yes")).to_be_visible()
