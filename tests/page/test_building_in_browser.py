"""Building networks in a real browser, found by role and visible name; numbers are the library's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bayou
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, held, picture, tab, type_rows

RAIN = bayou.Network("Rain -> Sprinkler; Rain -> Grass; Sprinkler -> Grass")
for _name, _table in {
    "Rain": {"no": 0.8, "yes": 0.2},
    "Sprinkler": {"no": {"no": 0.6, "yes": 0.4}, "yes": {"no": 0.99, "yes": 0.01}},
}.items():
    RAIN.set_cpt(_name, _table)
RAIN.set_cpt(
    "Grass",
    {
        ("no", "no"): {"no": 1.0, "yes": 0.0},
        ("no", "yes"): {"no": 0.1, "yes": 0.9},
        ("yes", "no"): {"no": 0.2, "yes": 0.8},
        ("yes", "yes"): {"no": 0.01, "yes": 0.99},
    },
)
VARIABLES = (
    ("Rain", "", "0.8 0.2"),
    ("Sprinkler", "Rain", "60% 40%\n99% 1%"),
    ("Grass", "Rain, Sprinkler", "1 0\n0.1 0.9\n0.2 0.8\n0.01 0.99"),
)


CUT_OFF = """() => [...document.querySelectorAll("dialog[open] button, dialog[open] input")]
    .map((one) => [one.getBoundingClientRect(), one.textContent])
    .filter(([box]) => box.height < 24 || box.left < 0 || box.right > innerWidth || box.bottom > innerHeight)
    .map(([, name]) => name)"""


class Counted:
    """Clicks and typed fields, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def click(self, name: str | re.Pattern[str], role: Any = "button") -> None:
        self.count += 1
        self.page.get_by_role(role, name=name).click()

    def type(self, label: str, text: str) -> None:
        self.count += 1
        self.page.get_by_label(label, exact=True).fill(text)


def node(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=re.compile(f"^{re.escape(name)}: "))


def place(page: Page, name: str) -> tuple[float, float]:
    box = node(page, name).locator(".frame").bounding_box()
    assert box is not None
    return box["x"], box["y"]


def edit(page: Page, name: str, item: str | re.Pattern[str]) -> None:
    """An item of the menu of edits of a variable."""
    page.get_by_role("button", name=f"More about {name}").click()
    page.get_by_role("menuitem", name="Edit this variable…").click()
    page.get_by_role("menuitem", name=item).click()


def percent(probability: float) -> re.Pattern[str]:
    return re.compile(re.escape(f": {100 * probability:.1f}%"))


def test_rain_sprinkler_grass_is_built_from_nothing_and_asked(page: Page) -> None:
    user = Counted(page)
    user.click("New network")
    for name, parents, rows in VARIABLES:
        user.click("New variable…")
        user.type("Name", name)
        if parents:
            user.type("Parents", parents)
        user.count += 2
        type_rows(page, rows)
        user.click("Add variable")
        expect(node(page, name)).to_be_visible()
    user.click(re.compile("^Grass = yes:"))
    wanted = RAIN.query("Rain", {"Grass": "yes"})["yes"]
    expect(bar(page, "Rain = yes")).to_have_attribute("aria-label", percent(wanted))
    assert user.count <= 30
    page.keyboard.press("Shift+U")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    expect(findings(page)).to_have_count(0)
    for _ in range(4):
        page.keyboard.press("Control+y")
    expect(bar(page, "Rain = yes")).to_have_attribute("aria-label", percent(wanted))


def test_the_same_by_keyboard_alone(page: Page) -> None:
    expect(page.get_by_role("button", name="New network")).to_be_visible()
    while page.evaluate("document.activeElement.textContent") != "New network":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    for name, parents, rows in VARIABLES:
        page.keyboard.press("v")
        page.keyboard.type(name)
        page.keyboard.press("Tab")
        if parents:
            page.keyboard.press("Tab")
            page.keyboard.type(parents)
            page.keyboard.press("Tab")
        else:
            page.keyboard.press("Tab")
        for line in rows.split("\n"):
            for number in line.split():
                page.keyboard.type(number)
                page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # on the disclosure of the text
        page.keyboard.press("Tab")
        page.keyboard.press("Control+Enter")
        expect(node(page, name)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    wanted = RAIN.query("Rain", {"Grass": "yes"})["yes"]
    expect(bar(page, "Rain = yes")).to_have_attribute("aria-label", percent(wanted))
    assert held(page).startswith("Grass = yes")


def test_what_is_refused_is_told_in_the_form_and_nothing_typed_is_lost(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="New variable…").click()
    page.get_by_label("Name", exact=True).fill("lung")
    page.get_by_role("button", name="Add variable").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("'lung'"))
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("'lung'"))
    type_rows(page, "0.5 0.4")
    expect(dialog.get_by_role("alert")).to_have_text("")
    page.get_by_role("button", name="Add variable").click()
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("add up to 0.9, not to 1"))
    expect(page.get_by_label("Name", exact=True)).to_have_value("lung")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_variables_and_states_are_renamed_and_findings_follow(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    edit(page, "smoke", "Name and notes…")
    page.get_by_label("Name", exact=True).fill("smoker")
    page.get_by_label("Title").fill("Smokes")
    page.get_by_label("Description").fill("Any tobacco")
    page.get_by_label("Note on its table").fill("from the survey")
    page.get_by_role("button", name="Change").click()
    expect(findings(page)).to_have_text([re.compile("Smokes = yes")])
    edit(page, "Smokes", "States…")
    page.get_by_label("Name of the state").first.fill("daily")
    page.get_by_role("button", name="Move up no").click()
    page.get_by_role("button", name="Add a state").click()
    page.keyboard.type("seldom")
    page.get_by_role("button", name="Change").click()
    expect(findings(page)).to_have_text([re.compile("Smokes = daily")])
    states = node(page, "Smokes").get_by_role("button", name=re.compile("^Smokes = "))
    said = [re.compile(f"^Smokes = {state}:") for state in ("no", "daily", "seldom")]
    for locator, words in zip(states.all(), said, strict=True):
        expect(locator).to_have_attribute("aria-label", words)
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(0.1))
    edit(page, "Smokes", "Name and notes…")
    expect(page.get_by_label("Note on its table")).to_have_value("from the survey")
    page.keyboard.press("Escape")
    edit(page, "Smokes", "Sum it out (absorb)")
    expect(node(page, "Smokes")).to_have_count(0)
    expect(findings(page)).to_have_count(0)
    wanted = bayou.examples.asia().query("lung", {"dysp": "yes"})["yes"]
    bar(page, "dysp = yes").click()
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(wanted))
    for _ in range(2):
        page.keyboard.press("Control+z")
    expect(findings(page)).to_have_text([re.compile("Smokes = daily")])


def draw_arc(page: Page, parent: str, child: str) -> None:
    """Draw an arc with the mouse, from the handle of a box into another box."""
    node(page, parent).locator(".frame").hover(position={"x": 40, "y": 12})
    handle = page.get_by_role("button", name=f"Draw an arc from {parent}").bounding_box()
    target = node(page, child).locator(".frame").bounding_box()
    assert handle is not None
    assert target is not None
    page.mouse.move(handle["x"] + 13, handle["y"] + 13)
    page.mouse.down()
    page.mouse.move(target["x"] + 30, target["y"] + 12, steps=8)
    page.mouse.up()


def test_arcs_are_drawn_typed_reversed_and_removed(page: Page) -> None:
    choose(page, "Asia")
    draw_arc(page, "asia", "lung")
    expect(page.locator(".arc")).to_have_count(len(bayou.examples.asia().arcs) + 1)
    edit(page, "lung", "Arcs of lung…")
    expect(page.get_by_role("menuitem", name="asia → lung")).to_be_visible()
    page.keyboard.press("Escape")
    before = len(bayou.examples.asia().arcs) + 1
    edit(page, "xray", "Add arc to…")
    page.get_by_label("Variable", exact=True).fill("bronc")
    page.get_by_role("button", name="Add arc").click()
    expect(page.locator(".arc")).to_have_count(before + 1)
    edit(page, "xray", "Arcs of xray…")
    page.get_by_role("menuitem", name="xray → bronc").click()
    page.get_by_role("menuitem", name="Note on this arc…").click()
    page.get_by_label("Note", exact=True).fill("by mistake")
    page.get_by_role("button", name="Change").click()
    expect(page.locator(".arc title", has_text="by mistake")).to_have_count(1)
    edit(page, "xray", "Arcs of xray…")
    page.get_by_role("menuitem", name="xray → bronc").click()
    page.get_by_role("menuitem", name="Remove arc").click()
    expect(page.locator(".arc")).to_have_count(before)
    edit(page, "smoke", "Arcs of smoke…")
    page.get_by_role("menuitem", name="smoke → bronc").click()
    page.get_by_role("menuitem", name="Reverse arc").click()
    expect(page.locator(".arc[data-from='\"bronc\"'][data-to='\"smoke\"']")).to_have_count(1)
    wanted = bayou.examples.asia().query("lung", {"bronc": "yes"})["yes"]
    bar(page, "bronc = yes").click()
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(wanted))


def test_a_cycle_is_refused_with_its_path_told_and_marked(page: Page) -> None:
    choose(page, "Asia")
    draw_arc(page, "xray", "asia")
    told = re.compile("would close a cycle: asia -> tub -> either -> xray -> asia")
    expect(page.get_by_role("alert").last).to_have_text(told)
    expect(page.locator(".arc.trail")).to_have_count(3)
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_boxes_are_moved_and_stay(page: Page) -> None:
    choose(page, "Asia")
    names = bayou.examples.asia().names
    before = {name: place(page, name) for name in names}
    x, y = before["xray"]
    page.mouse.move(x + 30, y + 12)
    page.mouse.down()
    page.mouse.move(x - 70, y + 32, steps=6)
    page.mouse.up()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_enabled()
    expect(page.get_by_role("heading", level=1)).to_have_class(re.compile("unsaved"))
    moved = place(page, "xray")
    assert abs(moved[0] - (x - 100)) < 2
    assert abs(moved[1] - (y + 20)) < 2
    for name in set(names) - {"xray"}:
        assert max(abs(a - b) for a, b in zip(place(page, name), before[name], strict=True)) < 1
    page.keyboard.press("Control+z")
    expect(page.get_by_role("heading", level=1)).not_to_have_class(re.compile("unsaved"))
    assert abs(place(page, "xray")[0] - x) < 1
    node(page, "dysp").focus()
    for _ in range(3):
        page.keyboard.press("Alt+ArrowRight")
    expect(page.get_by_role("heading", level=1)).to_have_class(re.compile("unsaved"))
    scale = float(page.evaluate("document.querySelector('.canvas g').transform.baseVal[0].matrix.a"))
    assert abs(place(page, "dysp")[0] - before["dysp"][0] - 60 * scale) < 2
    assert held(page).startswith("dysp:")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("heading", level=1)).not_to_have_class(re.compile("unsaved"))


def test_a_box_is_moved_by_typed_numbers(page: Page) -> None:
    choose(page, "Asia")
    before = place(page, "xray"), place(page, "dysp")
    scale = float(page.evaluate("document.querySelector('.canvas g').transform.baseVal[0].matrix.a"))
    edit(page, "xray", "Place…")
    across = page.get_by_label("From left to right", exact=True)
    moved_to = float(across.input_value()) - 50
    across.fill("there")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text(re.compile("Type two numbers"))
    across.fill(str(moved_to).replace(".", ","))
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_class(re.compile("unsaved"))
    assert abs(place(page, "xray")[0] - (before[0][0] - 50 * scale)) < 2
    assert max(abs(a - b) for a, b in zip(place(page, "dysp"), before[1], strict=True)) < 1


def test_a_double_click_adds_a_variable_there_and_nothing_else_moves(page: Page) -> None:
    choose(page, "Asia")
    before = {name: place(page, name) for name in bayou.examples.asia().names}
    page.mouse.dblclick(150, 300)
    page.get_by_label("Name", exact=True).fill("age")
    page.get_by_role("button", name="Add variable").click()
    expect(node(page, "age")).to_be_focused()
    box = node(page, "age").locator(".frame").bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - 150) < 3
    assert abs(box["y"] + box["height"] / 2 - 300) < 3
    for name, (x, y) in before.items():
        assert max(abs(place(page, name)[0] - x), abs(place(page, name)[1] - y)) < 1


def test_variables_are_copied_to_another_tab(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, "Asia")
    page.get_by_role("button", name="Edit…").click()
    page.get_by_role("menuitem", name="Copy variables…").click()
    for name in ("smoke", "lung"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_text("Copied 2 variables.")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url.partition("#")[0])
    other.get_by_role("button", name="New network").click()
    expect(other.get_by_text("Nothing here yet.")).to_be_visible()
    other.keyboard.press("Control+v")
    expect(bar(other, "lung = yes")).to_have_attribute("aria-label", percent(0.055))
    other.keyboard.press("Control+v")
    expect(bar(other, "lung 2 = yes")).to_have_attribute("aria-label", percent(0.055))
    expect(node(page, "lung")).to_be_visible()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps_or_is_cut_off(
    browser: Browser, address: str, size: tuple[int, int], scheme: Any
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme=scheme)
        page.get_by_role("button", name="New network").click()
        expect(page.get_by_text("Nothing here yet.")).to_be_visible()
        for name, parents, rows in VARIABLES:
            page.keyboard.press("v")  # on a phone the button is in a menu
            page.get_by_label("Name", exact=True).fill(name)
            if parents:
                page.get_by_label("Parents", exact=True).fill(parents)
            type_rows(page, rows)
            if name == "Grass":
                picture(page, f"building_form_{scheme}_{size[0]}")
                assert page.evaluate(CUT_OFF) == []
            page.get_by_role("button", name="Add variable").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
        picture(page, f"building_{scheme}_{size[0]}")
        assert page.evaluate(OVERLAPS) == []
        page.get_by_role("button", name="More about Grass").click()
        page.get_by_role("menuitem", name="Edit this variable…").click()
        picture(page, f"building_menu_{scheme}_{size[0]}")
        page.get_by_role("menuitem", name="States…").click()
        picture(page, f"building_states_{scheme}_{size[0]}")
        assert page.evaluate(CUT_OFF) == []


def test_escape_asks_before_it_throws_a_form_away(page: Page) -> None:
    choose(page, "Asia")
    dialog = page.get_by_role("dialog")
    page.keyboard.press("v")
    page.keyboard.press("Escape")  # nothing was typed
    expect(dialog).to_be_hidden()
    page.keyboard.press("v")
    page.keyboard.type("Fever")
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("alert")).to_have_text("Press Esc again to throw away what you typed.")
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("Fever")
    page.keyboard.type("s")
    expect(dialog.get_by_role("alert")).to_be_empty()
    for _ in range(2):
        page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_network_that_is_built_stays_in_the_middle_and_says_that_it_is_not_saved(page: Page) -> None:
    page.get_by_role("button", name="New network", exact=True).click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    dialog = page.get_by_role("dialog")
    above = ""
    for name in ("A", "B", "C", "D", "E"):
        page.keyboard.press("v")
        dialog.get_by_label("Name", exact=True).fill(name)
        if above:
            dialog.get_by_label("Parents").fill(above)
        page.get_by_role("button", name="Add variable").click()
        expect(node(page, name)).to_be_visible()
        expect(dialog).to_be_hidden()
        above = name
    page.wait_for_timeout(200)
    canvas = page.locator(".canvas").bounding_box()
    frames = [frame.bounding_box() for frame in page.locator(".node .frame").all()]
    assert canvas is not None
    tops = [frame["y"] for frame in frames if frame]
    ends = [frame["y"] + frame["height"] for frame in frames if frame]
    over, under = min(tops) - canvas["y"], canvas["y"] + canvas["height"] - max(ends)
    assert len(tops) == 5
    assert min(over, under) > 8
    assert abs(over - under) < 20
    content = "one => getComputedStyle(one, '::after').content"
    assert "not saved" in page.get_by_role("heading", level=1).evaluate(content)
    picture(page, "built")
