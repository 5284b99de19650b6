"""The tests in a browser need Playwright and chromium; where a skip is a failure, they must be there."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

MISSING = not find_spec("playwright") or shutil.which("chromium") is None
collect_ignore = ["test_in_browser.py"] if MISSING and not os.environ.get("BAYOU_NO_SKIPS") else []
