"""How drawings open, in a real browser: bars to read, names that differ, and nothing on the boxes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import bayou
from tests.page.browsing import OVERLAPS, SIZES, bar, choose, findings, picture, tab

WHOLE = """() => {
  const canvas = document.querySelector(".canvas").getBoundingClientRect();
  const inside = ({ left, right, top, bottom }) =>
    left >= canvas.left && right <= canvas.right && top >= canvas.top && bottom <= canvas.bottom;
  const frames = [...document.querySelectorAll(".node .frame")].map((one) => one.getBoundingClientRect());
  return frames.filter(inside).length;
}"""
"""How many boxes are whole in the window."""
COUNTS = {"Child": 20, "Insurance": 27, "Alarm": 37, "wide": 60}


def network(arcs: list[tuple[str, str]]) -> bayou.Network:
    """A network of three states each, with tables at random."""
    names = sorted({name for arc in arcs for name in arc})
    net = bayou.Network(arcs, states={name: ["low", "mid", "high"] for name in names})
    rng = np.random.default_rng(15)
    for name in names:
        net.set_cpt(name, rng.dirichlet(np.ones(3), (3,) * len(net.parents(name))))
    return net


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wide network of 60 variables, and a large one around a variable with many names that look alike."""
    casts = [f"Forecast{number}" for number in range(58)]
    wide = [("Scenario" if place < 24 else casts[place - 24], name) for place, name in enumerate(casts)]
    farm = [f"p{50_000_000 + 1237 * number}388" for number in range(70)]
    pigs = [("p82140988", name) for name in farm]
    pigs += [(farm[number % 70], f"q{number}") for number in range(90)]
    folder = tmp_path_factory.mktemp("drawn")
    found = {}
    for name, arcs in {"wide": [("Region", "Scenario"), *wide], "pigs": pigs}.items():
        found[name] = folder / f"{name}.bayou"
        network(arcs).save(found[name])
    return found


def has_bars(page: Page) -> None:
    expect(page.locator(".canvas")).to_have_attribute("data-level", "bars")


def in_order(page: Page) -> None:
    """Nothing overlaps or is cut off, also where a message is shown."""
    assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", COUNTS)
def test_networks_of_middle_size_open_with_bars(
    browser: Browser, address: str, networks: dict[str, Path], size: tuple[int, int], name: str
) -> None:
    with tab(browser, address, size) as page:
        choose(page, networks.get(name, name))
        page.get_by_role("tab", name="Drawing").click()
        has_bars(page)
        whole, small = page.evaluate(WHOLE), size[0] < 700
        assert whole >= (2 if small else 8)
        if whole < COUNTS[name]:
            expect(page.get_by_role("img", name="Map of the whole network")).to_be_visible()
        in_order(page)
        picture(page, f"opening-{name}-{size[0]}")
        page.get_by_role("button", name="Fit", exact=True).click()
        page.wait_for_function(f"count => ({WHOLE})() === count", arg=COUNTS[name])
        in_order(page)


def test_a_bar_of_a_part_is_clicked(page: Page, networks: dict[str, Path]) -> None:
    choose(page, networks["wide"])
    has_bars(page)
    page.locator(".state").filter(visible=True).nth(20).click()
    expect(findings(page)).to_have_count(1)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_controls_and_messages_are_never_on_the_drawing(
    browser: Browser, address: str, size: tuple[int, int]
) -> None:
    with tab(browser, address, size) as page:
        choose(page, "Alarm")
        page.get_by_role("tab", name="Drawing").click()
        has_bars(page)
        page.keyboard.press("w")
        expect(page.get_by_text("Choose a variable first.")).to_be_visible()
        in_order(page)
        picture(page, f"message-{size[0]}")


def test_names_in_a_focus_differ(page: Page, networks: dict[str, Path]) -> None:
    choose(page, networks["pigs"])
    for level in ("winners", "dots", "bars"):
        for _ in range(10):
            if page.locator(".canvas").get_attribute("data-level") != level:
                page.get_by_role("button", name="Zoom in" if level == "bars" else "Zoom out").click()
                page.wait_for_timeout(50)
        expect(page.locator(".canvas")).to_have_attribute("data-level", level)
        told = page.locator(".node text.title, .node text.label:not(.state text)").all_text_contents()
        assert len(set(told)) == len(told) > 10
        picture(page, f"names-{level}")


def test_a_new_arc_is_offered_where_the_mouse_is_and_says_so(page: Page) -> None:
    choose(page, "Asia")
    handles = page.locator(".arc-handle").filter(visible=True)
    bar(page, "smoke = yes").click()
    page.keyboard.press("Escape")
    page.mouse.move(5, 5)
    page.locator(".node.found .title").wait_for()
    expect(handles).to_have_count(0)
    page.locator(".node[data-key='\"smoke\"'] .frame").hover(position={"x": 30, "y": 10})
    expect(handles).to_have_count(1)
    expect(handles).to_contain_text("new arc")
    expect(handles.locator("title")).to_have_text(re.compile("^Drag to another variable"))
    in_order(page)
    handles.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_legend_tells_trails_and_the_explanation(page: Page) -> None:
    choose(page, "Asia")
    legend = page.get_by_label("Marks in the drawing")
    page.get_by_role("button", name="Most probable explanation", exact=True).click()
    expect(legend).to_have_text(re.compile("^◆ most probable explanation$"), use_inner_text=True)
    bar(page, "smoke = yes").click()
    page.get_by_role("button", name="Why lung?", exact=True).click()
    expect(page.locator(".arc.trail").first).to_be_visible()
    expect(legend).to_contain_text("trail in the answer")
    in_order(page)
    page.get_by_role("button", name="Most probable explanation", exact=True).click()
    expect(legend.get_by_text("most probable explanation")).to_be_hidden()


def test_the_offer_of_a_new_arc_hides_no_arc_and_is_not_cut_off(page: Page) -> None:
    choose(page, "Asia")
    canvas = page.locator(".canvas").bounding_box()
    assert canvas is not None
    for name in ("asia", "smoke", "lung", "either", "xray", "dysp"):
        page.locator(f".node[data-key='\"{name}\"'] .title").hover(force=True)
        plate = page.locator(".arc-handle .plate").filter(visible=True)
        expect(plate).to_have_count(1)
        box = plate.bounding_box()
        assert box is not None
        assert canvas["y"] <= box["y"]
        assert box["y"] + box["height"] <= canvas["y"] + canvas["height"], name
        hidden = """(plate) => {
          const box = plate.getBoundingClientRect();
          const matrix = plate.ownerSVGElement.querySelector("g").getScreenCTM();
          return [...document.querySelectorAll(".arc .line")].some((line) => {
            const whole = line.getTotalLength();
            const steps = Array.from({ length: 200 }, (_, k) => line.getPointAtLength((k / 199) * whole));
            return steps.map((at) => at.matrixTransform(matrix)).some(
              ({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom);
          });
        }"""
        assert not plate.evaluate(hidden), name


def test_a_chosen_variable_with_a_finding_keeps_the_colour_of_findings(page: Page) -> None:
    choose(page, "Asia")
    bar(page, "smoke = yes").click()
    frame = page.locator(".node[data-key='\"smoke\"'] .frame")
    expect(page.locator(".node.found")).to_have_count(1)
    colour = "one => getComputedStyle(one).stroke"
    before = frame.evaluate(colour)
    frame.click(position={"x": 20, "y": 10})
    expect(page.locator(".node.found.chosen")).to_have_count(1)
    assert frame.evaluate(colour) == before
