"""``states=`` of a classifier keeps texts and dates what they are, whatever they spell."""

from __future__ import annotations

import datetime
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayou

DAYS = ["2024-02-29", "1999-12-31"]
TABLE = {"day": DAYS * 10, "size": ["1", "2", "2", "1"] * 5, "y": ["a", "b"] * 8 + ["b", "a"] * 2}
STATES = {"day": [*DAYS, "2000-01-01"], "size": ["1", "2", "3"]}


def _data(kind: str, folder: Path) -> Any:
    frame = pd.DataFrame(TABLE)
    if kind == "csv":
        frame.to_csv(folder / "rows.csv", index=False)
        return folder / "rows.csv"
    if kind == "sqlite":
        connection = sqlite3.connect(":memory:")
        frame.to_sql("rows", connection, index=False)
        return bayou.from_sql("rows", connection)
    return {"frame": frame, "columns": TABLE, "rows": frame.to_dict("records")}[kind]


@pytest.mark.parametrize("kind", ["frame", "columns", "rows", "csv", "sqlite"])
@pytest.mark.parametrize("model", [bayou.NaiveBayes, bayou.TAN, bayou.AODE])
def test_texts_are_states(model: Any, kind: str, tmp_path: Path) -> None:
    fitted = model(states=STATES).fit(_data(kind, tmp_path), "y")
    kinds = {name: pd.CategoricalDtype(states) for name, states in STATES.items()}
    expected = model().fit(pd.DataFrame(TABLE).astype(kinds), "y")
    categories = pd.DataFrame({"day": [DAYS[0]], "size": ["2"]}).astype(kinds)
    row = {"day": [DAYS[0]], "size": ["2"]}
    assert fitted.predict_proba(row) == pytest.approx(expected.predict_proba(categories), abs=1e-12)
    assert fitted.predict_proba(pd.DataFrame(row)) == pytest.approx(fitted.predict_proba(row), abs=1e-12)
    assert fitted.predict_proba(_data(kind, tmp_path)) == pytest.approx(
        fitted.predict_proba(pd.DataFrame(TABLE)), abs=1e-12
    )
    assert fitted.explain({"day": DAYS[0], "size": "2"}) is not None


def test_dates_are_states() -> None:
    days = [datetime.date.fromisoformat(day) for day in DAYS]
    model = bayou.NaiveBayes(states={"day": days}).fit({"day": days * 10, "y": TABLE["y"]}, "y")
    assert model.predict({"day": days}).tolist() == ["a", "b"]
