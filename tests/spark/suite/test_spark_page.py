"""The page about Spark: its examples run, and show what they show."""

from __future__ import annotations

import doctest
from pathlib import Path

from tests.spark.java import session

PAGE = Path(__file__).resolve().parents[3] / "docs/do/data/spark.md"


def test_the_page_runs() -> None:
    session()
    tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried.attempted > 5
    assert not tried.failed
