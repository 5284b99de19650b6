"""The screenshot of the explorer: ``python docs/pictures/explorer.py`` (needs playwright and chromium)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZE = {"width": 900, "height": 760}
PART = {"x": 80, "y": 136, "width": 820, "height": 410}
"""What of the window is kept: words in it can be read where the first page shows it."""


def main() -> None:
    """Open asia, say that the X-ray is abnormal and the patient smokes, ask why lung; keep the picture."""
    sys.path.insert(0, str(ROOT))
    from playwright.sync_api import sync_playwright
    from tests.server.running_server import running

    with running("explore", "--no-browser") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=2)
        page.goto(f"{server.address}/?token={server.token}")
        page.get_by_role("button", name="Asia").first.click()
        for name in ("xray = yes", "smoke = yes"):
            page.get_by_role("button", name=name).first.click()
        page.get_by_text("Probability of these findings").wait_for()
        page.get_by_role("button", name="Why lung?").first.click()
        page.get_by_text("Along these trails").wait_for()
        page.wait_for_timeout(500)
        page.mouse.move(900, 700)
        page.screenshot(path=Path(__file__).with_name("explorer.png"), clip=PART)
        browser.close()


if __name__ == "__main__":
    main()
