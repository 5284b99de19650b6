"""A column with the weights of rows: the same statistics as of the same weighted table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.database_tables import duckdb_source, postgres_source, sqlite_source

import bayou
from bayou.errors import BadData, UnknownVariable
from bayou.sources import open_source
from bayou.statistics import (
    CountTable,
    DistinctRows,
    MissingCounts,
    Moments,
    NumberSummary,
    PairCounts,
    RowSample,
    ValueHistogram,
)
from bayou.statistics.matrix.class_moments import MomentsByClass

SOURCES = {"duckdb": duckdb_source, "sqlite": sqlite_source, "postgres": postgres_source}
_random = np.random.default_rng(9)
ROWS = 600
CLASS = _random.integers(0, 3, ROWS)
WEIGHTS: dict[str, list[Any]] = {
    "whole": [int(each) for each in _random.integers(0, 4, ROWS)],
    "real": [float(each) for each in _random.integers(1, 9, ROWS) / 4],
}
DATA: dict[str, list[Any]] = {
    "y": ["abc"[each] for each in CLASS],
    "s": [None if k % 40 == 3 else "uvwx"[each] for k, each in enumerate((CLASS + 1) % 4)],
    "i": [int(each) for each in _random.integers(0, 5, ROWS)],
    "f": [
        None if k % 31 == 5 else float(each) for k, each in enumerate(1e6 + CLASS + _random.normal(size=ROWS))
    ],
}
TABLES = {kind: {**DATA, "w": weights} for kind, weights in WEIGHTS.items()}
EXACT: list[Any] = [
    CountTable(("y", "s")),
    CountTable(()),
    PairCounts(("s", "i"), ("y",)),
    DistinctRows(("y", "s", "i")),
    ValueHistogram("f", ("y",)),
    MissingCounts(("s", "f")),
    NumberSummary("i"),
]
SUMS: list[Any] = [Moments(("f",), ("y",)), MomentsByClass(("f",), "y", "columns")]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("transport", ["cells", "rows", "auto"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_weighted_statistics(source: str, transport: Any, weights: str, tmp_path: Path) -> None:
    table = TABLES[weights]
    found = SOURCES[source](table, tmp_path, transport=transport, weights="w").collect([*EXACT, *SUMS])
    expected = open_source(DATA, weights=table["w"]).collect([*EXACT, *SUMS])
    assert found.rows == expected.rows
    for request in EXACT:
        assert found[request] == expected[request], request
    for request in SUMS:
        assert np.allclose(found[request].n, expected[request].n, rtol=1e-12)
        assert np.allclose(found[request].mean, expected[request].mean, rtol=1e-12)
        assert np.allclose(found[request].scatter, expected[request].scatter, rtol=1e-9)


@pytest.mark.parametrize("source", ["duckdb", "postgres"])
def test_weights_in_grouping_sets(source: str, tmp_path: Path) -> None:
    requests = [request for request in EXACT if not isinstance(request, MissingCounts | NumberSummary)]
    rows = SOURCES[source](TABLES["real"], tmp_path, weights="w")
    found = rows._counted_in_cells(requests, grouping_sets=True)
    expected = open_source(DATA, weights=WEIGHTS["real"]).collect(requests)
    assert all(found[request] == expected[request] for request in requests)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("transport", ["cells", "rows"])
def test_models_of_weighted_rows(source: str, transport: Any, tmp_path: Path) -> None:
    """Whole weights: as if each row occurred so often."""
    rows = SOURCES[source](TABLES["whole"], tmp_path, transport=transport, weights="w")
    assert rows.names == tuple(DATA)
    often = np.repeat(np.arange(ROWS), WEIGHTS["whole"])
    repeated = {name: [column[k] for k in often] for name, column in DATA.items()}
    found, expected = (bayou.Network("y -> s; y -> i").fit(data) for data in (rows, repeated))
    for state in "abc":
        assert found.query("y | s=v")[state] == pytest.approx(expected.query("y | s=v")[state], abs=1e-9)
    found, expected = (bayou.TAN().fit(data, "y") for data in (rows, repeated))
    assert np.allclose(found.predict_proba(DATA), expected.predict_proba(DATA), atol=1e-9)


def test_a_weighted_sample_of_rows(tmp_path: Path) -> None:
    request = RowSample(("y", "i"))
    cells = duckdb_source(TABLES["whole"], tmp_path, transport="cells", weights="w").collect([request])[
        request
    ]
    rows = duckdb_source(TABLES["whole"], tmp_path, transport="rows", weights="w").collect([request])[request]
    assert (cells.hashes == rows.hashes).all()
    assert (cells.weights == rows.weights).all()


BAD = {
    "NULL": (None, r"NULL or NaN|has the weight nan"),
    "negative": (-1.5, r"negative weight|has the weight -1\.5"),
    "NaN": (float("nan"), r"NULL or NaN|has the weight nan"),
    "infinite": (float("inf"), r"infinite|has the weight inf"),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("transport", ["cells", "rows"])
@pytest.mark.parametrize("bad", BAD)
def test_bad_weights_are_named(source: str, transport: Any, bad: str, tmp_path: Path) -> None:
    value, message = BAD[bad]
    table = {"y": ["a", "b", "a"], "w": [0.5, value, 1.0]}
    rows = SOURCES[source](table, tmp_path, transport=transport, weights="w")
    with pytest.raises(BadData, match=message) as problem:
        rows.collect([CountTable(("y",))])
    assert "'w'" in str(problem.value)


def test_weights_must_be_a_column_of_numbers(tmp_path: Path) -> None:
    with pytest.raises(UnknownVariable, match="weigth"):
        duckdb_source(TABLES["real"], tmp_path, weights="weigth").names  # noqa: B018
    with pytest.raises(BadData, match="weights='s': the column of The table rows must hold numbers"):
        duckdb_source(TABLES["real"], tmp_path, weights="s").names  # noqa: B018
