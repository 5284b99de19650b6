"""The site is built once for each process of the tests, and looked at as files: there is no server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MISSING = not find_spec("playwright") or shutil.which("chromium") is None
NO_FORMULAS = not find_spec("latex2mathml")
if os.environ.get("BAYOU_NO_SKIPS"):
    MISSING = NO_FORMULAS = False
collect_ignore_glob = (
    ["test_builder.py", "*in_browser.py"] if NO_FORMULAS else ["*in_browser.py"] if MISSING else []
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    if NO_FORMULAS:
        pytest.skip("needs latex2mathml")
    from docs.builder.build import build

    folder = tmp_path_factory.mktemp("site") / "site"
    assert build(folder) == []
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()
