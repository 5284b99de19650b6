"""Rows that do not fit into memory get the findings of a table in memory, whatever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.data_checks import streamed_facts
from bayou.data_checks.row_copies import RowHashes
from bayou.sources import Columns, read_columns
from bayou.sources.files import file_source
from bayou.statistics import value_histogram

ROWS = 900
_random = np.random.default_rng(4)
KIND = _random.integers(0, 2, ROWS)


def _ill() -> dict[str, Any]:
    """A table with most ailments."""
    heavy = np.exp(_random.normal(0, 2, ROWS)).round(3)
    pressure = _random.integers(60, 180, ROWS).astype(float)
    pressure[[3, 400, 700]] = -999
    size = _random.normal(5, 1, ROWS).round(2)
    size[[5, 650]] = [900.5, -880.5]
    text = ["yes ", "yes", "no", "n/a", "Yes"]
    table: dict[str, Any] = {
        "id": list(range(ROWS)),
        "heavy": heavy.tolist(),
        "pressure": pressure.tolist(),
        "size": size.tolist(),
        "answer": np.array(text)[_random.integers(0, 5, ROWS)].tolist(),
        "gaps": [None if k and _random.random() < 0.4 else 1 for k in KIND.tolist()],
        "unit": ["kg"] * ROWS,
        "leak": [("a", "b")[k] for k in KIND.tolist()],
        "twice": (2 * size).tolist(),
        "kind": [None if row in (11, 800) else ("ape", "bee")[k] for row, k in enumerate(KIND.tolist())],
    }
    for column in table.values():
        column[500] = column[850] = column[20]
    return table


ILL = _ill()
NEW = {**{name: column[:300] for name, column in ILL.items()}, "size": [9.25, 9.5] * 150}
NEW["answer"] = ["never"] * 300


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 60)


@pytest.mark.parametrize("kind", ["csv", "parquet", "batches"])
def test_the_findings_are_those_of_a_table_in_memory(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    data: list[Any] = []
    for number, table in enumerate((ILL, NEW)):
        frame, path = pl.DataFrame(table), tmp_path / f"{number}.{kind}"
        if kind == "parquet":
            frame.write_parquet(path)
        else:
            frame.write_csv(path)
        data.append(path if kind != "batches" else bayou.from_batches(partial(frame.iter_slices, 70)))
    tables = [pl.DataFrame(table) for table in (ILL, NEW)] if kind == "batches" else data
    expected = bayou.check(tables[0], "kind", other=tables[1], rows=None)
    request.getfixturevalue("large")
    found = bayou.check(data[0], "kind", other=data[1], rows=None)
    assert [(f.check, f.column, f.what, f.rows) for f in found] == [
        (f.check, f.column, f.what, f.rows) for f in expected
    ]
    for ailment in ("leakage suspect", "duplicate rows", "telling gaps", "drift", "outliers", "placeholders"):
        assert ailment in {finding.check for finding in found}, ailment


def test_only_the_first_rows_of_a_stream_are_read() -> None:
    seen = []

    def batches() -> Iterator[Any]:
        for number in range(100):
            seen.append(number)
            yield {"a": [number, number + 1]}

    report = bayou.check(bayou.from_batches(batches), rows=6)
    assert report.rows == 6
    assert report.more
    assert max(seen) < 10


def test_copies_are_found_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.data_checks.row_copies._ROWS_AT_ONCE", 10)
    cells = _random.integers(0, 40, 100).astype(np.uint64)
    rows = RowHashes()
    for first in range(0, 100, 30):
        rows.add([cells[first : first + 30]], len(cells[first : first + 30]))
    again = [row for row in range(100) if cells[row] in cells[:row]]
    assert rows.copies(4) == (len(again), tuple(again[:4]))


def test_very_many_different_numbers_are_counted_in_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_histogram, "MOST_ENTRIES", 500)
    monkeypatch.setattr(streamed_facts, "_SKETCH", 256)
    numbers = _random.normal(0, 1, (4, 2000))

    def tables() -> Iterator[Columns]:
        return (read_columns({"x": part.tolist()}) for part in numbers)

    (facts,) = streamed_facts.StreamedTable(tables).facts
    assert facts.bin_width > 0
    assert len(facts.values) <= 500
    assert facts.counts.sum() == 8000
    assert facts.distinct == pytest.approx(8000, rel=0.25)
    places = streamed_facts.places_of(facts, read_columns({"x": numbers[0].tolist()})["x"])
    assert np.abs(facts.values[places] - numbers[0]).max() <= facts.bin_width / 2
