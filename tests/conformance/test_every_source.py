"""One suite over every kind of data: the same table must give the same statistics to the last bit."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from tests.conformance.list_source import ListSource

import bayou
from bayou.errors import BadData, UnknownVariable
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.files import file_source as file
from bayou.statistics import (
    CachedSource,
    CountTable,
    DistinctRows,
    GroupMoments,
    MissingCounts,
    Moments,
    NumberSummary,
    PairCounts,
    Request,
    RowSample,
    SampledRows,
    Statistics,
    ValueHistogram,
    WordCounts,
)

NAMES = ("Größe der Stadt", "rain, or not", "age", "height")
ROWS = 500
_random = np.random.default_rng(7)
CITY = [
    None if u < 0.1 else str(v)
    for u, v in zip(_random.random(ROWS), _random.choice(["klein", "groß", "a b"], ROWS), strict=True)
]
RAIN = [
    None if u < 0.05 else str(v)
    for u, v in zip(_random.random(ROWS), _random.choice(["yes", "no"], ROWS), strict=True)
]
AGE = [int(v) for v in _random.integers(0, 5, ROWS)]
HEIGHT = [
    None if u < 0.1 else float(v)
    for u, v in zip(_random.random(ROWS), _random.normal(170.5, 9, ROWS), strict=True)
]
TABLE: dict[Any, list[Any]] = dict(zip(NAMES, (CITY, RAIN, AGE, HEIGHT), strict=True))
REQUESTS: list[Request] = [
    CountTable(("Größe der Stadt",)),
    CountTable(("rain, or not", "Größe der Stadt")),
    CountTable(("age", "rain, or not", "Größe der Stadt")),
    CountTable(()),
    PairCounts(("age", "rain, or not", "Größe der Stadt")),
    PairCounts(("age", "Größe der Stadt"), ("rain, or not",)),
    Moments(("height",)),
    Moments(("height",), ("rain, or not", "age")),
    DistinctRows(("age", "Größe der Stadt", "rain, or not")),
    RowSample(("Größe der Stadt", "height"), size=100),
    RowSample(("height", "age", "rain, or not")),
    ValueHistogram("height", ("rain, or not",)),
    ValueHistogram("age"),
    WordCounts("Größe der Stadt", ("rain, or not",)),
    MissingCounts(("height", "Größe der Stadt", "age")),
    NumberSummary("age"),
    NumberSummary("height"),
]


def _rows() -> list[dict[Any, Any]]:
    return [{name: TABLE[name][k] for name in NAMES if TABLE[name][k] is not None} for k in range(ROWS)]


def _objects() -> np.ndarray[Any, Any]:
    array = np.empty((ROWS, 4), dtype=object)
    for position, name in enumerate(NAMES):
        array[:, position] = TABLE[name]
    return array


def _csv(folder: Path, name: str = "table.csv") -> Path:
    path = folder / name
    text = pd.DataFrame(TABLE).to_csv(index=False)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def _parquet(folder: Path) -> Path:
    path = folder / "table.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    return path


KINDS: dict[str, Callable[[Path], Any]] = {
    "dict of lists": lambda _: TABLE,
    "dict of arrays": lambda _: {name: np.array(column, dtype=object) for name, column in TABLE.items()},
    "permuted columns": lambda _: {name: TABLE[name] for name in reversed(NAMES)},
    "list of dicts": lambda _: _rows(),
    "list of tuples": lambda _: [tuple(TABLE[name][k] for name in NAMES) for k in range(ROWS)],
    "numpy objects": lambda _: _objects(),
    "pandas": lambda _: pd.DataFrame(TABLE),
    "pandas objects": lambda _: pd.DataFrame(TABLE, dtype=object),
    "pandas categories": lambda _: pd.DataFrame(TABLE).astype(dict.fromkeys(NAMES[:2], "category")),
    "pandas nullable": lambda _: pd.DataFrame(TABLE).convert_dtypes(),
    "polars": lambda _: pl.DataFrame(TABLE),
    "polars lazy": lambda _: pl.DataFrame(TABLE).lazy(),
    "arrow": lambda _: pa.table(TABLE),
    "arrow chunks": lambda _: pa.concat_tables([pa.table(TABLE).slice(0, 123), pa.table(TABLE).slice(123)]),
    "duckdb relation": lambda folder: duckdb.read_parquet(str(_parquet(folder))),
    "csv": _csv,
    "csv gzipped": lambda folder: _csv(folder, "table.csv.gz"),
    "parquet": _parquet,
    "csv streamed": _csv,
    "csv gzipped, streamed": lambda folder: _csv(folder, "table.csv.gz"),
    "parquet streamed": _parquet,
    "a stranger's source": lambda _: ListSource(TABLE, ROWS),
    "a stranger's source, streamed": lambda _: ListSource(TABLE),
}
NEEDS_NAMES = ("list of tuples", "numpy objects")


@pytest.fixture(autouse=True)
def _stream_where_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = request.node.callspec.params.get("kind", "") if hasattr(request.node, "callspec") else ""
    if kind.endswith("streamed"):
        monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file, "BATCH_ROWS", 123)


def _collect(data: Any, kind: str) -> Statistics:
    return open_source(data, columns=NAMES if kind in NEEDS_NAMES else None).collect(REQUESTS)


def _require_same(found: Any, expected: Any, exact: bool) -> None:
    """Equal answers; sums of reals over batches round in another order."""
    if isinstance(expected, GroupMoments):
        found = found.aligned(expected.groups)
        assert np.array_equal(found.n, expected.n)
        for ours, theirs in ((found.mean, expected.mean), (found.scatter, expected.scatter)):
            assert np.array_equal(ours, theirs) if exact else np.allclose(ours, theirs, rtol=1e-12, atol=0)
    elif isinstance(expected, SampledRows):
        assert np.array_equal(found.hashes, expected.hashes)
        assert np.array_equal(found.weights, expected.weights)
        assert found.values == expected.values
    else:
        assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_statistics_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    expected, found = _collect(TABLE, "dict of lists"), _collect(KINDS[kind](tmp_path), kind)
    assert found.rows == expected.rows
    for request in REQUESTS:
        _require_same(found[request], expected[request], exact=not kind.endswith("streamed"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_each_request_can_be_asked_alone(request_: Request, kind: str, tmp_path: Path) -> None:
    source = open_source(KINDS[kind](tmp_path), columns=NAMES if kind in NEEDS_NAMES else None)
    expected = open_source(TABLE).collect([request_])
    _require_same(source.collect([request_])[request_], expected[request_], not kind.endswith("streamed"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_network_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    # Sums of reals over batches round in another order; counts never do.
    reals = "" if kind.endswith("streamed") else "; 'rain, or not' -> height"
    arrows = f"age -> 'rain, or not'; 'Größe der Stadt' -> 'rain, or not'{reals}"
    names = NAMES if kind in NEEDS_NAMES else None
    expected = bayou.Network(arrows).fit(TABLE)
    assert bayou.Network(arrows).fit(KINDS[kind](tmp_path), columns=names).same_as(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_by_hand(kind: str, tmp_path: Path) -> None:
    counts = _collect(KINDS[kind](tmp_path), kind)[REQUESTS[1]]
    for i, rain in enumerate(counts.axes[0].states):
        for j, city in enumerate(counts.axes[1].states):
            assert counts.values[i, j] == sum(
                a == rain and b == city for a, b in zip(RAIN, CITY, strict=True)
            )


def test_a_source_decides_its_names_and_weights_for_itself() -> None:
    source = ListSource(TABLE)
    assert open_source(source) is source
    assert open_source(source, names=NAMES[:2]) is source
    with pytest.raises(BadData, match="columns= is for data without names"):
        open_source(source, columns=NAMES)
    with pytest.raises(BadData, match="weights= is for tables and files"):
        open_source(source, weights="age")
    with pytest.raises(UnknownVariable, match="'rain'"):
        open_source(source, names=["rain"])


def test_numbers_of_a_source_may_be_declared_as_states() -> None:
    cuts = Variable("height", cuts=[160, 170])
    request = CountTable(("height", "age"))
    found, expected = (
        open_source(data, variables=[cuts], declared=[cuts.name]).collect([request])[request]
        for data in (ListSource(TABLE), TABLE)
    )
    assert found == expected
    with pytest.raises(BadData, match="'height' has real numbers, which are not counted"):
        ListSource(TABLE).collect([request])


def test_a_source_without_rows_has_empty_statistics() -> None:
    empty = ListSource({"a": []})
    assert empty.collect([CountTable(()), MissingCounts(("a",))]).rows == 0


@pytest.mark.parametrize("kind", ["dict of lists", "csv", "parquet"])
def test_a_cache_answers_like_its_source(kind: str, tmp_path: Path) -> None:
    source = open_source(KINDS[kind](tmp_path))
    cached = CachedSource(source)
    cached.collect([REQUESTS[2]])
    for request in REQUESTS[:4]:
        assert cached.collect([request])[request] == source.collect([request])[request]


def test_a_cache_marginalises_only_where_no_row_was_left_out() -> None:
    whole = {"a": [1, 2, 1], "b": ["x", "y", "y"]}
    cached = CachedSource(open_source(whole))
    cached.collect([CountTable(("a", "b"))])
    cached.collect([CountTable(("b",)), CountTable(("b", "a")), CountTable(())])
    assert cached.asked == 1
    gaps = CachedSource(open_source({"a": [1, None, 1], "b": ["x", "y", "y"]}))
    gaps.collect([CountTable(("a", "b"))])
    assert gaps.collect([CountTable(("b",))])[CountTable(("b",))].values.tolist() == [1, 2]
    assert gaps.asked == 2


def test_sparse_zeros_are_values() -> None:
    matrix = scipy.sparse.random(
        50, 3, density=0.3, random_state=1, data_rvs=lambda n: np.full(n, 2.0)
    ).tocsr()
    dense = {f"word {k}": matrix.toarray()[:, k].astype(int).tolist() for k in range(3)}
    request = CountTable(("word 0", "word 2"))
    sparse = open_source(matrix.astype(int), columns=list(dense)).collect([request])[request]
    assert sparse == open_source(dense).collect([request])[request]
