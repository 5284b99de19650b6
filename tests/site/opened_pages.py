"""A page of the built site in a browser: what leaves the folder and what fails is a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Request

NARROW = (390, 844)


@contextmanager
def opened(
    browser: Browser, file: Path, size: tuple[int, int] = (1280, 800), **options: Any
) -> Iterator[Page]:
    """A page of the site; requests that leave the folder and scripts that fail are failures."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("requestfailed", lambda request: faults.extend(_not_loaded(request)))
    page.on(
        "request", lambda request: faults.extend(re.findall(r"^(?!file:|data:|blob:|about:).*", request.url))
    )
    page.goto(file.as_uri())
    yield page
    context.close()
    assert not faults


def _not_loaded(request: Request) -> list[str]:
    """What could not be loaded, unless the tab had already left the page."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"not loaded: {request.url}"]
