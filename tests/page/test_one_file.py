"""The page in one file, opened from disk in a real browser, and as notebooks show it."""

from __future__ import annotations

import http.server
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

import bayou
from bayou.pages.local_explorer import LocalExplorer
from bayou.pages.shown_explorer import explored
from tests.page.browsing import find_by_menu
from tests.patience import PATIENCE

OVERLAPS = (Path(__file__).parent / "overlaps.js").read_text(encoding="utf-8")
SIZES = ((1280, 800), (390, 844))
ASIA = bayou.examples.asia()
expect.set_options(timeout=1000 * PATIENCE)


@contextmanager
def tab(
    browser: Browser, address: str, size: tuple[int, int] = SIZES[0], loads: int = 1, dark: bool = False
) -> Iterator[Page]:
    """A page of its own; faults, dialogs, breaches of its policy and loads from elsewhere are failures."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    yield page
    context.close()
    assert not faults
    outside = [address for address in asked if not address.startswith("data:")]
    assert loads == 0 or len(outside) == loads, outside


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    ASIA.to_html(tmp_path / "Chest clinic.html")
    with tab(browser, (tmp_path / "Chest clinic.html").as_uri()) as opened:
        yield opened


def bar(page: Page | FrameLocator, state: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{re.escape(state)}:"))


def findings(page: Page | FrameLocator) -> Locator:
    return page.get_by_role("list", name="Findings").get_by_role("listitem")


def percent(net: bayou.Network, name: str, state: str, **known: object) -> re.Pattern[str]:
    """The beginning of the name of a bar, as the library computes it."""
    chance = net.query(name, **known)[state]  # type: ignore[arg-type]
    return re.compile(rf"^{re.escape(name)} = {re.escape(state)}: {100 * chance:.1f}%")


def test_findings_move_every_bar_and_are_kept_over_a_reload(browser: Browser, tmp_path: Path) -> None:
    ASIA.to_html(tmp_path / "Chest clinic.html")
    with tab(browser, (tmp_path / "Chest clinic.html").as_uri(), loads=2) as page:
        expect(page.get_by_role("heading", level=1)).to_have_text("Chest clinic")
        bar(page, "xray = yes").click()
        bar(page, "smoke = yes").click()
        known = {"xray": "yes", "smoke": "yes"}
        for name in ("lung", "tub", "bronc", "dysp"):
            expect(bar(page, f"{name} = yes")).to_have_attribute(
                "aria-label", percent(ASIA, name, "yes", given=known)
            )
        page.reload()
        expect(bar(page, "lung = yes")).to_have_attribute(
            "aria-label", percent(ASIA, "lung", "yes", given=known)
        )
        page.keyboard.press("Control+z")
        expect(findings(page)).to_have_count(1)


def test_what_needs_a_server_is_not_there(page: Page) -> None:
    expect(bar(page, "lung = yes")).to_be_visible()
    for name in ("Networks", "Download…", "Save"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
    page.keyboard.press("Control+s")
    expect(page.get_by_text(re.compile("This page is one file"))).to_be_visible()


def test_all_kinds_of_findings(page: Page) -> None:
    find_by_menu(page)
    known = {"given": {"xray": bayou.Not("no")}, "do": {"lung": "yes"}, "likelihood": {"bronc": [1, 0.2]}}
    expect(findings(page)).to_have_count(3)
    for name in ("smoke", "tub", "dysp"):
        expected = percent(ASIA, name, "yes", **known)
        expect(bar(page, f"{name} = yes")).to_have_attribute("aria-label", expected)


def test_a_drag_is_a_likelihood(page: Page) -> None:
    box = bar(page, "smoke = no").locator(".track").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 1)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 1, steps=5)
    page.mouse.up()
    expect(findings(page)).to_have_text(re.compile(r"smoke weighed yes ×1, no ×0\.5"))
    expected = percent(ASIA, "lung", "yes", likelihood={"smoke": [1, 0.5]})
    expect(bar(page, "lung = yes")).to_have_attribute("aria-label", expected)


def test_impossible_findings_are_explained_and_released(page: Page) -> None:
    bar(page, "tub = yes").click()
    bar(page, "either = no").click()
    expect(page.get_by_role("alert").last).to_have_text(re.compile("cannot occur together"))
    page.get_by_role("button", name="Release tub = yes").click()
    expect(findings(page)).to_have_text([re.compile("either = no")])


def test_scenarios_and_the_most_probable_explanation(page: Page) -> None:
    bar(page, "smoke = yes").click()
    expect(findings(page)).to_have_count(1)
    page.get_by_role("button", name="Compare").click()
    bar(page, "smoke = no").click()
    row = page.get_by_role("row", name=re.compile("^bronc = yes"))
    expect(row).to_have_text(re.compile(r"60\.0%30\.0%−30\.0"))
    page.get_by_role("button", name="Most probable explanation").click()
    best = ASIA.most_probable({"smoke": "no"})[0].states
    for name, state in best.items():
        marked = re.compile("most probable explanation")
        expect(bar(page, f"{name} = {state}")).to_have_attribute("aria-label", marked)


def test_a_link_with_findings(browser: Browser, tmp_path: Path) -> None:
    ASIA.to_html(tmp_path / "asia.html")
    stated = quote('[{"variable":"smoke","state":"no"}]')
    address = f"{(tmp_path / 'asia.html').as_uri()}#model=x&findings={stated}"
    with tab(browser, address) as page:
        expected = percent(ASIA, "lung", "yes", given={"smoke": "no"})
        expect(bar(page, "lung = yes")).to_have_attribute("aria-label", expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_overlaps(browser: Browser, tmp_path: Path, size: tuple[int, int], dark: bool) -> None:
    bayou.examples.alarm().to_html(tmp_path / "alarm.html")
    with tab(browser, (tmp_path / "alarm.html").as_uri(), size, dark=dark) as page:
        expect(page.get_by_role("tablist")).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("HYPOVOLEMIA")
        page.keyboard.press("Enter")
        assert page.evaluate(OVERLAPS) == []


def test_hostile_names_stay_data(browser: Browser, tmp_path: Path) -> None:
    net = ASIA.copy()
    hostile = "</script><script>alert(1)</script><!--\u2028\"'&"
    for name in ASIA.names:
        net.rename_node(name, f"{hostile}{name}")
        net.rename_state(f"{hostile}{name}", "yes", f"<img src=x onerror=alert(2)>{name}")
    net.to_html(tmp_path / "hostile.html")
    with tab(browser, (tmp_path / "hostile.html").as_uri()) as page:
        page.get_by_role("tab", name="Table").click()
        expect(page.get_by_role("table").get_by_text(f"{hostile}smoke").first).to_be_visible()
        assert page.locator("img").count() == 0


def test_gaussians_are_shown_as_densities(browser: Browser, tmp_path: Path) -> None:
    net = bayou.examples.heights_network()
    net.to_html(tmp_path / "heights.html")
    [discrete] = [variable.name for variable in net.variables if not variable.is_continuous]
    [number] = [variable.name for variable in net.variables if variable.is_continuous]
    with tab(browser, (tmp_path / "heights.html").as_uri()) as page:
        page.get_by_role("button", name=f"More about {number}").click()
        page.get_by_role("menuitem", name="Observed value").click()
        page.get_by_role("textbox", name="Value").fill("71.5")
        page.keyboard.press("Enter")
        expect(findings(page)).to_have_count(1)
        for state in net.states(discrete):
            expected = percent(net, str(discrete), str(state), given={number: 71.5})
            expect(bar(page, f"{discrete} = {state}")).to_have_attribute("aria-label", expected)


@contextmanager
def notebook(folder: Path, output: str) -> Iterator[str]:
    """A page of another origin on this machine that shows what a notebook would."""
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>notebook</title>'
    (folder / "index.html").write_text(head + output, encoding="utf-8")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}/index.html"
        server.shutdown()


def ask_in_frame(browser: Browser, address: str) -> None:
    with tab(browser, address, loads=0) as page:
        frame = page.frame_locator("iframe")
        bar(frame, "smoke = yes").click()
        expect(findings(frame)).to_have_count(1)
        expected = percent(ASIA, "lung", "yes", given={"smoke": "yes"})
        expect(bar(frame, "lung = yes")).to_have_attribute("aria-label", expected)


class Kernel:
    """What IPython tells a program that runs in a notebook."""

    def get_ipython(self) -> Kernel:
        return self

    kernel = "a kernel"


def test_a_notebook_elsewhere_shows_the_one_file(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", Kernel())
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    shown = ASIA.explore(height=700)
    assert shown.address is None
    assert "JupyterHub" in repr(shown)
    with notebook(tmp_path, shown._repr_html_()) as address:
        ask_in_frame(browser, address)


def test_a_notebook_on_this_machine_shows_a_server(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", Kernel())
    monkeypatch.setattr("bayou.pages.shown_explorer.elsewhere", lambda: None)
    shown = explored(ASIA, 640)
    assert "on this machine" in repr(shown)
    try:
        with notebook(tmp_path, shown._repr_html_()) as address:
            ask_in_frame(browser, address)
    finally:
        shown.close()


def test_other_sites_may_not_frame_the_server(browser: Browser, tmp_path: Path) -> None:
    server = LocalExplorer(ASIA, in_frame=True)
    (tmp_path / "foreign.html").write_text(f'<!doctype html><iframe src="{server.address}/"></iframe>')
    page = browser.new_page()
    try:
        with page.expect_console_message(
            lambda said: "frame-ancestors" in said.text, timeout=1000 * PATIENCE
        ):
            page.goto((tmp_path / "foreign.html").as_uri())
    finally:
        page.close()
        server.close()
