"""Damaged files and texts are read or refused with an error of bayou's: no other error, no hang, no flood.

The damage is random but seeded: the same inputs every time, about a minute in all. More of it, with other
seeds: ``BAYOU_FUZZ=20 python -m pytest tests/fuzz`` (or ``make fuzz``) gives every reader 20 times as many.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.fuzz.readers import READERS

pytestmark = pytest.mark.fuzz
TIMES = int(os.environ.get("BAYOU_FUZZ", "1"))
LONGEST = 60
"""Seconds after which an input has hung its reader; usual are milliseconds."""


@contextmanager
def no_hang() -> Iterator[None]:
    def hung(*details: Any) -> None:
        raise AssertionError(f"the reader was still busy after {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
def test_damaged_input_is_read_or_refused(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    refused = 0
    for case in range(reader.cases * TIMES):
        given = reader.damaged(Random(f"{name} {case}"), tmp_path)
        try:
            with warnings.catch_warnings(), no_hang():
                warnings.simplefilter("ignore")
                reader.read(given)
        except reader.refusals:
            refused += 1
        except Exception as error:
            raise AssertionError(
                f"case {case} of {name}: {error!r}, which is not an error of bayou's"
            ) from error
    assert refused  # damage that no reader notices would be no test
