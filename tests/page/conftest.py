"""The tests in a browser need Playwright and chromium; where a skip is a failure, they must be there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MISSING = not find_spec("playwright") or shutil.which("chromium") is None
collect_ignore_glob = (
    ["*in_browser.py", "browsing.py", "test_one_file.py"]
    if MISSING and not os.environ.get("BAYOU_NO_SKIPS")
    else []
)


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """A server without a file, as users start it."""
    from tests.server.running_server import running

    with running("explore", "--no-browser") as server:
        yield f"{server.address}/?token={server.token}"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all files of this folder; other tests must not find its event loop in their thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    from tests.page.browsing import tab

    with tab(browser, address) as opened:
        yield opened
