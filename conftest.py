"""What all tests share: those of tests/, the pages of docs/ and the examples of docstrings."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

collect_ignore = ["docs/do/data/spark.md"]  # run by tests/spark, which has Java and a session


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    """Close the figures of a test, of which matplotlib would hold any number."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
