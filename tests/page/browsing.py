"""What the tests in a browser have in common: a page, and the things in it by role and visible name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.patience import PATIENCE

OVERLAPS = (Path(__file__).parent / "overlaps.js").read_text(encoding="utf-8")
PICTURES = os.environ.get("BAYOU_PICTURES", "")
"""A folder for screenshots, for those who want to look at the page; CI keeps them there."""
SIZES = ((1280, 800), (1920, 1080), (390, 844))
expect.set_options(timeout=1000 * PATIENCE)


@contextmanager
def tab(browser: Browser, address: str, size: tuple[int, int] = SIZES[0]) -> Iterator[Page]:
    """A page in a context of its own; scripts that fail and dialogs that names open are failures."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("filechooser", lambda _: None)  # from now on: a key that opens one may be faster than who waits
    page.goto(address)
    yield page
    context.close()
    assert not faults


def choose(page: Page, network: str | Path) -> None:
    """Open a network of the gallery, or a file."""
    if isinstance(network, Path):
        page.get_by_label("Network file").set_input_files(network)
        expect(page.get_by_role("tablist")).to_be_visible()
        return
    exhibits = page.get_by_role("list", name="Networks to start from")
    exhibits.get_by_role("button", name=re.compile(f"^{re.escape(network)}")).click()
    expect(page.get_by_role("tablist")).to_be_visible()


def type_rows(page: Page, text: str) -> None:
    """The rows of a new variable, as text behind its disclosure."""
    area = page.get_by_label("Probabilities as text")
    if not area.is_visible():
        page.get_by_text("Type or paste as text").click()
    area.fill(text)


def bar(page: Page, state: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{re.escape(state)}:"))


def findings(page: Page) -> Locator:
    return page.get_by_role("list", name="Findings").get_by_role("listitem")


def find_by_menu(page: Page) -> None:
    """Findings of Asia that need the menu: xray not no, lung set to yes, bronc weighed yes ×1, no ×0.2."""
    bar(page, "xray = no").click(button="right")
    page.get_by_role("menuitemcheckbox", name="Not no").click()
    page.get_by_role("button", name="More about lung").click()
    page.get_by_role("menuitem", name="Set by intervention").click()
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("button", name="Set finding").click()
    page.get_by_role("button", name="More about bronc").click()
    page.get_by_role("menuitem", name="Likelihood").click()
    page.get_by_role("textbox", name="no").fill("1/5")
    page.keyboard.press("Enter")


def held(page: Page) -> str:
    """The name of what has the keyboard."""
    return str(page.evaluate("document.activeElement.getAttribute('aria-label')"))


def picture(page: Page, name: str, *, whole: bool = False) -> None:
    """A screenshot of the window, or of the whole page, if somebody wants to look at it."""
    if PICTURES:
        page.wait_for_timeout(300)
        page.screenshot(path=Path(PICTURES, f"{name}.png"), full_page=whole)
