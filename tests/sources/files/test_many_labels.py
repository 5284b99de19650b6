"""Files with more distinct texts than memory allows: labels are forgotten, answers are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import TooWide
from bayou.sources import open_source
from bayou.sources.files import file_source
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_part import FilePart, RowChoice
from bayou.sources.row_tables import read_source
from bayou.statistics import CountTable

ROWS = 6_000
_random = np.random.default_rng(5)
FRAME = pl.DataFrame(
    {
        "id": [f"a person with the number {k:05d}" for k in range(ROWS)],
        "some": [f"one of a thousand: {k}" for k in _random.integers(0, 1000, ROWS)],
        "few": _random.choice(["x", "y"], ROWS),
        "text": [f"words of row {k} and {'more' * (k % 7)}" for k in range(ROWS)],
    }
)
LITTLE = 2**20
"""A limit of memory under which labels are forgotten after about 30 KB."""


@pytest.fixture(params=["parquet", "csv", "jsonl"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    found = tmp_path / f"t.{request.param}"
    writers = {"parquet": FRAME.write_parquet, "csv": FRAME.write_csv}
    writers.get(request.param, FRAME.write_ndjson)(found)
    return found


def test_labels_are_forgotten_and_rows_stay_the_same(path: Path) -> None:
    with bayou.limits(memory=LITTLE):
        parts = list(open_file(path).batches(None, (), 1000))
        joined, _ = read_source(open_source(path))
    largest = max(len(part.coded("id").labels) for part in parts)
    assert largest < ROWS / 4  # without forgetting, the last batch has all
    assert sum(part.rows for part in parts) == ROWS
    for name in FRAME.columns:
        rows = [value for part in parts for value in part.coded(name).values()]
        assert rows == FRAME[name].to_list()
        assert list(joined.coded(name).values()) == rows


def test_counts_over_forgotten_labels_add_up(path: Path) -> None:
    asked = CountTable(("few", "some"))
    expected = open_source(FRAME).collect([asked])[asked]
    with bayou.limits(memory=LITTLE * 4):
        found = open_source(path).collect([asked])[asked]
    assert found.axes == expected.axes
    assert found.values.tolist() == expected.values.tolist()


def test_a_column_of_identifiers_is_refused_by_name(path: Path) -> None:
    net = bayou.Network("few -> id").fit({"few": ["x", "y"], "id": ["p", "q"]})
    before = str(net.statistics["id"])
    with (
        bayou.limits(memory=LITTLE),
        pytest.raises(TooWide, match=r"column 'id' has [\d,]+ distinct values so far.*Leave the column out"),
    ):
        net.partial_fit(path)
    assert str(net.statistics["id"]) == before
    with bayou.limits(memory=LITTLE):
        assert bayou.Network("few").fit(path).statistics["few"].total == ROWS  # needs no identifiers


def test_folds_of_a_file_with_forgotten_labels(path: Path) -> None:
    part = FilePart(open_file(path), RowChoice(np.arange(ROWS) % 2, 0, inside=True))
    with bayou.limits(memory=LITTLE):
        rows = [value for batch in part.batches(["id"], (), 1000) for value in batch.coded("id").values()]
    assert rows == FRAME["id"].to_list()[::2]
