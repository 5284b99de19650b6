"""Every job on every kind of data gives what it gives on a table in memory, or is refused with a remedy.

The page 'what runs where' says which; these tests hold it to that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.jobs import JOBS
from tests.conformance.kinds_of_data import KINDS, data_of, is_run
from tests.conformance.what_runs_where import words_of_page

import bayou

__all__ = ["data_of"]  # the fixture


@cache
def _expected(job: str) -> list[Any]:
    return JOBS[job].run(JOBS[job].table)


def _require_same(found: list[Any], expected: list[Any]) -> None:
    """Equal, numbers up to the rounding of sums over batches."""
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, np.ndarray | float):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
        else:
            assert ours == theirs


@pytest.mark.filterwarnings("error:.*which this data does not give:bayou.BayouWarning")  # a simpler model
@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize(
    ("job", "kind"), [(job, kind) for job in JOBS for kind in KINDS if is_run(job, kind)]
)
def test_the_page_says_how_a_job_ends(job: str, kind: str, data_of: Callable[..., Any]) -> None:
    try:
        found = JOBS[job].run(data_of(kind, JOBS[job].table))
        word = "tested"
    except (bayou.BayouError, bayou.BayouWarning):
        word = "refused"
    if word == "tested":
        _require_same(found, _expected(job))
    if folder := os.environ.get("BAYOU_WORDS"):
        name = f"{list(JOBS).index(job)}-{list(KINDS).index(kind)}.json"
        (Path(folder) / name).write_text(json.dumps([job, kind, word]), encoding="utf-8")
    else:
        assert words_of_page()[job, kind] == word
