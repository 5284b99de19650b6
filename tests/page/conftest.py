"""The tests in a browser are collected where Playwright and chromium are installed."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

CHROMIUM = shutil.which("chromium")

collect_ignore = (
    [] if find_spec("playwright") and CHROMIUM and shutil.which("node") else ["test_in_browser.py"]
)
