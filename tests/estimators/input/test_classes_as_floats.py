"""Classes that were stored as 0.0 and 1.0 are the same classes wherever the rows are."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import bayou
from bayou.sources.files import file_source


def _table(gaps: bool) -> dict[str, list[Any]]:
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 150)
    labels: list[Any] = y.astype(float).tolist()
    labels[5] = None if gaps else labels[5]
    start = datetime.date(2020, 1, 1)
    return {
        "label": labels,
        "a": random.choice(["u", "v"], 150).tolist(),
        "x": (random.normal(size=150) + y).tolist(),
        "born": [start + datetime.timedelta(days=k) for k in random.integers(0, 40, 150).tolist()],
    }


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kind", ["file", "database"])
@pytest.mark.parametrize("learner", [bayou.NaiveBayes, bayou.TAN, bayou.AODE, bayou.GenerativeClassifier])
def test_streamed_rows_have_the_classes_of_rows_in_memory(
    learner: Any, kind: str, gaps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _table(gaps)
    expected = learner().fit(table, "label")
    pl.DataFrame(table).write_parquet(path := tmp_path / "rows.parquet")
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 37)
    with duckdb.connect() as connection:
        rows = path if kind == "file" else bayou.from_sql(f"select * from '{path}'", connection)
        found = learner().fit(rows, "label")
    assert found.classes_.tolist() == expected.classes_.tolist() == [0, 1]
    some = {name: column[:20] for name, column in table.items() if name != "label"}
    assert np.allclose(found.predict_proba(some), expected.predict_proba(some), rtol=1e-6)
