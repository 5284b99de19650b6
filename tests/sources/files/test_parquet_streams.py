"""A Parquet file gives the same statistics and models in batches, whole, and as a table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bayou import TAN, NaiveBayes, Network
from bayou.sources import open_source
from bayou.sources.files import file_source
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_source import FileSource
from bayou.sources.files.typed.parquet_file import ParquetFile
from bayou.statistics import CountTable, MissingCounts, Moments, PairCounts, RowSample, Source, ValueHistogram

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table_of(rows: int = 700, seed: int = 3) -> Any:
    """Columns of every kind: gaps, negative and wide integers, booleans, text, floats, weights."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 8, rows)
    gaps = rng.random(rows) < 0.1
    text = np.array(["red", "green", "blue"])[rng.integers(0, 3, rows)]
    return pa.table(
        {
            "small": pa.array(small),
            "negative": pa.array(rng.integers(-5, 3, rows), type=pa.int32()),
            "nullable": pa.array(rng.integers(250, 262, rows), mask=gaps),
            "wide": pa.array(rng.integers(-(2**40), 2**40, rows)),
            "later": pa.array(np.where(np.arange(rows) < 600, 1, rng.integers(0, 400, rows))),
            "late": pa.array([None if row < 600 else row % 3 for row in range(rows)], type=pa.int64()),
            "flag": pa.array(rng.random(rows) < 0.3, mask=gaps),
            "text": pa.array(text, mask=gaps),
            "words": pa.array(text).dictionary_encode(),
            "real": pa.array(rng.normal(size=rows).round(2), mask=gaps),
            "w": pa.array(rng.integers(0, 4, rows), type=pa.int8()),
            "y": pa.array((small + rng.normal(0, 2, rows) > 4).astype(np.int64)),
        }
    )


@pytest.fixture(params=["one group", "many groups", "no statistics", "an empty group"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file of these columns, written in several ways."""
    table, file = table_of(), str(tmp_path / "rows.parquet")
    if request.param == "an empty group":
        with pq.ParquetWriter(file, table.schema) as writer:
            for part in (table.slice(0, 0), table.slice(0, 300), table.slice(300, 0), table.slice(300)):
                writer.write_table(part)
    else:
        size = 90 if request.param == "many groups" else 10_000
        pq.write_table(table, file, row_group_size=size, write_statistics=request.param != "no statistics")
    return file


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in batches of a few rows."""
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 60)


def requests_for(source: Source) -> list[Any]:
    names = tuple(name for name in source.names if name not in ("y", "w", "real", "wide"))
    numbers = ("small", "negative", "nullable", "wide", "later", "late", "real")
    return [
        *(CountTable(("y", name)) for name in names),
        *(ValueHistogram(name, ("y",)) for name in numbers),
        *(ValueHistogram(name, ("y", "small")) for name in ("negative", "nullable")),
        ValueHistogram("nullable"),
        *(Moments((name,), ("y",)) for name in ("negative", "nullable", "real")),
        PairCounts(("small", "negative", "nullable", "text"), ("y",)),
        MissingCounts((*names, "real", "wide")),
        RowSample(("y", "small", "nullable", "text", "flag", "real", "wide"), 50),
    ]


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("weights", [None, "w"])
def test_statistics_of_batches(path: str, weights: str | None) -> None:
    file = FileSource(path, weights=weights)
    assert file.is_streamed
    memory = open_source(table_of().to_pandas(types_mapper=_nullable), weights=weights)
    requests = requests_for(memory)
    expected, found = memory.collect(requests), file.collect(requests)
    assert found.rows == expected.rows
    for request in requests:
        if isinstance(request, Moments):
            for part in ("n", "mean", "scatter"):
                np.testing.assert_allclose(getattr(found[request], part), getattr(expected[request], part))
        elif isinstance(request, RowSample):
            assert found[request].hashes.tolist() == expected[request].hashes.tolist()
            assert found[request].weights.tolist() == expected[request].weights.tolist()
            assert found[request].values == expected[request].values
        else:
            assert found[request] == expected[request]


def _nullable(kind: Any) -> Any:
    import pandas as pd

    return {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get(kind)


@pytest.mark.filterwarnings("ignore:Each whole number is a state")
@pytest.mark.parametrize("whole", [True, False])
def test_the_same_models(path: str, whole: bool, request: pytest.FixtureRequest) -> None:
    if not whole:
        request.getfixturevalue("streamed")
    frame = table_of().to_pandas(types_mapper=_nullable)
    features = frame.drop(columns="y")
    for kind in (NaiveBayes, TAN):
        from_file, from_memory = kind().fit(path, "y"), kind().fit(frame, "y")
        np.testing.assert_allclose(
            from_file.predict_proba(features), from_memory.predict_proba(features), rtol=1e-9
        )
    arcs = "y -> small; y -> negative; small -> text; y -> flag; later -> negative"
    left, right = (Network(arcs).fit(data, prior=1, method="count") for data in (path, frame))
    assert left.same_as(right)


def test_what_a_file_states_of_its_columns(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    table = table_of()
    pq.write_table(table, file)
    opened = open_file(file)
    assert opened.rows == 700
    assert opened.bounds("negative") == (-5, 2)
    assert opened.bounds("nullable") == (250, 261)
    assert opened.bounds("text") is None
    assert opened.bytes_per_row(["small", "negative", "nullable"]) == 3
    assert opened.bytes_per_row(["later", "wide", "real", "text", "flag"]) == 2 + 8 + 8 + 4 + 1
    pq.write_table(table, file, write_statistics=False)
    assert open_file(file).bounds("negative") is None


def test_nested_columns_do_not_shift_the_bounds(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pair = pa.array([{"a": 1, "b": 2}, {"a": 300, "b": 4}])
    pq.write_table(pa.table({"pair": pair, "x": pa.array([1, 70_000])}), file)
    assert open_file(file).bounds("x") == (1, 70_000)
    source = open_source(str(file), names=["x"])
    assert source.variable("x").states == (1, 70_000)


@pytest.mark.usefixtures("streamed")
def test_only_the_needed_columns_are_read(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    batches = ParquetFile.batches

    def noted(self: ParquetFile, names: Any, *others: Any) -> Any:
        read.append(names)
        return batches(self, names, *others)

    monkeypatch.setattr(ParquetFile, "batches", noted)
    source = FileSource(path, weights="w")
    source.first_table  # noqa: B018 - reads the first batch
    read.clear()
    source.collect([CountTable(("y", "small"))])
    assert [set(names) for names in read] == [{"y", "small", "w"}]


def test_a_large_file_is_streamed_once_and_kept_for_later_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_source, "_KEPT_AT_ONCE", 0)
    pq.write_table(pa.table({"A": [0, 1, 1], "B": ["x", "y", "x"]}), path := tmp_path / "few.parquet")
    source = FileSource(path)
    request = CountTable(("A", "B"))
    streamed = source.collect([request])[request]
    assert not source.is_streamed
    assert "_whole" not in vars(source)
    kept = source.collect([request])[request]
    assert "_whole" in vars(source)
    assert streamed.values.tolist() == kept.values.tolist() == [[1, 0], [1, 1]]


def test_the_row_numbers_that_pandas_stores_are_no_column(tmp_path: Path) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"x": [0.5, 1.5, 2.5], "y": ["a", "b", "a"]})
    frame.iloc[[2, 0, 1]].to_parquet(path := tmp_path / "shuffled.parquet")
    assert "__index_level_0__" in pq.read_schema(path).names
    assert FileSource(path).names == ("x", "y")
    assert FileSource(path, ["y"]).names == ("y",)
