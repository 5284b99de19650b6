"""Models of sequences in a real browser: the strip over time shows the library's numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bayou
from tests.page.browsing import OVERLAPS, SIZES, findings, picture, tab
from tests.server.running_server import running

CUT_OFF = """() => [...document.querySelectorAll(".strip-state, .strip-share")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
WORLD = bayou.examples.umbrella_world()
CASINO = bayou.examples.casino()


def opened(page: Page, title: str) -> None:
    exhibits = page.get_by_role("list", name="Networks to start from")
    exhibits.get_by_role("button", name=re.compile(f"^{title}")).click()
    expect(page.get_by_role("grid", name="Beliefs over time")).to_be_visible()


def cell(page: Page, row: str, step: int | str) -> Locator:
    return page.get_by_role("gridcell", name=re.compile(f"^{re.escape(f'{row} at {step}:')}"))


def told(page: Page, row: str, step: int | str, text: str) -> None:
    expect(cell(page, row, step)).to_have_attribute("aria-label", re.compile(f": {re.escape(text)}"))


def typed(page: Page, text: str, row: str | None = None) -> None:
    page.get_by_role("button", name="Type a sequence…").click()
    if row is not None:
        page.get_by_label("Values of").select_option(label=row)
    page.get_by_role("textbox", name=re.compile("^Values")).fill(text)
    page.get_by_role("button", name="Set", exact=True).click()


def share(value: float) -> str:
    return f"{round(100 * value)}%"


def test_clicks_set_findings_and_every_step_follows(page: Page) -> None:
    opened(page, "Umbrella world")
    told(page, "Rain", 0, "no 50%")
    for step in (0, 1):
        cell(page, "Umbrella", step).click()
        page.get_by_role("menuitemcheckbox", name="yes", exact=True).click()
    data = {"Umbrella": ["yes", "yes", *[None] * 8]}
    smoothed = WORLD.smooth(data)["Rain"].probabilities[:, 1]
    for step in (0, 1, 2):
        told(page, "Rain", step, f"yes {share(smoothed[step])}")
    expect(cell(page, "Umbrella", 1)).to_have_attribute("aria-label", re.compile("yes 100%, observed"))
    log = f"{WORLD.log_likelihood(data):.4g}".replace("-", "−")
    expect(page.get_by_text(re.compile(f"Log-likelihood of this sequence: {log}"))).to_be_visible()
    page.get_by_role("button", name="Given findings so far").click()
    filtered = WORLD.filter(data)["Rain"].probabilities[:, 1]
    told(page, "Rain", 0, f"yes {share(filtered[0])}")
    assert share(filtered[0]) != share(smoothed[0])
    page.get_by_label("Forecast").fill("2")
    page.get_by_label("Forecast").press("Enter")
    ahead = WORLD.forecast(data, 2)["Umbrella"].probabilities[:, 1]
    told(page, "Umbrella", "+2", f"yes {share(ahead[1])}, forecast")


def test_a_typed_sequence_the_path_and_undo(page: Page) -> None:
    opened(page, "Umbrella world")
    typed(page, "yes, yes, no, yes, yes", "Umbrella")
    best = list(WORLD.most_probable({"Umbrella": ["yes", "yes", "no", "yes", "yes"]})["Rain"])
    for step, state in enumerate(best):
        expect(cell(page, "Rain", step)).to_have_attribute("aria-label", re.compile(f"probable path {state}"))
    expect(page.get_by_label("Steps")).to_have_value("5")
    expect(findings(page)).to_have_count(5)
    address = page.url
    page.reload()
    expect(findings(page)).to_have_count(5)
    assert page.url == address
    page.keyboard.press("Control+z")
    expect(findings(page)).to_have_count(0)
    expect(page.get_by_label("Steps")).to_have_value("10")
    page.keyboard.press("Control+Shift+z")
    expect(findings(page)).to_have_count(5)
    page.get_by_role("button", name="◆ Most probable path").click()
    expect(cell(page, "Rain", 0)).not_to_have_attribute("aria-label", re.compile("path"))


def test_what_cannot_be_read_is_told_and_nothing_typed_is_lost(page: Page) -> None:
    opened(page, "Casino")
    typed(page, "6, seven", "roll")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_have_text(re.compile("Value 2: “seven” is not a state of roll"))
    expect(page.get_by_role("textbox", name=re.compile("^Values"))).to_have_value("6, seven")
    page.get_by_role("textbox", name=re.compile("^Values")).fill("6, not 6, ?")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(findings(page)).to_have_text([re.compile("roll at 0: 6"), re.compile("roll at 1: not 6")])
    net = CASINO.network(3)
    expected = net.query("state1", {"roll0": 6, "roll1": bayou.Not(6)})
    best = max(("fair", "loaded"), key=lambda state: expected[state])
    told(page, "state", 1, f"{best} {share(expected[best])}")


def test_a_pasted_file_of_a_table(page: Page, tmp_path: Path) -> None:
    opened(page, "Casino")
    file = tmp_path / "rolls.csv"
    file.write_text("turn,roll\n1,6\n2,6\n3,\n4,1\n", encoding="utf-8")
    page.get_by_role("button", name="Type a sequence…").click()
    page.get_by_label("Sequence file").set_input_files(file)
    expect(page.get_by_role("textbox", name=re.compile("^Values"))).to_have_value(re.compile("turn,roll"))
    page.get_by_role("button", name="Set", exact=True).click()
    expect(findings(page)).to_have_count(3)
    expect(page.get_by_label("Steps")).to_have_value("4")


def test_by_keyboard_only(page: Page) -> None:
    exhibits = page.get_by_role("list", name="Networks to start from")
    exhibits.get_by_role("button", name=re.compile("^Casino")).focus()
    page.keyboard.press("Enter")
    expect(cell(page, "roll", 0)).to_be_visible()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    expect(cell(page, "roll", 0)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("6")
        page.keyboard.press("ArrowRight")
    expected = CASINO.smooth([6, 6, 6, *[None] * 7]).probabilities[2, 1]
    told(page, "state", 2, f"loaded {share(expected)}")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(cell(page, "roll", 2)).to_be_focused()
    page.keyboard.press("Delete")
    expect(findings(page)).to_have_count(2)
    page.keyboard.press("End")
    expect(cell(page, "roll", 9)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(cell(page, "state", 9)).to_be_focused()
    page.keyboard.press("u")
    expect(findings(page)).to_have_count(0)


def test_ten_thousand_steps_scroll_and_few_cells_exist(page: Page) -> None:
    opened(page, "Casino")
    page.get_by_label("Steps").fill("10000")
    page.get_by_label("Steps").press("Enter")
    cell(page, "roll", 0).focus()
    expect(page.get_by_role("grid")).to_have_attribute("aria-colcount", "10001")
    page.keyboard.press("End")
    expect(cell(page, "roll", 9999)).to_be_focused()
    told(page, "state", 9999, "fair 67%")
    assert page.get_by_role("gridcell").count() < 120


@pytest.fixture(scope="module")
def strips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of a linear Gaussian series, an HMM whose names are hostile, and one that is strict."""
    folder: Path = tmp_path_factory.mktemp("strips")
    bayou.KalmanModel.local_trend(0.5, 0.1).save(folder / "trend.bayou")
    name = "<img src=x onerror=alert(1)>\"'&"
    hostile = bayou.HMM([f"{name}a", "</script><script>alert(2)"], {f"{name}roll": [name, "b"]}, name=name)
    hostile.set_start([0.5, 0.5]).set_transition([[0.9, 0.1], [0.1, 0.9]])
    hostile.set_emission(f"{name}roll", [[0.8, 0.2], [0.3, 0.7]]).save(folder / "hostile.bayou")
    strict = bayou.HMM(["a", "b"], {"seen": ["x", "y"]})
    strict.set_start([1, 0]).set_transition([[1, 0], [0, 1]])
    strict.set_emission("seen", [[1, 0], [0, 1]]).save(folder / "strict.bayou")
    return folder


def test_numbers_have_a_mean_and_a_band(browser: Browser, strips: Path) -> None:
    with (
        running("explore", str(strips / "trend.bayou"), "--no-browser") as server,
        tab(browser, f"{server.address}/?token={server.token}") as page,
    ):
        expect(page.get_by_role("heading", name="trend.bayou")).to_be_visible()
        typed(page, "1.5; 2,5; ?; 4")
        model = bayou.load(strips / "trend.bayou")
        seen = model.smooth({"y": [1.5, 2.5, None, 4.0]})
        place = seen.names.index("level")
        mean, spread = seen.means[2, place], seen.deviations[2, place]
        told(page, "level", 2, f"{mean:.4g} ± {spread:.4g}")
        expect(cell(page, "y", 1)).to_have_attribute("aria-label", "y at 1: 2.5, observed")
        cell(page, "y", 2).focus()
        page.keyboard.press("3")
        expect(page.get_by_role("textbox", name="Value")).to_have_value("3")
        page.keyboard.type(".25")
        page.keyboard.press("Enter")
        expect(cell(page, "y", 2)).to_have_attribute("aria-label", "y at 2: 3.25, observed")
        page.get_by_label("Forecast").fill("5")
        page.get_by_label("Forecast").press("Enter")
        expect(cell(page, "y", "+5")).to_be_visible()
        assert page.evaluate(OVERLAPS) == []
        picture(page, "numbers")


def test_names_are_only_text_and_an_impossible_sequence_is_explained(page: Page, strips: Path) -> None:
    page.get_by_label("Network file").set_input_files(strips / "hostile.bayou")
    name = "<img src=x onerror=alert(1)>\"'&"
    cell(page, f"{name}roll", 0).click()
    page.get_by_role("menuitemcheckbox", name=name, exact=True).click()
    expect(findings(page)).to_have_count(1)
    assert page.locator("img, script:not([src])").count() == 0
    page.get_by_role("button", name="Networks", exact=True).click()
    page.get_by_label("Network file").set_input_files(strips / "strict.bayou")
    typed(page, "x, y", "seen")
    said = page.get_by_role("alert").filter(has_text="impossible")
    expect(said).to_have_text(re.compile("step 1"))
    said.get_by_role("button", name="Undo").click()
    expect(findings(page)).to_have_count(0)
    expect(said).to_have_count(0)


def test_a_classifier_is_refused_in_words(page: Page, tmp_path: Path) -> None:
    rows = {"sky": ["grey", "blue", "grey", "blue"], "rain": ["yes", "no", "yes", "no"]}
    bayou.NaiveBayes().fit(rows, "rain").save(tmp_path / "rain.bayou")
    page.get_by_label("Network file").set_input_files(tmp_path / "rain.bayou")
    expect(page.get_by_role("alert").filter(has_text="classifier")).to_have_text(re.compile("bayou predict"))
    expect(page.get_by_role("list", name="Networks to start from")).to_be_visible()


def test_back_leads_to_the_gallery_and_a_network_opens_after_a_strip(page: Page) -> None:
    opened(page, "Umbrella world")
    page.go_back()
    exhibits = page.get_by_role("list", name="Networks to start from")
    expect(exhibits).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("grid", name="Beliefs over time")).to_be_visible()
    page.get_by_role("button", name="Networks", exact=True).click()
    exhibits.get_by_role("button", name=re.compile("^Asia")).click()
    expect(page.get_by_role("tablist")).to_be_visible()
    expect(page.get_by_role("grid", name="Beliefs over time")).to_be_hidden()


@pytest.mark.parametrize("size", SIZES, ids=["1280", "1920", "390"])
@pytest.mark.parametrize("title", ["Umbrella world", "Casino"])
def test_nothing_overlaps_or_is_cut_off(
    browser: Browser, address: str, size: tuple[int, int], title: str
) -> None:
    with tab(browser, address, size) as page:
        page.emulate_media(color_scheme="dark" if title == "Casino" else "light")
        opened(page, title)
        row = "Umbrella" if title == "Umbrella world" else "roll"
        state = "yes" if title == "Umbrella world" else "6"
        typed(page, f"{state}, {state}, ?, {state}, not {state}", row)
        page.get_by_label("Forecast").fill("3")
        page.get_by_label("Forecast").press("Enter")
        expect(findings(page)).to_have_count(4)
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(CUT_OFF) == []
        cell(page, row, 1).click()
        expect(page.get_by_role("menu")).to_be_visible()
        box = page.get_by_role("menu").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1]
        picture(page, f"{row}_{size[0]}")
