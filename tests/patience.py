"""How long tests wait for what must come.

Tests do not measure time: a wait ends when its event comes, and these seconds pass only where it never does.
So they are many, that no machine is too slow or too busy for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 300.0
"""Seconds for one event: a process that starts or ends, an answer, an element of a page."""


def until(is_so: Callable[[], Any], what: str) -> None:
    """Wait until something is so; ``what`` tells what was not."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.05)
