"""The form of a new variable, in a real browser: its table of numbers, its parents, and what it refuses."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

import bayou
from tests.page.browsing import OVERLAPS, bar, choose, picture, type_rows

ASIA = bayou.examples.asia()


def add(page: Page, name: str, parents: str, rows: str) -> None:
    page.keyboard.press("v")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(name)
    if parents:
        dialog.get_by_label("Parents").fill(parents)
    type_rows(page, rows)


def test_typed_lines_say_which_states_they_are_for(page: Page) -> None:
    page.get_by_role("button", name="New network").click()
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()
    dialog = page.get_by_role("dialog")
    for name, parents, rows in (("Rain", "", "0.8"), ("Sprinkler", "rain", "0.6\n0.99")):
        expect(dialog).to_be_hidden()
        add(page, name, parents, rows)
        dialog.get_by_role("button", name="Add variable").click()
    expect(bar(page, "Sprinkler = yes")).to_be_visible()
    add(page, "Grass", "RAIN, sprinkler", "1\n0.1 0.9\n.2")
    guide = dialog.get_by_role("table", name=re.compile("^Probabilities of Grass: 4 rows."))
    expect(guide.get_by_role("columnheader")).to_have_text(["Rain", "Sprinkler", "P(no)", "P(yes)"])
    expect(guide.locator("tbody tr")).to_have_text(["nono", "noyes", "yesno", "yesyes"])
    cells = [cell.input_value() for cell in guide.get_by_role("textbox").all()]
    assert cells == ["1", "", "0.1", "0.9", ".2", "", "", ""]
    left_out = guide.get_by_role("textbox", name="P(yes) if yes, no")
    expect(left_out).to_have_attribute("placeholder", "0.8")
    picture(page, "new-variable")
    assert page.evaluate(OVERLAPS) == []
    type_rows(page, "1\n0.1 0.9\n.2\n0.01")
    dialog.get_by_role("button", name="Add variable").click()
    bar(page, "Grass = yes").click()
    expect(bar(page, "Rain = yes")).to_have_attribute(
        "aria-label", re.compile(r"35\.8%")
    )  # by hand: 0.16038/0.44838


def test_a_table_is_typed_where_its_numbers_stand_and_parents_are_picked(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="New variable…").click()
    dialog = page.get_by_role("dialog")
    expect(
        dialog.get_by_role("table", name=re.compile("^Probabilities of this variable: 1 row"))
    ).to_be_visible()
    expect(dialog.get_by_label("States")).to_have_value("yes, no")  # as in asia
    expect(dialog.get_by_label("Probabilities as text")).to_be_hidden()
    before = {name: dialog.get_by_label(name).bounding_box() for name in ("Name", "States")}
    table = dialog.locator(".rows-guide")
    place = table.bounding_box()
    dialog.get_by_label("Name").fill("Grass of the garden behind the house")
    pick = dialog.get_by_role("combobox", name="Add one of the network")
    for parent in ("tub", "lung"):
        pick.select_option(parent)
    expect(dialog.get_by_label("Parents")).to_have_value("tub, lung")
    assert not {"tub", "lung"} & set(pick.locator("option").all_text_contents())
    for given, chance in (("no, no", "0.01"), ("yes, yes", "0.9"), ("yes, no", "0.5"), ("no, yes", "3/4")):
        dialog.get_by_role("textbox", name=f"P(yes) if {given}").fill(chance)
    page.keyboard.press("Tab")
    assert table.bounding_box() == place
    assert {name: dialog.get_by_label(name).bounding_box() for name in before} == before
    for given, chance in (("yes, yes", "0.1"), ("yes, no", "0.5"), ("no, yes", "0.25")):
        expect(dialog.get_by_role("textbox", name=f"P(no) if {given}")).to_have_value(chance)
    last = dialog.get_by_role("textbox", name="P(no) if no, no")
    expect(last).to_have_value("0.99")
    ring = """(cell) => {
      const [own, room] = [cell, cell.closest(".rows-guide")].map((one) => one.getBoundingClientRect());
      return room.bottom - own.bottom;
    }"""
    last.focus()
    assert last.evaluate(ring) >= 4  # its focus ring is not cut
    page.get_by_text("Type or paste as text").click()
    lines = dialog.get_by_label("Probabilities as text")
    expect(lines).to_have_value("0.9 0.1\n0.5 0.5\n3/4 0.25\n0.01 0.99")
    dialog.get_by_label("Name").fill("Grass")
    assert page.evaluate(OVERLAPS) == []
    dialog.get_by_role("button", name="Add variable").click()
    tub, lung = ASIA.query("tub")["yes"], ASIA.query("lung")["yes"]
    wanted = (
        0.9 * tub * lung + 0.5 * tub * (1 - lung) + 0.75 * (1 - tub) * lung + 0.01 * (1 - tub) * (1 - lung)
    )
    expect(bar(page, "Grass = yes")).to_have_attribute("aria-label", re.compile(f": {100 * wanted:.1f}%$"))


def test_whichever_cell_is_missing_is_filled_in_and_faults_name_the_row(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="New variable…").click()
    dialog = page.get_by_role("dialog")
    alert = dialog.get_by_role("alert")
    dialog.get_by_label("Name").fill("Grass")
    no, yes = (dialog.get_by_role("textbox", name=f"P({state})") for state in ("no", "yes"))
    for first, other in ((no, yes), (yes, no)):
        first.fill("0.2")
        expect(other).to_have_attribute("placeholder", "0.8")
        expect(other).to_have_value("")
        first.press("Tab")
        expect(other).to_have_value("0.8")
        first.fill("0.3")  # what was filled in follows
        expect(other).to_have_attribute("placeholder", "0.7")
        first.press("Tab")
        expect(other).to_have_value("0.7")
        first.fill("")
        other.fill("")
    dialog.get_by_label("States").fill("a, b, c")
    cells = {state: dialog.get_by_role("textbox", name=f"P({state})") for state in "abc"}
    cells["c"].fill("0.5")
    cells["a"].fill("0.2")
    expect(cells["b"]).to_have_attribute("placeholder", "0.3")
    dialog.get_by_label("States").fill("no, yes")
    dialog.get_by_label("Parents").fill("tub, lung")
    for given, chance in (("yes, yes", "0.9"), ("yes, no", "0.5"), ("no, yes", "3/4"), ("no, no", "0.20.01")):
        dialog.get_by_role("textbox", name=f"P(yes) if {given}").fill(chance)
    type_rows(page, "0.9\n0.5\n0.1\n? 0.20.01")
    dialog.get_by_role("button", name="Add variable").click()
    expect(alert).to_have_text(
        re.compile(r'^Row 4 \(tub = no, lung = no\), P\(yes\): "0.20.01" is not a number')
    )
    wrong = dialog.get_by_role("textbox", name="P(yes) if no, no")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    picture(page, "new-variable-refused")
    page.keyboard.type("0.01")  # it is chosen as a whole
    expect(wrong).to_have_value("0.01")
    expect(alert).to_have_text("")
    dialog.get_by_role("button", name="Add variable").click()
    expect(bar(page, "Grass = yes")).to_be_visible()
