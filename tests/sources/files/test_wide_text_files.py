"""Text files of many columns and few rows: duckdb needs memory for each column, however few its rows."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import bayou
from bayou.errors import BadFile
from bayou.sources.files import duckdb_reading
from bayou.sources.output.imputed_file import write_appended
from bayou.sources.tables.read_columns import column_batches, read_columns

COLUMNS = 3_000
ROWS = 60


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    draw = random.Random(1)
    lines = [",".join(f"v{k}" for k in range(COLUMNS))]
    lines += [",".join(draw.choice("abc") for _ in range(COLUMNS)) for _ in range(ROWS)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "wide.csv"


def test_many_columns_are_read_within_little_memory(wide: Path) -> None:
    with bayou.limits(memory="500 MB"):
        whole = read_columns(wide)
        batches = list(column_batches(wide, batch_rows=25))
    assert [batch.rows for batch in batches] == [25, 25, 10]
    for name in ("v0", "v2999"):
        assert [v for batch in batches for v in batch[name].values()] == whole[name].values()


def test_batches_are_those_of_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [["x", "", "1.5", "2024-02-29"], ["y", "3", "7", ""], ["x", "4", "", "2024-03-01"]] * 4
    text = "a,b,c,d\n" + "".join(",".join(row) + "\n" for row in cells)
    (tmp_path / "t.csv").write_text(text)
    before = list(column_batches(tmp_path / "t.csv", batch_rows=5))
    monkeypatch.setattr(duckdb_reading, "_COLUMN_BYTES", 2**40)
    after = list(column_batches(tmp_path / "t.csv", batch_rows=5))
    assert [batch.rows for batch in after] == [5, 5, 2]
    for one, other in zip(before, after, strict=True):
        assert one["a"].labels == other["a"].labels
        assert one["d"].values() == other["d"].values()
        for name in ("b", "c"):
            assert np.array_equal(one.numbers(name), other.numbers(name), equal_nan=True)
            assert (one[name].kind, one[name].integral) == (other[name].kind, other[name].integral)


def test_predictions_are_written_beside_many_columns(wide: Path, tmp_path: Path) -> None:
    with bayou.limits(memory="640 MB"):
        rows = write_appended(wide, tmp_path / "out.parquet", ["p"], ["DOUBLE"], [[np.arange(60.0)]])
        assert rows == ROWS
        assert pq.read_schema(tmp_path / "out.parquet").names[-2:] == ["v2999", "p"]
        with (
            bayou.limits(memory="300 MB"),
            pytest.raises(BadFile, match="or write Parquet, which"),
        ):
            write_appended(wide, tmp_path / "out.csv", ["p"], ["DOUBLE"], [[np.arange(60.0)]])


def test_the_message_fits_text_files() -> None:
    told = str(duckdb_reading._bad_file("t.csv", "Out of Memory Error: failed", {}))
    assert "name fewer columns" in told
    assert "row groups" not in told
