"""The page in a real browser on a real server, found by role and visible name; numbers are the library's."""

from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import bayou
from bayou.server.gallery import exhibit
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, find_by_menu, findings, held, picture, tab

ASIA = bayou.examples.asia()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Networks that the gallery has not: a large one, and one whose every name is hostile."""
    folder = tmp_path_factory.mktemp("networks")
    clinics = bayou.Network("")
    for number in range(1, 41):
        clinics.add_network(ASIA, rename={name: f"{name}_{number}" for name in ASIA.names})
    hostile = ASIA.copy()
    for name in ASIA.names:
        hostile.rename_node(name, f"<img src=x onerror=alert(1)>\"'&{name}")
        hostile.rename_state(f"<img src=x onerror=alert(1)>\"'&{name}", "yes", "</script><script>alert(2)")
    found = {"Forty clinics": folder / "clinics.bayou", "hostile": folder / "hostile.bayou"}
    clinics.save(found["Forty clinics"])
    hostile.save(found["hostile"])
    return found


def test_a_question_takes_three_clicks(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "xray = yes").click()
    bar(page, "smoke = yes").click()
    hit, miss = 0.1 * 0.98, 0.9 * (0.0104 * 0.98 + 0.9896 * 0.05)
    said = f"lung = yes: {100 * hit / (hit + miss):.1f}%, before 5.5%"
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", said)
    expect(page.get_by_text("About 1 in 13 cases has all of these findings.")).to_be_visible()
    first = page.get_by_role("list", name="What moved most").get_by_role("listitem").first
    expect(first).to_have_text(re.compile("either"))


def test_findings_are_cleared_undone_and_kept_over_a_reload(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "xray = yes").click()
    bar(page, "smoke = yes").click()
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    page.keyboard.press("u")
    expect(findings(page)).to_have_count(0)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(findings(page)).to_have_count(2)
    both = re.compile(r"64\.6%")
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", both)
    page.reload()
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", both)
    page.keyboard.press("Control+Shift+z")
    expect(findings(page)).to_have_count(1)


def test_a_drag_along_a_bar_is_a_likelihood(page: Page) -> None:
    choose(page, "Asia")
    box = bar(page, "smoke = no").locator(".track").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 1)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 1, steps=5)
    page.mouse.up()
    expect(findings(page)).to_have_text(re.compile(r"smoke weighed yes ×1, no ×0\.5"))
    page.keyboard.press("Control+z")
    expect(findings(page)).to_have_count(0)


def test_the_menu_has_all_other_findings(page: Page) -> None:
    choose(page, "Asia")
    find_by_menu(page)
    words = ["xray is not no", "lung set to yes", "bronc weighed yes ×1, no ×0.2"]
    expect(findings(page)).to_have_text([re.compile(re.escape(text)) for text in words])
    yes, no = 0.6 + 0.4 * 0.2, 0.3 + 0.7 * 0.2  # do(lung) says nothing about smoke, bronc does
    said = f"smoke = yes: {100 * yes / (yes + no):.1f}%, before 50.0%"
    expect(bar(page, "smoke = yes")).to_have_attribute("aria-label", said)


def test_impossible_findings_are_explained_and_released(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "tub = yes").click()
    expect(bar(page, "xray = yes")).to_have_attribute(
        "aria-label", re.compile(r"98\.0%")
    )  # the bars that stay
    bar(page, "either = no").click()
    told = re.compile("cannot occur together .* Release or correct one of them")
    expect(page.get_by_role("alert").last).to_have_text(told)
    expect(bar(page, "xray = yes")).to_have_attribute("aria-label", re.compile(r"98\.0%"))
    page.get_by_role("button", name="Release tub = yes").click()
    expect(findings(page)).to_have_text([re.compile("either = no")])
    expect(page.get_by_role("alert").last).to_be_empty()


def test_two_scenarios_take_four_clicks(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    before = bar(page, "bronc = no").bounding_box()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("button", name="Replace A")).to_be_visible()
    assert bar(page, "bronc = no").bounding_box() == before  # nothing moves away from under the mouse
    bar(page, "smoke = no").click()
    row = page.get_by_role("row", name=re.compile("^bronc = yes"))
    expect(row).to_have_text(re.compile(r"60\.0%30\.0%−30\.0"))
    page.get_by_role("button", name="Most probable explanation").click()
    expect(bar(page, "bronc = no")).to_have_attribute("aria-label", re.compile("most probable explanation"))


def test_scenarios_with_other_findings_and_the_same_beliefs_are_told_so(page: Page) -> None:
    """Setting what has no parents says the same of its children as observing it."""
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("A and B are the same so far.")).to_be_visible()
    page.get_by_role("button", name="More about smoke").click()
    page.get_by_role("menuitem", name="Set by intervention").click()
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("button", name="Set finding").click()
    expect(page.get_by_text("The findings differ; every probability is the same")).to_be_visible()


def test_ruling_out_every_state_keeps_what_was_ticked(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "xray = yes").click()
    expect(findings(page)).to_have_count(1)
    page.get_by_role("button", name="More about xray").click()
    page.get_by_role("menuitem", name="Not these states").click()
    expect(page.get_by_role("checkbox", name="no")).not_to_be_checked()  # it was observed, not ruled out
    page.get_by_role("checkbox", name="no").check()
    page.get_by_role("checkbox", name="yes").check()
    page.get_by_role("button", name="Set finding").click()
    expect(page.get_by_text("No state would be left.").last).to_be_visible()
    expect(page.get_by_role("checkbox", name="yes")).to_be_checked()
    page.get_by_role("checkbox", name="no").uncheck()
    page.get_by_role("button", name="Set finding").click()
    expect(findings(page)).to_have_text([re.compile("xray is not yes")])


def test_everything_by_keyboard(page: Page) -> None:
    choose(page, "Asia")
    page.keyboard.press("/")
    page.keyboard.type("bronc")
    page.keyboard.press("Enter")
    assert held(page).startswith("bronc:")
    page.keyboard.press("ArrowUp")
    assert held(page).startswith("smoke:")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    expect(findings(page)).to_have_text([re.compile("smoke = yes")])
    assert held(page).startswith("smoke = yes:")
    page.keyboard.press("d")
    expect(findings(page)).to_have_text([re.compile("smoke set to yes")])
    page.keyboard.press("n")
    expect(findings(page)).to_have_text([re.compile("smoke is not yes")])
    page.keyboard.press("m")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert held(page).startswith("smoke:")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()


def test_a_large_network_opens_on_a_focus_and_search_sets_a_finding(
    page: Page, files: dict[str, Path]
) -> None:
    choose(page, files["Forty clinics"])
    expect(page.get_by_role("img", name="Map of the whole network")).to_be_visible()
    assert page.locator(".node").count() < 20
    page.get_by_role("combobox", name="Search").fill("xray_17")
    page.get_by_role("option", name="xray_17 = yes").click()
    moved = page.get_by_role("list", name="What moved most").get_by_role("listitem")
    expect(moved.first).to_have_text(re.compile("either_17"))
    page.get_by_role("combobox", name="Show", exact=True).select_option("Whole network")
    expect(page.locator(".node")).to_have_count(320)
    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function("document.querySelectorAll('.node').length < 120")


def test_hostile_names_are_text(page: Page, files: dict[str, Path]) -> None:
    choose(page, files["hostile"])
    for view in ("Drawing", "Cards", "Table"):
        page.get_by_role("tab", name=view).click()
        page.get_by_role("button", name=re.compile("^<img src=x.*&asia = ")).first.click()
    page.reload()
    expect(page.get_by_role("tablist")).to_be_visible()
    assert page.locator("img, script:not([src])").count() == 0


def test_a_value_of_a_continuous_variable(page: Page) -> None:
    choose(page, "Heights")
    page.get_by_role("button", name=re.compile("Type a value")).click()
    page.get_by_role("textbox", name="Value").fill("71,5")
    page.keyboard.press("Enter")
    expect(findings(page)).to_have_text([re.compile(r"height_in = 71\.5")])


def test_a_finding_under_the_mouse_keeps_its_colours(page: Page) -> None:
    choose(page, "Asia")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.get_by_role("tab", name="Cards").click()
    found = bar(page, "smoke = yes")
    found.click()
    expect(found).to_have_attribute("aria-pressed", "true")
    read = "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
    below = found.evaluate(read)
    page.mouse.move(0, 0)
    assert found.evaluate(read) == below


def test_the_table_says_what_the_drawing_says(page: Page) -> None:
    choose(page, "Asia")
    page.get_by_role("tab", name="Table").click()
    page.get_by_role("button", name="either = no", exact=True).click()
    row = page.get_by_role("row").filter(has=page.get_by_role("button", name="lung = yes", exact=True))
    expect(row).to_have_text(re.compile(r"0%5\.5%−5\.5"))


def test_every_bar_shows_what_the_library_says(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "dysp = yes").click()
    bar(page, "xray = no").click()
    expect(findings(page)).to_have_count(2)
    for name, posterior in ASIA.marginals({"dysp": "yes", "xray": "no"}).items():
        for state, chance in posterior:
            shown = re.compile(rf"^{name} = {state}: [<>]?([\d.]+)%")
            expect(bar(page, f"{name} = {state}")).to_have_attribute("aria-label", shown)
            found = shown.match(str(bar(page, f"{name} = {state}").get_attribute("aria-label")))
            assert found is not None
            assert float(found[1]) / 100 == pytest.approx(chance, abs=1e-3)


def test_a_download_can_be_loaded(page: Page, tmp_path: Path) -> None:
    choose(page, "Asia")
    page.get_by_role("button", name="Download…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option("bif")
    with page.expect_download() as coming:
        dialog.get_by_role("link", name="Download").click()
    coming.value.save_as(tmp_path / "asia.bif")
    assert bayou.load(tmp_path / "asia.bif").same_as(ASIA)


def test_pictures_reports_and_json_are_downloaded_with_the_findings(page: Page, tmp_path: Path) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    for ending in ("svg", "png", "report", "json"):
        page.get_by_role("button", name="Download…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("combobox").select_option(ending)
        expect(dialog.get_by_role("link", name="Download")).to_be_visible()
        expect(dialog.get_by_text("This format cannot hold:")).to_have_count(1 if ending == "json" else 0)
        with page.expect_download() as coming:
            dialog.get_by_role("link", name="Download").click()
        name = coming.value.suggested_filename
        assert name == {"report": "report.html"}.get(ending, f"network.{ending}")
        coming.value.save_as(tmp_path / ending)
    given = {"smoke": "yes"}
    svg = (tmp_path / "svg").read_text(encoding="utf-8")
    shown = exhibit("asia")  # asia, and what its names mean
    assert svg == shown.to_svg(given=given)
    assert (tmp_path / "report").read_text(encoding="utf-8") == shown.report(given=given)
    document = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
    assert [each["name"] for each in document["variables"]] == list(ASIA.names)
    png = (tmp_path / "png").read_bytes()
    assert png.startswith(b"\x89PNG")
    sides = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert sides is not None
    assert struct.unpack(">II", png[16:24]) == tuple(2 * int(side) for side in sides.groups())
    dots = page.evaluate(DOTS, base64.b64encode(png).decode())
    assert dots > 20  # not an empty sheet


DOTS = """async (data) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const dots = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  return new Set(dots).size;
}"""
"""How many colours a picture has."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("network", ["Asia", "Forty clinics", "hostile", "Heights"])
def test_nothing_overlaps_or_is_cut_off(
    browser: Browser, address: str, files: dict[str, Path], size: tuple[int, int], network: str
) -> None:
    with tab(browser, address, size) as page:
        expect(page.get_by_role("list", name="Networks to start from")).to_be_visible()
        picture(page, f"gallery-{size[0]}")
        assert page.evaluate(OVERLAPS) == []
        choose(page, files.get(network, network))
        page.get_by_role("button", name="Compare").click()
        page.keyboard.press("e")  # the most probable explanation; on a phone its button is in a menu
        names = [tab.inner_text() for tab in page.get_by_role("tab").all()]
        assert names[0] == ("Cards" if size[0] < 700 else "Drawing")
        for name in names:
            page.get_by_role("tab", name=name).click()
            page.wait_for_timeout(150)
            assert page.evaluate(OVERLAPS) == [], name
            picture(page, f"{network}-{name}-{size[0]}")
