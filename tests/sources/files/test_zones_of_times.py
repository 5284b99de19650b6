"""Points in time as pandas, polars, duckdb and PostgreSQL write them to text files: all are times."""

from __future__ import annotations

import datetime
from pathlib import Path

import polars as pl
import pytest

import bayou
from bayou.sources.tables.read_columns import column_batches, read_columns

UTC = datetime.timezone.utc


@pytest.mark.parametrize("zone", ["+01", "+0100", "+01:00"])
@pytest.mark.parametrize("fraction", ["", ".5", ".500000000"])
def test_zones_are_read_whole_and_in_batches(zone: str, fraction: str, tmp_path: Path) -> None:
    cells = [f"2024-02-29 0{hour}:00:00{fraction}{zone}" for hour in (1, 2)]
    (tmp_path / "t.csv").write_text("when,y\n" + "".join(f"{cell},a\n" for cell in cells))
    half = 500_000 if fraction else 0
    expected = [datetime.datetime(2024, 2, 29, hour, 0, 0, half, UTC) for hour in (0, 1)]
    assert read_columns(tmp_path / "t.csv")["when"].values() == expected
    batches = column_batches(tmp_path / "t.csv", batch_rows=1)
    assert [value for batch in batches for value in batch["when"].values()] == expected


def test_a_model_of_a_parquet_file_reads_the_csv_file_that_polars_writes(tmp_path: Path) -> None:
    days = [datetime.datetime(2024, 2, 1), datetime.datetime(2024, 6, 1)] * 10
    frame = pl.DataFrame({"when": pl.Series(days, dtype=pl.Datetime("ns")), "y": ["yes", "no"] * 10})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    assert ".000000000" in (tmp_path / "t.csv").read_text()
    model = bayou.NaiveBayes().fit(tmp_path / "t.parquet", "y")
    found = model.predict_proba(tmp_path / "t.csv")
    assert found.tolist() == model.predict_proba(frame).tolist()
    assert model.predict(tmp_path / "t.csv").tolist() == frame["y"].to_list()
