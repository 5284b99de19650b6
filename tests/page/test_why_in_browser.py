"""Why, what next and related, in a real browser on a real server; numbers are the library's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bayou
from bayou.explain.influence.sentences import IN_PERCENT, sentences_of
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, held, picture, tab

ASIA = bayou.examples.asia()
GIVEN = {"xray": "yes", "smoke": "yes"}
TESTS = ["asia", "tub", "bronc", "dysp"]
"""What can be asked for about lung: either is computed from lung and tub."""


@dataclass
class Person:
    """Somebody with a mouse, whose clicks are counted."""

    page: Page
    clicks: int = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1


def percent(chance: float) -> str:
    return f"{100 * chance:.1f}%"


def exhibit(page: Page, name: str) -> Locator:
    exhibits = page.get_by_role("list", name="Networks to start from")
    return exhibits.get_by_role("button", name=re.compile(f"^{name}"))


def question(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Ask about").get_by_role("button", name=name, exact=True)


def known(page: Page) -> None:
    """Asia with an abnormal X-ray of a smoker."""
    choose(page, "Asia")
    for state in ("xray = yes", "smoke = yes"):
        bar(page, state).click()
    expect(findings(page)).to_have_count(2)


def as_written(sentence: str) -> str:
    """A sentence of the library as the page writes it."""
    return re.sub(r"(^|[\s(])-(?=\d)", r"\1−", re.sub(r"(?<=\w)=(?=\w)", " = ", sentence))


def asks(page: Page) -> Locator:
    return page.get_by_role("list", name="What to ask next").get_by_role("listitem")


def asked_for(found: bayou.models.answers.next_findings.NextFindings, about: str = "lung") -> str:
    """The advice as the page tells it, without bits."""
    assert found.best is not None
    return f"Ask for {found.best.name}: it is expected to tell the most about {about}."


def test_what_next_tells_what_each_finding_would_do(page: Page) -> None:
    """Chances and shares of the uncertainty, a bar of the same length; the bits stand in the tooltip."""
    known(page)
    page.get_by_role("combobox", name="Ask about").select_option("lung")
    question(page, "What next?").click()
    found = ASIA.what_to_ask("lung", GIVEN, among=TESTS)
    assert found.best is not None
    for one in found.ranked:
        row = asks(page).filter(has=page.get_by_role("button", name=f"Leave out {one.name}"))
        if one.share < 1e-4:
            expect(row.locator(".numbers")).to_have_text("0%")
            continue
        expect(row.locator(".numbers")).to_have_text(percent(one.share))
        after = ASIA.query("lung", given=GIVEN | {one.name: "yes"})["yes"]
        chance = ASIA.query(one.name, given=GIVEN)["yes"]
        told = f"yes ({percent(chance)}) would take lung = yes to {percent(after)}, no ("
        expect(row.locator(".outlook")).to_contain_text(told)
        whole = row.locator(".track").bounding_box()
        assert whole is not None
        assert width_of(page, one.name) / whole["width"] == pytest.approx(max(one.share, 2 / 300), abs=0.01)
    assert "bits" not in page.get_by_role("region", name="Ask about").inner_text()
    expect(asks(page).first.locator(".numbers")).to_have_attribute(
        "title", f"{found.best.bits:.3g} bits of {found.entropy:.3g} bits"
    )
    assert page.evaluate(OVERLAPS) == []
    picture(page, "what-next")


def test_a_question_its_reasons_and_the_next_test_within_their_budgets(page: Page) -> None:
    person = Person(page)
    person.click(exhibit(page, "Asia"))
    person.click(bar(page, "xray = yes"))
    person.click(bar(page, "smoke = yes"))
    chance = ASIA.query("lung", given=GIVEN)["yes"]
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", re.compile(re.escape(percent(chance))))
    assert person.clicks == 3
    person.click(page.get_by_role("button", name="Why lung?", exact=True))
    told = ASIA.explain("lung", GIVEN)
    first, further = sentences_of(ASIA.dag, told.reasons, IN_PERCENT)
    assert len(first) + len(further) == len(told.sentences)
    for sentence in (*first, *further):
        expect(page.get_by_text(as_written(sentence), exact=True)).to_be_visible()
    assert person.clicks == 3 + 1
    person.click(question(page, "What next?"))
    found = ASIA.what_to_ask("lung", GIVEN, among=TESTS)
    expect(page.get_by_text(asked_for(found), exact=True)).to_be_visible()
    assert found.best is not None
    expect(asks(page).first).to_have_text(re.compile(f"^{found.best.name}{percent(found.best.share)}"))
    assert person.clicks <= 3 + 1 + 2


def test_the_ledger_has_the_numbers_of_the_library(page: Page) -> None:
    known(page)
    page.get_by_role("button", name="Why lung?", exact=True).click()
    shares = ASIA.finding_strength("lung", GIVEN, state="yes", shares="probability").shares
    assert shares is not None
    for one in ASIA.explain("lung", GIVEN).findings:
        row = page.get_by_role("row", name=re.compile(f"^{one.name} = yes"))
        wanted = [percent(one.without), percent(one.alone), f"+{100 * shares[one.name]:.1f}"]
        assert row.get_by_role("cell").all_inner_texts() == wanted
    heading = page.get_by_role("heading", name="lung = yes: 5.5% → 64.6%")
    expect(heading).to_be_focused()
    page.get_by_role("combobox", name="State", exact=True).select_option("no")
    expect(page.get_by_role("heading", name="lung = no: 94.5% → 35.4%")).to_be_visible()


def test_trails_are_marked_in_the_drawing_and_told_in_words(page: Page) -> None:
    known(page)
    page.get_by_role("button", name="Why lung?", exact=True).click()
    trails = page.get_by_role("list", name="Along these trails").get_by_role("listitem")
    expect(trails).to_have_text([re.compile("xray ← either ← lung"), re.compile("smoke → lung")])
    expect(trails.first).to_have_text(re.compile("from xray up to either, up to lung"))
    arcs = page.locator(".arc.trail title").all_text_contents()
    assert sorted(arc.split(":")[0] for arc in arcs) == ["either → xray", "lung → either", "smoke → lung"]
    expect(page.locator(".node.on-trail")).to_have_count(4)
    question(page, "Why?").click()
    expect(page.locator(".arc.trail")).to_have_count(0)


def test_reasons_follow_the_findings_and_explain_away(page: Page) -> None:
    choose(page, "Asia")
    for state in ("smoke = yes", "dysp = yes"):
        bar(page, state).click()
    expect(findings(page)).to_have_count(2)
    page.get_by_role("button", name="Why either?", exact=True).click()
    page.get_by_role("combobox", name="State", exact=True).select_option("yes")
    bar(page, "bronc = yes").click()
    given = {"smoke": "yes", "dysp": "yes", "bronc": "yes"}
    (away,) = ASIA.explain("either", given, state="yes").explained_away
    line = page.get_by_role("list", name="Explaining away").get_by_role("listitem")
    expect(line).to_have_text(re.compile(f"{percent(away.before)} without .* {percent(away.after)} with it"))
    page.get_by_role("button", name="Clear all").click()
    expect(page.get_by_text("Nothing is known yet, so nothing has changed.")).to_be_visible()


def test_the_tornado_the_working_and_the_table(page: Page) -> None:
    known(page)
    page.get_by_role("button", name="Why lung?", exact=True).click()
    page.get_by_text("Which numbers matter most").click()
    found = ASIA.tornado("lung", "yes", GIVEN)
    expect(page.get_by_text(as_written(found.told(percent=True)), exact=True)).to_be_visible()
    first = page.get_by_role("list", name="Entries that matter most").get_by_role("listitem").first
    expect(first).to_have_text(
        re.compile(re.escape(f"{percent(found[0].at_low)} to {percent(found[0].at_high)}"))
    )
    page.get_by_text("The working, line by line").click()
    working = page.get_by_role("group", name="Working", exact=True)
    expect(working).to_have_text(ASIA.working("lung", GIVEN), use_inner_text=False)
    page.get_by_text("The table of lung").click()
    table = page.get_by_role("table", name=re.compile("this table was given"))
    expect(table.get_by_role("row").nth(1)).to_have_text("yes10.0%90.0%")


def test_counts_and_intervals_of_a_learned_table(page: Page, tmp_path: Path) -> None:
    net = bayou.Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": ["u", "u", "v", "v", "v"]})
    net.save(tmp_path / "counted.bayou")
    choose(page, tmp_path / "counted.bayou")
    page.get_by_role("combobox", name="Ask about").select_option("R")
    question(page, "Why?").click()
    page.get_by_text("The table of R").click()
    ends = net.cpt_intervals("R")
    row = page.get_by_role("table", name=re.compile("the rows behind them")).get_by_role("row").nth(2)
    chance, low, high = (percent(part[1, 0]) for part in (net.frozen.table("R"), ends.lower, ends.upper))
    expect(row).to_have_text(re.compile(re.escape(f"d{chance}2 rows{low} to {high}")))


def test_a_click_on_what_to_ask_shows_it_and_the_list_follows_the_findings(page: Page) -> None:
    known(page)
    page.get_by_role("button", name="More about lung").click()
    page.get_by_role("menuitem", name="What to ask next?").click()
    found = ASIA.what_to_ask("lung", GIVEN, among=TESTS)
    assert found.best is not None
    expect(asks(page)).to_have_count(len(found))
    asks(page).first.get_by_role("button", name=str(found.best.name), exact=True).click()
    expect(page.locator(".node.chosen")).to_have_attribute("aria-label", re.compile(f"^{found.best.name}:"))
    bar(page, f"{found.best.name} = no").click()
    others = set(TESTS) - {found.best.name}
    after = ASIA.what_to_ask("lung", {**GIVEN, found.best.name: "no"}, among=others)
    expect(page.get_by_text(asked_for(after), exact=True)).to_be_visible()
    expect(asks(page)).to_have_count(len(after))


def test_questions_without_an_answer_are_told_in_words(page: Page) -> None:
    known(page)
    page.get_by_role("button", name="More about smoke").click()
    page.get_by_role("menuitem", name="Why?").click()
    sentence = "smoke = yes: that is known. Choose a variable that is not, or remove this finding."
    told = page.get_by_text(sentence).locator("visible=true")
    expect(told).to_be_visible()
    expect(page.get_by_text("The working, line by line")).to_be_hidden()
    question(page, "What next?").click()
    expect(told).to_be_visible()
    page.get_by_role("combobox", name="Ask about").select_option("lung")
    expect(
        page.get_by_text(asked_for(ASIA.what_to_ask("lung", GIVEN, among=TESTS)), exact=True)
    ).to_be_visible()


def width_of(page: Page, name: str) -> float:
    """How long the bar of a variable is in the list of what to ask, in px."""
    row = asks(page).filter(has=page.get_by_role("button", name=f"Leave out {name}"))
    box = row.locator(".fill").bounding_box()
    return box["width"] if box else 0.0


def test_what_nobody_can_look_at_is_left_out(page: Page) -> None:
    """What is computed from others is, at first; what else is left out does not change the bars of others."""
    known(page)
    page.get_by_role("combobox", name="Ask about").select_option("lung")
    question(page, "What next?").click()
    found = ASIA.what_to_ask("lung", GIVEN, among=TESTS)
    expect(page.get_by_text(asked_for(found), exact=True)).to_be_visible()
    expect(
        page.get_by_text("either is left out: it is computed from lung and tub, so it is no test.")
    ).to_be_visible()
    expect(asks(page)).to_have_count(4)
    assert width_of(page, "bronc") == 0.0  # 0 bits
    before = width_of(page, "dysp")
    page.get_by_role("button", name="Leave out tub").click()
    expect(asks(page)).to_have_count(3)
    assert width_of(page, "dysp") == pytest.approx(before, abs=0.5)
    page.get_by_text("What can be asked for (3 of 5)").click()
    page.get_by_role("checkbox", name="tub").check()
    expect(asks(page)).to_have_count(4)
    page.reload()
    expect(page.get_by_text(asked_for(found), exact=True)).to_be_visible()
    for name in TESTS:
        page.get_by_role("button", name=f"Leave out {name}").click()
    expect(page.get_by_text("Everything is left out: put something back.")).to_be_visible()
    page.get_by_role("button", name="Put either back").click()
    only = ASIA.what_to_ask("lung", GIVEN, among=["either"])
    expect(page.get_by_text(asked_for(only), exact=True)).to_be_visible()


def test_utilities_and_costs_are_typed_and_kept_in_the_tab(page: Page) -> None:
    known(page)
    page.get_by_role("combobox", name="Ask about").select_option("lung")
    question(page, "What next?").click()
    expect(asks(page)).to_have_count(4)
    page.get_by_role("button", name="Utilities and costs…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of action 1").fill("treat")
    dialog.get_by_role("button", name="Use these").click()
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("Type a number for treat if it is yes"))
    typed = {"treat": ("8", "−3"), "wait": ("-20", "0")}
    for place, (name, numbers) in enumerate(typed.items(), start=1):
        dialog.get_by_label(f"Name of action {place}").fill(name)
        for state, number in zip(("yes", "no"), numbers, strict=True):
            dialog.get_by_label(f"Utility of action {place} if {state}").fill(number)
    dialog.get_by_role("textbox", name="tub", exact=True).fill("0,5")
    dialog.get_by_role("button", name="Use these").click()
    utilities = {"treat": {"yes": 8, "no": -3}, "wait": {"yes": -20, "no": 0}}
    found = ASIA.what_to_ask("lung", GIVEN, among=TESTS, utilities=utilities, costs={"tub": 0.5})
    expect(page.get_by_text(as_written(found.advice), exact=True)).to_be_visible()
    row = page.get_by_role("row", name=re.compile(r"^treat \(best now\)"))
    expect(row).to_have_text(re.compile(re.escape(f"{found.expected_utility:.4g}")))
    page.reload()
    expect(page.get_by_text(as_written(found.advice), exact=True)).to_be_visible()
    question(page, "Why?").click()
    page.get_by_text("Which numbers matter most").click()
    turning = ASIA.tornado("lung", "yes", GIVEN, utilities=utilities).told(percent=True)
    expect(page.get_by_text(as_written(str(turning)), exact=True)).to_be_visible()


def test_two_variables_are_related_or_not(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="More about asia").click()
    page.get_by_role("menuitem", name="Is it related to…?").click()
    page.get_by_role("combobox", name="Related to").select_option("smoke")
    expect(page.get_by_text("No. As things are known now, asia and smoke")).to_be_visible()
    expect(page.locator(".arc.trail")).to_have_count(0)
    bar(page, "dysp = yes").click()
    expect(page.get_by_text("Yes. News about asia can change smoke")).to_be_visible()
    verdict = ASIA.d_separated("asia", "smoke", given="dysp")
    trails = page.get_by_role("list", name="Open trails, marked in the drawing").get_by_role("listitem")
    expect(trails).to_have_count(len(verdict.open_trails))
    assert verdict.closed_by == ("tub",)
    expect(page.get_by_text("if tub was observed, too")).to_be_visible()
    expect(page.locator(".arc.trail")).to_have_count(7)


def test_reasons_by_keyboard_only(page: Page) -> None:
    exhibit(page, "Asia").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tablist")).to_be_visible()
    for state in ("xray", "smoke"):
        page.keyboard.press("/")
        page.keyboard.type(f"{state} = yes")
        page.keyboard.press("Enter")
    expect(findings(page)).to_have_count(2)
    page.keyboard.press("/")
    page.keyboard.type("lung")
    page.keyboard.press("Enter")
    assert held(page).startswith("lung:")
    page.keyboard.press("w")
    expect(page.get_by_role("heading", name="lung = yes: 5.5% → 64.6%")).to_be_focused()
    page.keyboard.press("Escape")
    assert held(page).startswith("lung:")
    page.keyboard.press("a")
    expect(
        page.get_by_text(asked_for(ASIA.what_to_ask("lung", GIVEN, among=TESTS)), exact=True)
    ).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    best = ASIA.what_to_ask("lung", GIVEN, among=TESTS).best
    assert best is not None
    expect(page.locator(".node.chosen")).to_have_attribute("aria-label", re.compile(f"^{best.name}:"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_answers_fit_into_the_window(
    browser: Browser, address: str, size: tuple[int, int], scheme: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        choose(page, "Asia")
        for state in ("dysp = yes", "bronc = yes", "xray = yes"):
            bar(page, state).click()
        if size[0] < 700:
            page.get_by_role("tab", name=re.compile("Findings")).click()
        page.get_by_role("button", name="Why lung?", exact=True).click()
        for part in ("Which numbers matter most", "The working, line by line", "The table of lung"):
            page.get_by_text(part).click()
        expect(page.get_by_role("group", name="Working", exact=True)).to_be_visible()
        look(page, f"why-{size[0]}-{scheme}")
        question(page, "What next?").click()
        expect(asks(page).first).to_be_visible()
        look(page, f"next-{size[0]}-{scheme}")
        page.get_by_role("button", name="Utilities and costs…").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        dialog = page.get_by_role("dialog").bounding_box()
        assert dialog is not None
        assert dialog["x"] >= 0
        assert dialog["x"] + dialog["width"] <= size[0]
        picture(page, f"decision-{size[0]}-{scheme}")
        page.keyboard.press("Escape")
        question(page, "Related?").click()
        page.get_by_role("combobox", name="Related to").select_option("asia")
        expect(page.get_by_text(re.compile("^Yes. News"))).to_be_visible()
        look(page, f"related-{size[0]}-{scheme}")


def look(page: Page, name: str) -> None:
    page.wait_for_timeout(150)
    picture(page, name, whole=True)
    page.get_by_role("complementary").evaluate("panel => panel.scrollTo(0, 0)")
    assert page.evaluate(OVERLAPS) == [], name
