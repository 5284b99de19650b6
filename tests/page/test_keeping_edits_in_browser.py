"""Edits that are saved, left, crashed and healed: in a real browser, on servers with a file."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Dialog, Page, Route, expect

import bayou
from tests.page.browsing import bar, choose
from tests.page.test_building_in_browser import edit, node, percent
from tests.patience import PATIENCE
from tests.server.running_server import Running, running

SAVE = re.compile("^Save( •)?$")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "asia.bayou"
    bayou.examples.asia().save(path)
    return path


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert not faults


def visit(page: Page, server: Running) -> None:
    page.goto(f"{server.address}/?token={server.token}")


def unsaved(page: Page) -> None:
    expect(page).to_have_title(re.compile("^•"))


def rename(page: Page, old: str, new: str) -> None:
    edit(page, old, "Name and notes…")
    page.get_by_label("Name", exact=True).fill(new)
    page.get_by_role("button", name="Change").click()
    expect(node(page, new)).to_be_visible()


def shown(page: Page) -> dict[str, list[float]]:
    """The beliefs that the server has for the revision of the page, unrounded."""
    asked = """async () => {
        const model = new URLSearchParams(location.hash.slice(1)).get("model");
        const headers = { "Content-Type": "application/json" };
        const answer = await fetch(`v1/models/${model}/beliefs`, { method: "POST", headers, body: "{}" });
        return Object.fromEntries((await answer.json()).beliefs.map((b) => [b.variable, b.probabilities]));
    }"""
    found = page.evaluate(asked)
    assert isinstance(found, dict)
    return found


def test_saved_and_reloaded_the_beliefs_are_the_same(page: Page, file: Path) -> None:
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        edit(page, "smoke", "Sum it out (absorb)")
        expect(node(page, "smoke")).to_have_count(0)
        unsaved(page)
        before = shown(page)
        page.get_by_role("button", name=SAVE).click()
        expect(page.get_by_text("Saved to asia.bayou.")).to_be_visible()
        expect(page).to_have_title(re.compile("^[^•]"))
        page.reload()
        expect(node(page, "lung")).to_be_visible()
        assert shown(page) == before
    net = bayou.load(file)
    assert "smoke" not in net.names
    for name, probabilities in before.items():
        wanted = list(net.query(name).to_array())
        assert max(abs(p - q) for p, q in zip(probabilities, wanted, strict=True)) < 1e-12


def test_leaving_warns_only_about_unsaved_edits(page: Page, file: Path) -> None:
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        bar(page, "smoke = yes").click()
        expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(0.1))
        page.reload()
        expect(node(page, "lung")).to_be_visible()
        assert asked == []
        rename(page, "smoke", "smoker")
        page.reload()
        expect(node(page, "smoker")).to_be_visible()
        assert asked == ["beforeunload"]
        unsaved(page)
        expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(0.1))
        expect(page.get_by_role("button", name=SAVE)).to_be_visible()
        page.keyboard.press("Control+z")
        expect(node(page, "smoke")).to_be_visible()
        expect(page).to_have_title(re.compile("^[^•]"))


def test_what_a_format_cannot_hold_is_told_before_it_is_written(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "asia.bif"
    bayou.examples.asia().save(file)
    content = file.read_bytes()
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        edit(page, "smoke", "Name and notes…")
        page.get_by_label("Description").fill("Any tobacco")
        page.get_by_role("button", name="Change").click()
        unsaved(page)
        page.keyboard.press("Control+s")
        told = page.get_by_role("alert").last
        expect(told).to_have_text(re.compile("asia.bif cannot hold the descriptions of 1 node"))
        assert file.read_bytes() == content
        page.get_by_role("button", name="Save without it").click()
        expect(page.get_by_text("Saved to asia.bif.")).to_be_visible()
        assert bayou.load(file).names == bayou.examples.asia().names


def test_a_file_that_others_changed_is_not_overwritten_unasked(page: Page, file: Path) -> None:
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        rename(page, "smoke", "smoker")
        bayou.examples.asia().remove_node("xray").save(file)
        page.keyboard.press("Control+s")
        expect(page.get_by_role("alert").last).to_have_text(re.compile("has changed on disk"))
        assert "xray" not in bayou.load(file).names
        unsaved(page)
        page.get_by_role("button", name="Overwrite").click()
        expect(page.get_by_text("Saved to asia.bayou.")).to_be_visible()
        assert {"xray", "smoker"} < set(bayou.load(file).names)


def test_after_a_crash_of_the_tab_edits_are_offered_again(page: Page, file: Path) -> None:
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        rename(page, "smoke", "smoker")
        rename(page, "bronc", "bronchitis")
        other = page.context.new_page()
        visit(other, server)
        expect(node(other, "smoke")).to_be_visible()
        expect(other.get_by_role("alert").last).to_be_empty()
        page.close(run_before_unload=False)
        other.reload()
        expect(other.get_by_role("alert").last).to_have_text(re.compile("unsaved changes .*2 changes"))
        other.get_by_role("button", name="Continue with them").click()
        expect(node(other, "smoker")).to_be_visible()
        expect(node(other, "bronchitis")).to_be_visible()
        unsaved(other)
        other.keyboard.press("Control+z")
        expect(node(other, "smoke")).to_be_visible()


def test_edits_of_a_network_of_the_gallery_wait_on_the_first_page(page: Page) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        choose(page, "Asia")
        rename(page, "smoke", "smoker")
        page.get_by_role("button", name="Networks", exact=True).click()
        expect(page.get_by_role("list", name="Unsaved changes")).to_have_text(re.compile("^Asia: 1 change"))
        page.get_by_role("button", name="Continue Asia: 1 change").click()
        expect(node(page, "smoker")).to_be_visible()
        page.get_by_role("button", name="Networks", exact=True).click()
        page.get_by_role("button", name="Discard Asia: 1 change").click()
        expect(page.get_by_role("list", name="Unsaved changes")).to_have_count(0)


def test_the_first_page_offers_what_waits_now_also_while_the_server_is_slow(page: Page) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        choose(page, "Asia")
        rename(page, "smoke", "smoker")
        page.get_by_role("button", name="Networks", exact=True).click()
        page.get_by_role("button", name="Continue Asia: 1 change").click()
        expect(node(page, "smoker")).to_be_visible()
        waiting: list[Route] = []
        page.route(re.compile("/v1/models$"), lambda route: waiting.append(route))
        page.get_by_role("button", name="Networks", exact=True).click()
        page.get_by_role("button", name="Discard Asia: 1 change").click()
        expect(page.get_by_role("list", name="Unsaved changes")).to_have_count(0)
        choose(page, "Asia")
        [asked] = waiting
        asked.continue_()
        page.unroute(re.compile("/v1/models$"))
        rename(page, "smoke", "smoking")


def test_a_card_under_the_mouse_stays_while_the_list_is_read_again(page: Page) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        card = page.get_by_role("button", name=re.compile("^Asia"))
        box = card.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        with page.expect_response(re.compile("/v1/models$")):
            page.evaluate("dispatchEvent(new Event('hashchange'))")
            page.evaluate("history.replaceState(null, '', '#'); dispatchEvent(new Event('hashchange'))")
        page.wait_for_timeout(300)
        page.mouse.up()
        expect(node(page, "smoke")).to_be_visible()


def test_who_leaves_while_edits_are_made_again_finds_them_where_they_were(page: Page) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        choose(page, "Asia")
        rename(page, "smoke", "smoker")
        page.get_by_role("button", name="Networks", exact=True).click()
        waiting: list[Route] = []
        page.route(re.compile("/edits$"), lambda route: waiting.append(route))
        page.get_by_role("button", name="Continue Asia: 1 change").click()
        expect(node(page, "smoke")).to_be_visible()
        page.get_by_role("button", name="Networks", exact=True).click()
        expect(page.get_by_role("list", name="Networks to start from")).to_be_visible()
        [asked] = waiting
        asked.continue_()
        page.unroute(re.compile("/edits$"))
        page.get_by_role("button", name="Continue Asia: 1 change").click()
        expect(node(page, "smoker")).to_be_visible()


def new_network(page: Page, variable: str) -> None:
    page.get_by_role("button", name="New network", exact=True).click()
    page.get_by_role("button", name="Add the first variable…").click()
    page.get_by_role("dialog").get_by_label("Name", exact=True).fill(variable)
    page.get_by_role("button", name="Add variable").click()
    expect(node(page, variable)).to_be_visible()


def test_networks_that_were_begun_are_told_apart_on_the_first_page(page: Page) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        for variable in ("Rain", "Fire"):
            new_network(page, variable)
            expect(page.get_by_text("There are unsaved changes of this network")).to_be_hidden()
            page.get_by_role("button", name="Networks", exact=True).click()
        lines = page.get_by_role("list", name="Unsaved changes").get_by_role("listitem")
        expect(lines).to_have_text([re.compile(r"New network \((Fire|Rain)\): 1 change")] * 2)
        page.get_by_role("button", name="New network", exact=True).click()
        expect(page.get_by_text("Nothing here yet.")).to_be_visible()
        page.wait_for_timeout(300)  # an offer would have come
        expect(page.get_by_text("There are unsaved changes of this network")).to_be_hidden()
        page.get_by_role("button", name="Networks", exact=True).click()
        discard = page.get_by_role("button", name="Discard New network (Fire): 1 change")
        assert discard.evaluate("one => getComputedStyle(one).borderTopColor") != "rgba(0, 0, 0, 0)"
        discard.click()
        expect(lines).to_have_count(1)
        expect(page.get_by_role("list", name="Opened in this tab")).to_be_hidden()
        page.get_by_role("button", name="Continue New network (Rain): 1 change").click()
        expect(node(page, "Rain")).to_be_visible()


def test_files_and_saved_networks_of_this_tab_are_found_again(page: Page, file: Path) -> None:
    with running("explore", "--no-browser") as server:
        visit(page, server)
        choose(page, file)
        bar(page, "smoke = yes").click()
        expect(bar(page, "lung = yes")).to_have_attribute("aria-label", percent(0.1))
        page.get_by_role("button", name="Networks", exact=True).click()
        listed = page.get_by_role("list", name="Opened in this tab").get_by_role("button")
        expect(listed).to_have_text(["asia.bayouasia, tub, smoke, lung, bronc and 3 more8 variables, 8 arcs"])
        page.reload()
        listed.click()
        expect(page.get_by_text("You had findings here: smoke = yes.")).to_be_visible()
        page.reload()
        rename(page, "smoke", "smoker")
        page.get_by_role("button", name="Networks", exact=True).click()
        expect(page.get_by_role("button", name="Continue asia.bayou: 1 change")).to_be_visible()
        expect(listed).to_have_count(0)  # it waits above
        page.get_by_role("button", name="Discard asia.bayou: 1 change").click()
        listed.click()
        expect(node(page, "smoke")).to_be_visible()
        choose_gallery = page.get_by_role("button", name="Networks", exact=True)
        choose_gallery.click()
        choose(page, "Earthquake")
        choose_gallery.click()
        expect(listed).to_have_count(1)  # the gallery has its own list


def test_edits_of_a_large_file_that_was_opened_by_hand_wait_on_the_first_page(
    page: Page, tmp_path: Path
) -> None:
    """The server is another one after the crash: it gets the file from the browser."""
    states = [f"s{place}" for place in range(10)]
    net = bayou.Network("A -> E; B -> E; C -> E; D -> E", states=dict.fromkeys("ABCDE", states))
    chances = np.random.default_rng(5).dirichlet(np.ones(10), size=(10, 10, 10, 10))
    for name in "ABCD":
        net.set_cpt(name, np.full(10, 0.1))
    net.set_cpt("E", chances)
    file = tmp_path / "large.bif"
    net.save(file)
    assert file.stat().st_size > 1_000_000
    with running("explore", "--no-browser", "--port", "0") as first:
        visit(page, first)
        choose(page, file)
        rename(page, "A", "first")
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(timeout=PATIENCE)
    with running("explore", "--no-browser", "--port", str(first.port)) as second:
        again = page.context.new_page()
        page.close(run_before_unload=False)
        visit(again, second)
        expect(again.get_by_role("list", name="Unsaved changes")).to_have_text(
            re.compile("^large.bif: 1 change")
        )
        again.get_by_role("button", name="Continue large.bif: 1 change").click()
        expect(node(again, "first")).to_be_visible()
        unsaved(again)


def test_a_new_server_gets_the_edits_again(page: Page, file: Path) -> None:
    """The server is killed and started again at the same port: its first page offers the changes."""
    with running("explore", str(file), "--no-browser", "--port", "0") as first:
        visit(page, first)
        rename(page, "smoke", "smoker")
        rename(page, "bronc", "bronchitis")
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(timeout=PATIENCE)
    with running("explore", str(file), "--no-browser", "--port", str(first.port)) as second:
        again = page.context.new_page()  # as the user does who starts it again
        page.close(run_before_unload=False)
        visit(again, second)
        expect(again.get_by_role("alert").last).to_have_text(re.compile("unsaved changes .*2 changes"))
        again.get_by_role("button", name="Continue with them").click()
        bar(again, "smoker = yes").click()
        expect(bar(again, "lung = yes")).to_have_attribute("aria-label", percent(0.1))
        for _ in range(2):
            again.keyboard.press("Control+z")
        expect(node(again, "smoke")).to_be_visible()


def test_two_tabs_do_not_disturb_each_other(page: Page, file: Path) -> None:
    with running("explore", str(file), "--no-browser") as server:
        visit(page, server)
        other = page.context.new_page()
        visit(other, server)
        rename(page, "smoke", "smoker")
        rename(other, "xray", "picture")
        expect(node(page, "xray")).to_be_visible()
        expect(node(other, "smoke")).to_be_visible()
        page.keyboard.press("Control+s")
        expect(page.get_by_text("Saved to asia.bayou.")).to_be_visible()
        other.keyboard.press("Control+s")
        expect(other.get_by_role("alert").last).to_have_text(re.compile("has changed on disk"))
        assert set(bayou.load(file).names) >= {"smoker", "xray"}
