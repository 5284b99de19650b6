"""``ignore=``: columns of files and databases that are no data are not read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import bayou
from bayou.errors import BadData, UnknownVariable
from bayou.sources.files import file_source

TABLE = {"id": [f"n{k}" for k in range(60)], "x": ["a", "b", "b"] * 20, "y": ["u", "v"] * 30}


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow"])
def test_files(ending: str, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    path, frame = tmp_path / f"rows.{ending}", pl.DataFrame(TABLE)
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc}.get(
        ending, frame.write_ndjson
    )(path)
    rows = bayou.from_file(path, ignore=["id"])
    assert rows.names == ("x", "y")
    kept = {name: TABLE[name] for name in ("x", "y")}
    model = bayou.TAN().fit(rows, "y")
    assert (model.predict_proba(kept) == bayou.TAN().fit(kept, "y").predict_proba(kept)).all()
    assert (model.predict_proba(rows) == model.predict_proba(kept)).all()
    found = bayou.evaluate("nb", rows, "y", folds=3)["nb"]
    assert found.accuracy == bayou.evaluate("nb", pd.DataFrame(kept), "y", folds=3)["nb"].accuracy
    with pytest.raises(UnknownVariable, match=r"There is no variable 'ID' to ignore in .*Did you mean 'id'"):
        bayou.from_file(path, ignore="ID")
    with pytest.raises(BadData, match="leaves no column of"):
        bayou.from_file(path, ignore=["id", "x", "y"])


def test_databases() -> None:
    connection = sqlite3.connect(":memory:")
    pd.DataFrame(TABLE).assign(raw=b"0").to_sql("rows", connection, index=False)
    rows = bayou.from_sql("rows", connection, ignore=["id", "raw"])
    assert rows.names == ("x", "y")
    kept = {name: TABLE[name] for name in ("x", "y")}
    assert (
        bayou.TAN().fit(rows, "y").predict_proba(rows) == bayou.TAN().fit(kept, "y").predict_proba(kept)
    ).all()
    with pytest.raises(UnknownVariable, match="'Id'"):
        _ = bayou.from_sql("rows", connection, ignore="Id").names
