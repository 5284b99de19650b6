"""Naive Bayes may count dates, amounts and other numbers as they are: one model wherever the rows are."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.sources.files import file_source

ROWS = 150
_random = np.random.default_rng(8)
_late = _random.integers(0, 2, ROWS)
TABLE: dict[str, list[Any]] = {
    "day": [datetime.date(2024, 1, 1 + int(k)) for k in _random.integers(0, 9, ROWS) + 5 * _late],
    "text": [f"2024-02-{1 + k:02}" for k in _random.integers(0, 9, ROWS) + 5 * _late],
    "hour": [datetime.datetime(2024, 1, 1, int(k)) for k in _random.integers(0, 9, ROWS)],
    "price": [f"${k}.50" for k in _random.integers(0, 9, ROWS) + 2 * _late],
    "height": (_random.integers(0, 9, ROWS) / 4).tolist(),
    "y": ["late" if k else "soon" for k in _late],
}
TABLE["day"][3] = TABLE["text"][4] = TABLE["price"][5] = None
FRAME = pd.DataFrame(TABLE)


def _parts() -> Iterator[pd.DataFrame]:
    for first in range(0, ROWS, 37):
        yield FRAME.iloc[first : first + 37]


@pytest.mark.parametrize("kind", ["CSV", "Parquet", "batches", "relation", "database"])
def test_single_days_are_counted_wherever_the_rows_are(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 37)
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    FRAME.to_parquet(tmp_path / "rows.parquet", index=False)
    with duckdb.connect() as connection:
        query = f"select * from '{tmp_path}/rows.parquet'"
        rows = {
            "CSV": lambda: tmp_path / "rows.csv",
            "Parquet": lambda: tmp_path / "rows.parquet",
            "batches": lambda: bayou.from_batches(_parts),
            "relation": lambda: connection.sql(query),
            "database": lambda: bayou.from_sql(query, connection),
        }[kind]()
        found = bayou.NaiveBayes("table").fit(rows, "y")
    expected = bayou.NaiveBayes("table").fit(FRAME, "y")
    assert np.array_equal(found.predict_proba(FRAME), expected.predict_proba(FRAME))
    for name in ("day", "text", "price", "height"):  # each of them says something
        others = FRAME.assign(**{name: [None] * ROWS})
        assert not np.allclose(found.predict_proba(others), expected.predict_proba(FRAME), atol=1e-3)
