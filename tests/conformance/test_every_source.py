"""One suite over every kind of data: the same table must give the same statistics to the last bit."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
import scipy.sparse
from tests.conformance.database_tables import duckdb_source, postgres_source, sqlite_source
from tests.conformance.strangers.list_source import ListSource
from tests.spark.java import MODE, frame_of

import bayou
from bayou.errors import BadData, UnknownVariable
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.files import file_source as file
from bayou.statistics import (
    CachedSource,
    CountTable,
    MissingCounts,
    Request,
    RowSample,
    Statistics,
    WordCounts,
)
from bayou.testing import REQUESTS, check_source, example_table, require_same

ROWS = 500
TABLE: dict[Any, list[Any]] = dict(example_table(ROWS))
NAMES = tuple(TABLE)
CITY, RAIN = TABLE[NAMES[0]], TABLE[NAMES[1]]


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


def _json_lines(folder: Path, name: str = "table.jsonl") -> Path:
    path = folder / name
    text = "".join(json.dumps(row) + "\n" for row in _rows()).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def _arrow(folder: Path) -> Path:
    path = folder / "table.arrow"
    pyarrow.feather.write_feather(pa.table(TABLE), path, chunksize=99)
    return path


def _csv_in_zstd(folder: Path) -> Path:
    path = folder / "table.csv.zst"
    frame = pl.DataFrame(TABLE)
    with duckdb.connect() as connection:
        connection.register("frame", frame.to_arrow())
        connection.execute(f"copy frame to '{path}' (compression zstd)")
    return path


def _described_csv(folder: Path) -> Any:
    """A file as they come from offices: semicolons, decimal commas, an old encoding, a word for gaps."""
    path = folder / "table.txt"
    frame = pd.DataFrame(TABLE)
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252", na_rep="-")
    return bayou.from_file(path, sep=";", decimal=",", encoding="cp1252", na="-")


def _folder_of(ending: str) -> Callable[[Path], Path]:
    """A folder of three files, the second with its columns in another order."""

    def written(folder: Path) -> Path:
        parts = folder / "parts"
        parts.mkdir()
        for place, rows in enumerate((slice(0, 123), slice(123, 124), slice(124, ROWS))):
            names = NAMES if place != 1 else NAMES[::-1]
            part = pl.DataFrame({name: TABLE[name] for name in NAMES})[rows].select(names)
            path = parts / f"{place}.{ending}"
            {"csv": part.write_csv, "parquet": part.write_parquet, "ndjson": part.write_ndjson}[ending](path)
        return parts

    return written


def _partitioned(folder: Path) -> Path:
    """A folder whose folders have the values of a column; the rows come in another order."""
    frame = pd.DataFrame(TABLE)
    for age, part in frame.groupby("age"):
        below = folder / "hive" / f"age={age}"
        below.mkdir(parents=True)
        pl.from_pandas(part.drop(columns="age")).write_parquet(below / "part.parquet")
    return folder / "hive"


def _in_database(make: Callable[..., Any], transport: str, folder: Path) -> Any:
    return make(TABLE, folder, transport=transport)


@cache
def spark_source(by_sql: bool) -> Any:
    source: Any = open_source(frame_of(TABLE, "string, string, bigint, double"))
    source.counts_by_sql = by_sql
    return source


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
    "csv in zstd": _csv_in_zstd,
    "csv with options": _described_csv,
    "json lines": _json_lines,
    "json lines gzipped": lambda folder: _json_lines(folder, "table.jsonl.gz"),
    "arrow file": _arrow,
    "folder of csv": _folder_of("csv"),
    "folder of parquet": _folder_of("parquet"),
    "folder of json lines": _folder_of("ndjson"),
    "pattern of parquet": lambda folder: str(_folder_of("parquet")(folder) / "*.parquet"),
    "partitioned folder": _partitioned,
    "csv streamed": _csv,
    "csv in zstd, streamed": _csv_in_zstd,
    "csv with options, streamed": _described_csv,
    "json lines streamed": _json_lines,
    "arrow file streamed": _arrow,
    "folder of csv, streamed": _folder_of("csv"),
    "folder of parquet, streamed": _folder_of("parquet"),
    "folder of json lines, streamed": _folder_of("ndjson"),
    "partitioned folder, streamed": _partitioned,
    "csv gzipped, streamed": lambda folder: _csv(folder, "table.csv.gz"),
    "parquet streamed": _parquet,
    **{
        f"{name}, {transport} streamed": partial(_in_database, make, transport)
        for name, make in (
            ("duckdb", duckdb_source),
            ("sqlite", sqlite_source),
            ("postgres", postgres_source),
        )
        for transport in ("auto", "cells", "rows")
    },
    "a stranger's source": lambda _: ListSource(TABLE, ROWS),
    "a stranger's source, streamed": lambda _: ListSource(TABLE),
}
if MODE in os.environ:  # run by tests/spark, which has Java and a session
    KINDS["spark, streamed"] = lambda _: spark_source(False)
    KINDS["spark by SQL, streamed"] = lambda _: spark_source(True)
NEEDS_NAMES = ("list of tuples", "numpy objects")


def _requests(kind: str) -> Sequence[Request]:
    """All requests; where only counts and sums may leave a database, those that need no rows."""
    if "cells" not in kind:
        return REQUESTS
    return [request for request in REQUESTS if not isinstance(request, RowSample | WordCounts)]


@pytest.fixture(autouse=True)
def _stream_where_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = request.node.callspec.params.get("kind", "") if hasattr(request.node, "callspec") else ""
    if kind.endswith("streamed"):
        monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file, "BATCH_ROWS", 123)


def _collect(data: Any, kind: str) -> Statistics:
    source = open_source(data, columns=NAMES if kind in NEEDS_NAMES else None)
    return source.collect(_requests(kind))


def _is_exact(kind: str) -> bool:
    """Whether sums of reals are added in the same order."""
    return not kind.endswith("streamed") and "partitioned" not in kind


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_statistics_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    expected, found = _collect(TABLE, "dict of lists"), _collect(KINDS[kind](tmp_path), kind)
    assert found.rows == expected.rows
    for request in _requests(kind):
        require_same(found[request], expected[request], request, exact=_is_exact(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_each_request_can_be_asked_alone(request_: Request, kind: str, tmp_path: Path) -> None:
    source = open_source(KINDS[kind](tmp_path), columns=NAMES if kind in NEEDS_NAMES else None)
    expected = open_source(TABLE).collect([request_])
    if request_ not in _requests(kind):
        with pytest.raises(BadData, match='transport="cells" forbids'):
            source.collect([request_])
        return
    require_same(source.collect([request_])[request_], expected[request_], request_, _is_exact(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_network_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    # Sums of reals over batches round in another order; counts never do.
    reals = "" if not _is_exact(kind) else "; 'rain, or not' -> height"
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


def test_the_suite_for_sources_of_others() -> None:
    check_source(ListSource)
    check_source(ListSource, table=example_table(77, seed=3))
    check_source(lambda table: ListSource(table, ROWS), exact=True)
    for broken, told in {
        "dropped rows": lambda table: {name: column[:-1] for name, column in table.items()},
        "a lost column": lambda table: {name: column for name, column in table.items() if name != "age"},
        "gaps as a state": lambda table: {**table, NAMES[0]: [v or "none" for v in table[NAMES[0]]]},
        "shifted numbers": lambda table: {
            **table,
            "height": [None if v is None else v + 1e-6 for v in table["height"]],
        },
    }.items():
        with pytest.raises(AssertionError, match="but the table"):
            check_source(told)
        assert broken
