"""The page of the API in a browser: made from openapi.json, searchable, readable at every size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browsing import SIZES, picture, tab
from tests.server.running_server import running


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with tokens below a path: the page of the API is open to everybody, and links are relative."""
    import bayou

    file = tmp_path_factory.mktemp("docs") / "asia.bif"
    bayou.examples.asia().save(file)
    with running("serve", str(file), "--port", "0", "--prefix", "/models", BAYOU_TOKENS="ward=x") as server:
        yield f"{server.address}/models/docs"


def test_addresses_and_forms_are_found_and_linked(browser: Browser, docs: str) -> None:
    with tab(browser, docs) as page:
        expect(page.get_by_role("heading", name="POST /v1/models/{model}/query")).to_be_visible()
        search = page.get_by_role("searchbox", name="Search the addresses and forms")
        search.fill("separation two variables")
        expect(page.get_by_role("status")).to_contain_text("found.")
        expect(page.get_by_role("heading", name="POST /v1/models/{model}/query")).to_be_hidden()
        page.get_by_role("link", name="SeparationRequest").click()
        expect(page.get_by_role("heading", name="SeparationRequest")).to_be_in_viewport()
        search.fill("weights")
        expect(page.get_by_role("heading", name="Finding", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_is_cut_off(browser: Browser, docs: str, size: tuple[int, int], scheme: Any) -> None:
    with tab(browser, docs, size) as page:
        page.emulate_media(color_scheme=scheme)
        expect(page.get_by_role("heading", name="POST /v1/models/{model}/query")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        picture(page, f"docs-{size[0]}-{scheme}")
