"""What the page is measured by: tasks from the first page on, with budgets of clicks and typed fields.

Other tasks stand beside what they are about: a question, its reasons and the next test in
``test_why_in_browser``, building in ``test_building_in_browser``, a pasted table in
``test_tables_in_browser``, from a CSV to a predicted row in ``test_learning_in_browser``. Here are the rest,
each with the mouse and by keyboard alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bayou
from tests.page.browsing import bar, choose, findings, tab
from tests.page.test_keeping_edits_in_browser import shown
from tests.page.test_why_in_browser import Person, exhibit
from tests.server.running_server import running
from tests.shared_data import SHARED, needs_shared_data

ASIA = bayou.examples.asia()
MUNIN = SHARED / "networks" / "munin1.bif.gz"
FINDING = {"R_LNLBE_APB_MALOSS": "SEV"}


def on_the_keyboard(page: Page, name: str) -> None:
    """Press Tab until the keyboard is on what has this text."""
    for _ in range(30):
        if page.evaluate("document.activeElement.textContent").startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {name}")


def set_by_search(page: Page, finding: str) -> None:
    page.keyboard.press("/")
    page.keyboard.type(finding)
    page.keyboard.press("Enter")


def difference(page: Page) -> Locator:
    return page.get_by_role("row", name=re.compile("^bronc = yes"))


def percent(chance: float) -> str:
    return f"{100 * chance:.1f}%"


def test_a_smoker_beside_a_non_smoker_takes_four(page: Page) -> None:
    person = Person(page)
    person.click(exhibit(page, "Asia"))
    person.click(bar(page, "smoke = yes"))
    person.click(page.get_by_role("button", name="Compare"))
    person.click(bar(page, "smoke = no"))
    smoker, other = (ASIA.query("bronc", given={"smoke": smoke})["yes"] for smoke in ("yes", "no"))
    expect(difference(page)).to_contain_text(f"{percent(smoker)}{percent(other)}")
    assert person.clicks == 4


def test_a_smoker_beside_a_non_smoker_by_keyboard(page: Page) -> None:
    expect(exhibit(page, "Asia")).to_be_visible()
    on_the_keyboard(page, "Asia")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tablist")).to_be_visible()
    set_by_search(page, "smoke = yes")
    expect(findings(page)).to_have_text([re.compile("smoke = yes")])
    page.keyboard.press("k")
    set_by_search(page, "smoke = no")
    smoker, other = (ASIA.query("bronc", given={"smoke": smoke})["yes"] for smoke in ("yes", "no"))
    expect(difference(page)).to_contain_text(f"{percent(smoker)}{percent(other)}")


def moved_most(net: bayou.Network) -> str:
    """The variable whose beliefs moved most, by total variation."""
    before, after = net.marginals(), net.marginals(FINDING)
    names = [name for name in net.names if name not in FINDING]
    distance = [np.abs(after[name].to_array() - before[name].to_array()).sum() for name in names]
    return str(names[int(np.argmax(distance))])


def told_what_moved_most(page: Page) -> None:
    first = page.get_by_role("list", name="What moved most").get_by_role("listitem").first
    expect(first).to_have_text(re.compile(f"^{re.escape(moved_most(bayou.load(MUNIN)))}"))


@needs_shared_data
def test_a_named_variable_of_munin1_is_set_in_four(page: Page) -> None:
    (name, state), person = *FINDING.items(), Person(page)
    with page.expect_file_chooser() as chooser:
        person.click(page.get_by_role("button", name="Open a file…"))
    chooser.value.set_files(MUNIN)
    expect(page.get_by_role("tablist")).to_be_visible()
    page.get_by_role("combobox", name="Search").fill(name)
    typed = 1
    person.click(page.get_by_role("option", name=f"{name} = {state}", exact=False).first)
    expect(findings(page)).to_have_text([re.compile(f"{name} = {state}")])
    told_what_moved_most(page)
    assert person.clicks + typed <= 4


@needs_shared_data
def test_a_named_variable_of_munin1_by_keyboard(page: Page) -> None:
    ((name, state),) = FINDING.items()
    expect(exhibit(page, "Asia")).to_be_visible()
    on_the_keyboard(page, "Open a file…")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(MUNIN)
    expect(page.get_by_role("tablist")).to_be_visible()
    set_by_search(page, f"{name} = {state}")
    expect(findings(page)).to_have_text([re.compile(f"{name} = {state}")])
    told_what_moved_most(page)


def test_undo_all_takes_one_key(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    page.get_by_role("button", name="More about asia").click()
    page.get_by_role("menuitem", name="Edit this variable…").click()
    page.get_by_role("menuitem", name="Remove asia").click()
    expect(bar(page, "asia = yes")).to_have_count(0)
    bar(page, "xray = no").click()
    expect(findings(page)).to_have_count(2)
    page.keyboard.press("Shift+U")
    expect(findings(page)).to_have_count(0)
    expect(bar(page, "asia = yes")).to_have_attribute("aria-label", re.compile(": 1.0%$"))
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", re.compile(": 5.5%$"))


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_saved_and_reloaded_in_three(browser: Browser, tmp_path: Path, by_keyboard: bool) -> None:
    file = tmp_path / "asia.bayou"
    ASIA.save(file)
    with (
        running("explore", str(file), "--no-browser") as server,
        tab(browser, f"{server.address}/?token={server.token}") as page,
    ):
        expect(bar(page, "smoke = yes")).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("smoke")
        page.keyboard.press("Enter")
        page.keyboard.press("t")
        expect(page.get_by_role("grid")).to_be_focused()
        page.keyboard.type("0.3")
        page.keyboard.press("Control+Enter")
        expect(bar(page, "smoke = yes")).to_have_attribute("aria-label", re.compile(": 30.0%$"))
        before = shown(page)
        if by_keyboard:
            page.keyboard.press("Control+s")  # 1
        else:
            page.get_by_role("button", name=re.compile("^Save( •)?$")).click()  # 1
        expect(page.get_by_text("Saved to asia.bayou.")).to_be_visible()
        page.reload()  # 2
        expect(bar(page, "smoke = yes")).to_have_attribute("aria-label", re.compile(": 30.0%$"))
        after = shown(page)
    saved = bayou.load(file)
    for name, probabilities in after.items():
        np.testing.assert_allclose(probabilities, before[name], rtol=0, atol=1e-12)
        np.testing.assert_allclose(probabilities, saved.query(name).to_array(), rtol=0, atol=1e-12)
