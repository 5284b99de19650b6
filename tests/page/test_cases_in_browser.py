"""Cases in a real browser: saved, compared, exported; tables tested and walked; numbers are the library's."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import bayou
from bayou.decisions.scoring_rules import scores_of
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, picture, tab

ASIA = bayou.examples.asia()
ROWS = ASIA.sample(200, seed=11).to_dicts()
STATES = ASIA.states("bronc")


def written(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ASIA.names))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("tables") / "clinic.csv", ROWS)


def columns() -> dict[str, list[Any]]:
    return {name: [row[name] for row in ROWS] for name in ASIA.names}


def percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def case(page: Page, name: str) -> Any:
    return page.get_by_role("list", name="Cases").get_by_role("button", name=name, exact=True)


def save_two(page: Page) -> None:
    """A smoker, and somebody who does not smoke and whose X-ray shows something."""
    bar(page, "smoke = yes").click()
    page.get_by_role("textbox", name="Name of the case").fill("Smoker")
    page.get_by_role("button", name="Save case").click()
    bar(page, "smoke = no").click()
    bar(page, "xray = yes").click()
    expect(findings(page)).to_have_count(2)
    page.get_by_role("button", name="Save case").click()


def test_cases_are_saved_switched_compared_and_kept_over_a_reload(page: Page) -> None:
    choose(page, "Asia")
    save_two(page)
    for name in ("Smoker", "Case 2"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("combobox", name="Beliefs of").select_option(label="lung")
    given = ({"smoke": "no", "xray": "yes"}, {"smoke": "yes"}, {"smoke": "no", "xray": "yes"})
    right = "".join(percent(ASIA.query("lung", given=each)["yes"]) for each in given)
    table = page.get_by_role("table", name="lung in each case")
    expect(table.get_by_role("row", name=re.compile("^yes"))).to_have_text(f"yes{right}")
    case(page, "Smoker").click()
    expect(findings(page)).to_have_text([re.compile("smoke = yes")])
    page.reload()
    expect(table.get_by_role("row", name=re.compile("^yes"))).to_contain_text(percent(0.1))
    page.get_by_role("button", name="Rename Smoker").click()
    page.keyboard.type("Case 2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Give a name that no other case has.")).to_be_visible()
    page.get_by_role("textbox", name="New name of Smoker").fill("Ann")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete Case 2").click()
    expect(page.get_by_role("list", name="Cases").get_by_role("listitem")).to_have_count(1)
    page.get_by_role("button", name="Put it back").click()
    case(page, "Case 2").click()
    expect(findings(page)).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(findings(page)).to_have_count(1)


@pytest.mark.parametrize("ending", ["csv", "cas"])
def test_cases_go_out_to_a_file_and_come_back(page: Page, tmp_path: Path, ending: str) -> None:
    choose(page, "Asia")
    save_two(page)
    name = "Export CSV" if ending == "csv" else "Export .cas"
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    path = tmp_path / f"cases.{ending}"
    download.value.save_as(path)
    found = bayou.read_cases(path, ASIA)
    assert [one.given for one in found] == [{"smoke": "yes"}, {"smoke": "no", "xray": "yes"}]
    path.write_text(path.read_text().replace("smoke", "smoke").replace("xray", "x_ray"))
    page.get_by_label("Case file").set_input_files(path)
    told = page.get_by_role("alert").filter(has_text="2 cases from")
    expect(told).to_contain_text("No variables of the network, left out: 'x_ray'.")
    expect(page.get_by_role("list", name="Cases").get_by_role("listitem")).to_have_count(4)
    again = "Smoker (2)" if ending == "csv" else "1"
    case(page, again).click()
    expect(findings(page)).to_have_text([re.compile("smoke = yes")])


def test_a_test_with_cases_and_its_rows(page: Page, clinic: Path) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="Test with cases…").click()
    page.get_by_label("Table to test with").set_input_files(clinic)
    page.get_by_role("combobox", name="Predict", exact=True).select_option(label="bronc")
    proba = ASIA.posterior(columns(), "bronc")["bronc"]
    truth = np.array([STATES.index(row["bronc"]) for row in ROWS])
    scores = scores_of(truth, proba, (0, 1))
    dialog = page.get_by_role("dialog", name="Test with cases")
    expect(dialog).to_contain_text(f"Right in {percent(scores.accuracy)} of 200 rows.")
    log_loss = dialog.get_by_role("row", name=re.compile("^Log-loss"))
    expect(log_loss).to_contain_text(f"{float(f'{scores.log_loss:.4g}'):g}")
    expect(dialog.get_by_role("img", name=re.compile("^ROC curve of yes, area"))).to_be_visible()
    expect(dialog.get_by_role("img", name=re.compile("^Calibration: said"))).to_be_visible()
    wrong = np.flatnonzero((truth == 0) & (proba.argmax(axis=1) == 1))
    expect(dialog.get_by_role("columnheader", name="true ↓ predicted →", exact=True)).to_be_visible()
    dialog.get_by_role("button", name=f"yes predicted as no: {len(wrong)} rows").click()
    by_surprise = wrong[np.argsort(proba[wrong, 0], kind="stable")]
    first = by_surprise[0]
    listed = dialog.get_by_role("button", name=re.compile("^Row "))
    expect(listed).to_have_count(len(wrong))
    said = f"Row {first + 1}: yes, predicted no ({percent(proba[first, 1])})"
    expect(listed.first).to_have_text(said)
    listed.first.click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("heading", name=f"Row {first + 1}", exact=True)).to_be_visible()
    shown = page.get_by_role("list", name="Prediction").get_by_role("listitem")
    expect(shown.first).to_have_text(re.compile(rf"yes✓ true{re.escape(percent(proba[first, 0]))}"))
    expect(bar(page, "bronc = yes")).to_have_attribute(
        "aria-label", re.compile(re.escape(percent(proba[first, 0])))
    )
    expect(bar(page, "bronc = yes")).to_have_attribute("aria-label", re.compile("true in the row"))
    page.get_by_role("button", name="Next row").click()
    expect(page.get_by_role("heading", name=f"Row {by_surprise[1] + 1}", exact=True)).to_be_visible()
    page.get_by_role("button", name="Close the rows").click()
    expect(page.get_by_role("button", name="Next row")).to_be_hidden()


def test_the_rows_of_a_table_the_most_surprising_first(page: Page, clinic: Path) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="Test with cases…").click()
    page.get_by_label("Table to test with").set_input_files(clinic)
    page.get_by_role("button", name="Step through the rows").click()
    logs = np.asarray(ASIA.log_probability(columns()))
    order = np.argsort(logs, kind="stable")
    expect(page.get_by_role("heading", name=f"Row {order[0] + 1}", exact=True)).to_be_visible()
    expect(page.get_by_text("clinic.csv: 1 of 200")).to_be_visible()
    expect(findings(page)).to_have_count(7)
    page.get_by_role("button", name="Next row").click()
    expect(page.get_by_role("heading", name=f"Row {order[1] + 1}", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Order of the rows").select_option("table")
    expect(page.get_by_role("heading", name="Row 1", exact=True)).to_be_visible()
    page.get_by_role("button", name="Show the working").click()
    expect(page.get_by_role("group", name="Working")).to_have_text(re.compile(r"^P\(dysp \| "))
    page.get_by_role("button", name="Clear all").click()
    page.get_by_role("button", name="Set its findings again").click()
    expect(findings(page)).to_have_count(7)


def test_a_table_of_something_else_is_told(page: Page, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n2,3\n")
    choose(page, "Asia")
    page.get_by_role("button", name="Test with cases…").click()
    page.get_by_label("Table to test with").set_input_files(other)
    expect(page.get_by_text("No column of this table is a variable of this network")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_overlaps_or_is_cut_off(
    browser: Browser, address: str, clinic: Path, size: tuple[int, int]
) -> None:
    with tab(browser, address, size) as page:
        choose(page, "Asia")
        bar(page, "smoke = yes").click()
        if size[0] < 700:
            page.get_by_role("tab", name="Findings (1)").click()
        page.get_by_role("textbox", name="Name of the case").fill(
            "A case with quite a long name that must wrap"
        )
        page.get_by_role("button", name="Save case").click()
        page.get_by_role("checkbox", name=re.compile("^Compare")).check()
        expect(page.get_by_role("table", name=re.compile("in each case"))).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
        page.get_by_role("button", name="Test with cases…").click()
        page.get_by_label("Table to test with").set_input_files(clinic)
        page.get_by_role("button", name=re.compile("no predicted as no")).click()
        expect(page.get_by_role("button", name=re.compile("^Row ")).first).to_be_visible()
        width = (
            "(node) => [node.scrollWidth - node.clientWidth, node.getBoundingClientRect().right - innerWidth]"
        )
        picture(page, f"test-with-cases-{size[0]}")
        assert all(over <= 0 for over in page.get_by_role("dialog").evaluate(width))
        page.get_by_role("button", name=re.compile("^Row ")).first.click()
        expect(page.get_by_role("button", name="Next row")).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
