"""Learning from a table in a real browser: six clicks from a CSV to a predicted row with its working."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

import bayou
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, held, picture, tab
from tests.page.test_cases_in_browser import ASIA, ROWS, percent, written
from tests.server.learning.test_jobs import wide_table


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("tables") / "clinic.csv", ROWS)


def expected(learned: bayou.Network) -> float:
    """P(bronc=yes | the first row)."""
    given = {name: value for name, value in ROWS[0].items() if name != "bronc"}
    return float(learned.query("bronc", given=given)["yes"])


def test_from_a_table_to_a_predicted_row_with_its_working_takes_six(page: Page, clinic: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Learn from a table…").click()  # 1
    chooser.value.set_files(clinic)  # 2
    page.get_by_role("combobox", name="Column to predict").select_option("bronc")  # 3
    page.get_by_role("button", name="Learn", exact=True).click()  # 4
    page.get_by_role("button", name="Open and predict its rows").click()  # 5
    page.get_by_role("button", name="Show the working").click()  # 6
    learned = bayou.learn_structure(clinic)
    chance = expected(learned)
    shown = page.get_by_role("list", name="Prediction").get_by_role("listitem").filter(has_text="yes")
    expect(shown).to_contain_text(percent(chance))
    expect(bar(page, "bronc = yes")).to_have_attribute("aria-label", re.compile(re.escape(percent(chance))))
    working = page.get_by_role("group", name="Working")
    expect(working).to_have_text(re.compile(r"^P\(bronc \| .*"))
    expect(working).to_contain_text(f"{chance:.6g}"[:5])
    expect(page.get_by_role("heading", name="Learned from clinic.csv")).to_be_visible()


def test_the_same_by_keyboard_only(page: Page, clinic: Path) -> None:
    expect(page.get_by_role("list", name="Networks to start from")).to_be_visible()
    while page.evaluate("document.activeElement.textContent") != "Learn from a table…":
        page.keyboard.press("Tab")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(clinic)
    expect(
        page.get_by_role("heading", name=re.compile("^Learn from clinic.csv: 200 rows, 8 columns"))
    ).to_be_focused()
    press_until(page, "Tab", "way")
    for _ in range(2):
        page.keyboard.press("ArrowDown")  # TAN
    page.keyboard.press("Tab")
    page.keyboard.type("bronc")
    expect(page.get_by_role("combobox", name="Column to predict")).to_have_value('"bronc"')
    press_until(page, "Tab", "Learn")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Learned", exact=True)).to_be_focused()
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("predicts bronc, learned from 200 rows"))
    press_until(page, "Tab", "Open and predict its rows")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Row 1", exact=True)).to_be_focused()
    press_until(page, "Tab", "Show the working")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Working")).to_have_text(re.compile(r"^P\(bronc \| "))
    press_until(page, "Tab", "Next row")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Row 2", exact=True)).to_be_visible()


def press_until(page: Page, key: str, name: str) -> None:
    """Press a key until the keyboard is on what has this name or text."""
    for _ in range(40):
        found = "document.activeElement.getAttribute('name') ?? document.activeElement.textContent"
        if page.evaluate(found) == name:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} never comes to {name}; it is at {held(page)}")


def test_the_doctors_report_and_the_comparison(page: Page, tmp_path: Path) -> None:
    path = written(tmp_path / "clinic.csv", ROWS)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(f"{line},{k or 'id'}" for k, line in enumerate(lines)) + "\n")
    choose(page, "Asia")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Learn…").click()
    chooser.value.set_files(path)
    report = page.get_by_role("list", name="The doctor's report")
    expect(report).to_contain_text(re.compile("id", re.I))
    page.get_by_role("radio", name=re.compile("^The arcs of the open network")).check()
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("The same arcs as Asia.")
    page.get_by_role("button", name="Back").click()
    page.get_by_role("radio", name=re.compile("^Naive Bayes")).check()
    learn = page.get_by_role("button", name="Learn", exact=True)
    expect(learn).to_be_disabled()
    expect(page.get_by_text("Choose the column to predict.")).to_be_visible()
    page.get_by_role("combobox", name="Column to predict").select_option("bronc")
    learn.click()
    expect(page.get_by_role("list", name="Gained")).to_contain_text("bronc → asia")
    expect(page.get_by_role("list", name="Turned")).to_contain_text("bronc → smoke")
    expect(page.get_by_role("list", name="Lost")).to_contain_text("asia → tub")
    expect(page.get_by_role("list", name="In both")).to_contain_text("bronc → dysp")
    told = r"Right on \d+ of 200 rows that it had not seen \(always saying “(yes|no)” would be right on \d+\)"
    expect(page.get_by_role("dialog")).to_contain_text(re.compile(told))
    figures = page.get_by_text(re.compile("log-loss"))
    expect(figures).to_be_hidden()
    page.get_by_role("dialog").get_by_text("Details", exact=True).click()
    expect(figures).to_be_visible()
    page.get_by_role("button", name="Open the network").click()
    expect(page.get_by_role("heading", name="Learned from clinic.csv")).to_be_visible()
    expect(findings(page)).to_have_count(0)
    net = bayou.Network("; ".join(f"bronc -> {name}" for name in ASIA.names if name != "bronc"))
    share = sum(row["bronc"] == "yes" for row in ROWS)
    assert net.fit(path).query("bronc")["yes"] == pytest.approx((share + 1) / 202)
    expect(bar(page, "bronc = yes")).to_have_attribute("aria-label", re.compile(percent((share + 1) / 202)))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ages that tell nothing about the class, as most of a hundred rows have one of their own."""
    chance = np.random.default_rng(5)
    ages = chance.permutation(np.arange(100) % 63 + 18)
    smokes = chance.random(100) < 0.3
    ill = chance.random(100) < np.where(smokes, 0.8, 0.2)
    lines = ["age,smoker,ill"]
    word = ("no", "yes")
    lines += [f"{age},{word[int(s)]},{word[int(i)]}" for age, s, i in zip(ages, smokes, ill, strict=True)]
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def learned_from(page: Page, path: Path, way: str, target: str | None = None) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Learn from a table…").click()
    chooser.value.set_files(path)
    page.get_by_role("radio", name=re.compile(f"^{way}")).check()
    if target is not None:
        page.get_by_role("combobox", name="Column to predict").select_option(target)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_numbers_in_a_network_of_all_columns(
    browser: Browser, address: str, people: Path, size: tuple[int, int], scheme: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        learned_from(page, people, "A network of all columns")
        numbers = page.get_by_role("combobox", name="Numbers (age)")
        expect(numbers).to_have_value("4")
        page.get_by_role("button", name="Learn", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("age was cut into 4 ranges with about as many rows each: up to ")
        predict = page.get_by_role("button", name="Open and predict its rows")
        expect(predict).to_be_disabled()
        expect(dialog).to_contain_text("choose the column to predict")
        page.get_by_role("combobox", name="Column to predict").select_option("smoker")
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"learned-all-{size[0]}-{scheme}")
        predict.click()
        expect(page.get_by_text(re.compile("^smoker is (yes|no)"))).to_be_visible()
        assert page.evaluate(OVERLAPS) == []


CONTRAST = """(node) => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(node);
  const [one, other] = [color, backgroundColor].map(light).sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_number_that_does_not_count_is_told_and_the_working_has_room(
    browser: Browser, address: str, people: Path, size: tuple[int, int], scheme: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        learned_from(page, people, "Naive Bayes")
        learn = page.get_by_role("button", name="Learn", exact=True)
        expect(learn).to_be_disabled()
        assert learn.evaluate(CONTRAST) >= 4.5
        page.get_by_text("Its 3 columns").click()
        page.get_by_role("combobox", name="Column to predict").select_option("ill")
        expect(learn).to_be_enabled()
        expect(page.get_by_role("checkbox", name=re.compile("^smoker"))).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
        assert learn.evaluate(CONTRAST) >= 4.5
        with page.expect_response(re.compile("/v1/tables/.*target=ill")):
            page.get_by_role("combobox", name="Column to predict").select_option("smoker")
            page.get_by_role("combobox", name="Column to predict").select_option("ill")
        expect(page.get_by_role("checkbox", name=re.compile("^smoker"))).to_be_visible()
        learn.click()
        dialog = page.get_by_role("dialog")
        told = "age was not cut into ranges, because no cut tells the states of ill apart: age does not count"
        expect(dialog).to_contain_text(told)
        expect(dialog).not_to_contain_text("evidence_weight")
        page.get_by_role("button", name="Open and predict its rows").click()
        page.get_by_role("button", name="Show the working").click()
        working = page.get_by_role("group", name="Working")
        expect(working).to_contain_text("P(ill | age=any number")
        assert working.evaluate("node => node.scrollHeight <= node.clientHeight + 1")
        assert page.evaluate(OVERLAPS) == []
        picture(page, f"working-{size[0]}-{scheme}")
        page.reload()
        expect(working).to_contain_text("P(ill | age=any number")


def test_states_of_a_number_do_not_run_into_each_other(page: Page, people: Path) -> None:
    learned_from(page, people, "A network of all columns")
    numbers = page.get_by_role("combobox", name="Numbers (age)")
    numbers.select_option("every number is a state of its own")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("button", name="Open the network").click()
    rows = page.get_by_role("group", name=re.compile("^age: ")).locator(".state")
    expect(rows.first).to_be_visible()
    parts = """(rows) => rows.map((row) => {
      const box = (part) => row.querySelector(part).getBoundingClientRect();
      const [label, bar] = [box(".label"), box(".track")];
      return [label.top + label.height / 5, bar.bottom]; // a line is higher than its letters
    })"""
    found = rows.evaluate_all(parts)
    assert len(found) > 4
    for (_, above), (top, _) in pairwise(found):
        assert top >= above


def test_a_search_can_be_cancelled(page: Page, tmp_path: Path) -> None:
    """One of minutes: else it may end before it is cancelled."""

    def ask_for_minutes(route: Route) -> None:
        asked = route.request.post_data_json
        asked["options"] = {**(asked.get("options") or {}), "method": "order"}
        route.continue_(post_data=json.dumps(asked))

    page.route("**/v1/jobs", ask_for_minutes)
    path = tmp_path / "large.csv"
    path.write_bytes(wide_table())
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Learn from a table…").click()
    chooser.value.set_files(path)
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Learn", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("^Learn from large.csv: 4,000 rows"))).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_dropped_tables_are_learned_from_and_bad_ones_told(page: Page) -> None:
    expect(page.get_by_role("button", name="Learn from a table…")).to_be_visible()
    drop = """(text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.csv"));
      const how = { dataTransfer: data, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("drop", how));
    }"""
    page.evaluate(drop, "wind,play\nweak,yes\nstrong,no\nweak,yes\nstrong,yes\n")
    expect(page.get_by_role("heading", name="Learn from dropped.csv: 4 rows, 2 columns")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    page.evaluate(drop, "")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("empty")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_dialog_fits(browser: Browser, address: str, clinic: Path, size: tuple[int, int]) -> None:
    with tab(browser, address, size) as page:
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Learn from a table…").click()
        chooser.value.set_files(clinic)
        page.get_by_role("radio", name=re.compile("^TAN")).check()
        page.get_by_role("combobox", name="Column to predict").select_option("bronc")
        fits = """(node) => {
          const box = node.getBoundingClientRect();
          const small = [...node.querySelectorAll("button, select, summary, label")].filter((one) => {
            const { width, height } = one.getBoundingClientRect();
            return height > 0 && Math.min(width, height) < 24;
          });
          const inside = box.left >= 0 && box.right <= innerWidth;
          return inside && node.scrollWidth <= node.clientWidth && !small.length;
        }"""
        assert page.get_by_role("dialog").evaluate(fits)
        picture(page, f"learning-{size[0]}")
        page.get_by_role("button", name="Learn", exact=True).click()
        expect(page.get_by_role("button", name="Open and predict its rows")).to_be_visible()
        assert page.get_by_role("dialog").evaluate(fits)
