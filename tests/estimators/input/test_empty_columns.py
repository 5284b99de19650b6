"""A column without any value says the same in every container: nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import bayou

CLASSIFIERS: dict[str, Any] = {
    "nb": bayou.NaiveBayes,
    "tan": bayou.TAN,
    "aode": bayou.AODE,
    "kdb": bayou.KDependence,
    "chow-liu": bayou.ChowLiuClassifier,
    "network": lambda: bayou.NetworkClassifier("y -> n; y -> empty; y -> c"),
}


def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "n": random.normal(size=40) + np.tile([0, 2], 20),
            "c": random.choice(list("xyz"), 40),
            "empty": [None] * 40,
            "y": ["p", "q"] * 20,
        }
    )


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_an_empty_column_beside_numbers_is_the_same_everywhere(name: str, tmp_path: Path) -> None:
    frame = table()
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    relation = duckdb.connect().from_df(frame)
    containers: list[Any] = [tmp_path / "t.csv", tmp_path / "t.parquet", relation]
    expected = CLASSIFIERS[name]().fit(frame, "y").predict_proba(frame)
    assert expected[:, 0].std() > 0.1
    for data in containers:
        assert (CLASSIFIERS[name]().fit(data, "y").predict_proba(frame) == expected).all()
