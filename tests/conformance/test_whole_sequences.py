"""One suite over every kind of data: whole sequences in time order, to the last bit, however the rows lie."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.conformance.strangers.list_source import ListSource

from bayou.errors import BadData, TooWide, UnknownVariable
from bayou.memory import limits
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.files import file_source as file
from bayou.statistics import SequenceBatch, Source
from bayou.statistics.rows import whole_sequences

ROWS = 600
MOST = 100
"""The rows of a chunk in these tests: some sequences are longer."""
WHO = ["Öl, alt", "b", "a b", "zz", "c"]
MOOD = Variable("mood", ["low", "high", "mid"])
HEAT = Variable("heat")
VARIABLES = [MOOD, HEAT]


def table(seed: int = 0) -> dict[str, list[Any]]:
    """Rows of five sequences of very different lengths, in no order; some observations are missing."""
    random = np.random.default_rng(5)
    who = random.choice(len(WHO), ROWS, p=[0.02, 0.5, 0.3, 0.08, 0.1])
    seen = [0] * len(WHO)
    day = []
    for k in who.tolist():
        seen[k] += int(random.integers(1, 4))
        day.append(seen[k])
    mood = [None if u < 0.1 else MOOD.states[int(3 * v)] for u, v in random.random((ROWS, 2))]
    heat = [
        None if u < 0.1 else float(v)
        for u, v in zip(random.random(ROWS), random.normal(size=ROWS), strict=True)
    ]
    columns = {"who": [WHO[k] for k in who], "day": day, "mood": mood, "heat": heat}
    if seed == 0:
        return columns
    order = np.random.default_rng(seed).permutation(ROWS).tolist()
    return {name: [column[k] for k in order] for name, column in columns.items()}


def _csv(columns: dict[str, list[Any]], folder: Path) -> Path:
    pd.DataFrame(columns).to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def _parquet(columns: dict[str, list[Any]], folder: Path) -> Path:
    pl.DataFrame(columns).write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def _dicts(columns: dict[str, list[Any]], _: Path) -> list[dict[str, Any]]:
    return [{name: column[k] for name, column in columns.items()} for k in range(ROWS)]


KINDS: dict[str, Callable[[dict[str, list[Any]], Path], Any]] = {
    "dict of lists": lambda columns, _: columns,
    "list of dicts": _dicts,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "pandas categories": lambda columns, _: pd.DataFrame(columns).astype({"who": "category"}),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "arrow chunks": lambda columns, _: pa.concat_tables([pa.table(columns)[:99], pa.table(columns)[99:]]),
    "csv": _csv,
    "parquet": _parquet,
    "csv, streamed": _csv,
    "parquet, streamed": _parquet,
    "csv, on disk, streamed": _csv,
    "parquet, on disk, streamed": _parquet,
    "a stranger's source": lambda columns, _: ListSource(columns, 1000),
    "a stranger's source in small batches": lambda columns, _: ListSource(columns, 7),
    "a stranger's source, on disk": lambda columns, _: ListSource(columns, 31),
}


@pytest.fixture(autouse=True)
def _small_chunks_and_streams(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_sequences, "CHUNK_ROWS", MOST)
    kind = request.node.callspec.params.get("kind", "") if hasattr(request.node, "callspec") else ""
    if kind.endswith("streamed"):
        monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file, "BATCH_ROWS", 123)
    if "on disk" in kind:
        monkeypatch.setattr(whole_sequences, "LARGEST_HELD", 3000)


def faded(rows: SequenceBatch) -> np.ndarray[Any, Any]:
    """A sum that depends on the order of the rows, of the sequences and of the chunks to the last bit."""
    total = 0.0
    for first, last in zip(rows.starts[:-1], rows.starts[1:], strict=True):
        value = 0.0
        for k in range(first, last):
            heat, mood = rows.batch.numbers["heat"][k], rows.batch.codes["mood"][k]
            value = 0.9 * value + (0.1 if np.isnan(heat) else heat) * (1 + min(int(mood), 3))
            value += 0.0 if rows.times is None else 1e-3 * rows.times[k]
        total += value
    return np.array([total, rows.batch.rows, len(rows.starts) - 1.0])


def listed(rows: SequenceBatch) -> list[Any]:
    """Each sequence of a chunk as plain values."""
    found = []
    for label, first, last in zip(rows.labels, rows.starts[:-1], rows.starts[1:], strict=True):
        codes = rows.batch.codes["mood"][first:last].tolist()
        heat = rows.batch.numbers["heat"][first:last].tolist()
        moods = [MOOD.states[code] if code < 3 else None for code in codes]
        times = None if rows.times is None else rows.times[first:last].tolist()
        found.append((label, times, moods, [None if h != h else h for h in heat]))
    return found


def by_hand(columns: dict[str, list[Any]]) -> list[Any]:
    found = []
    for label in sorted(WHO):
        rows = sorted((k for k in range(ROWS) if columns["who"][k] == label), key=columns["day"].__getitem__)
        one = [[columns[name][k] for k in rows] for name in ("day", "mood", "heat")]
        found.append((label, *one))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_sequences_however_the_rows_lie(kind: str, seed: int, tmp_path: Path) -> None:
    source = open_source(KINDS[kind](table(seed), tmp_path))
    found = source.map_sequences(listed, sequence="who", time="day", variables=VARIABLES)
    assert found == by_hand(table())
    expected = open_source(table()).map_sequences(faded, sequence="who", time="day", variables=VARIABLES)
    again = source.map_sequences(faded, sequence="who", time="day", variables=VARIABLES)
    assert again.tolist() == expected.tolist()
    assert expected[1:].tolist() == [ROWS, len(WHO)]


@pytest.mark.parametrize("kind", KINDS)
def test_without_times_rows_keep_their_order_and_without_keys_all_are_one(kind: str, tmp_path: Path) -> None:
    columns = table(3)
    source = open_source(KINDS[kind](columns, tmp_path))
    found = source.map_sequences(listed, sequence="who", variables=VARIABLES)
    for label, times, moods, _ in found:
        assert times is None
        assert moods == [m for w, m in zip(columns["who"], columns["mood"], strict=True) if w == label]
    if "on disk" in kind:
        with pytest.raises(TooWide, match="needs a sequence column"):
            source.map_sequences(listed, variables=VARIABLES)
        return
    (one,) = source.map_sequences(listed, variables=VARIABLES)
    assert (one[0], one[2], one[3]) == (None, columns["mood"], columns["heat"])


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_hold_whole_sequences_and_a_long_one_comes_alone(kind: str, tmp_path: Path) -> None:
    source = open_source(KINDS[kind](table(1), tmp_path))
    sizes = source.map_sequences(
        lambda rows: [rows.lengths.tolist()], sequence="who", time="day", variables=VARIABLES
    )
    assert sum(map(sum, sizes)) == ROWS
    assert [len(one) for one in sizes if sum(one) > MOST] == [1] * sum(sum(one) > MOST for one in sizes)
    assert any(len(one) > 1 for one in sizes)


def broken(change: Callable[[dict[str, list[Any]]], None]) -> dict[str, list[Any]]:
    columns = table()
    change(columns)
    return columns


def _twice(columns: dict[str, list[Any]]) -> None:
    first = columns["who"].index("a b")
    for name in ("who", "day"):
        columns[name][ROWS - 1] = columns[name][first]


@pytest.mark.parametrize("kind", KINDS)
def test_two_rows_of_one_time_are_both_named(kind: str, tmp_path: Path) -> None:
    columns = broken(_twice)
    first = columns["who"].index("a b")
    source = open_source(KINDS[kind](columns, tmp_path))
    with pytest.raises(
        BadData, match=rf"Rows {first} and {ROWS - 1} .*'who' = 'a b' have the same time, 'day'"
    ):
        source.map_sequences(faded, sequence="who", time="day", variables=VARIABLES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["who", "day"])
def test_a_row_without_a_key_or_a_time_is_named(kind: str, name: str, tmp_path: Path) -> None:
    columns = broken(lambda columns: columns[name].__setitem__(431, None))
    source = open_source(KINDS[kind](columns, tmp_path))
    with pytest.raises(BadData, match=f"Column '{name}' is missing in row 431 "):
        source.map_sequences(faded, sequence="who", time="day", variables=VARIABLES)


def order_of(source: Source, sequence: str | None, time: str | None) -> list[Any]:
    """The labels, and the times of all rows in order."""
    return source.map_sequences(
        lambda rows: [*rows.labels, None if rows.times is None else rows.times.tolist()],
        sequence=sequence,
        time=time,
        variables=[],
    )


def test_dates_texts_and_numbers_are_times_and_keys_keep_their_types() -> None:
    days = [datetime.date(2024, 3, 1), datetime.date(2024, 2, 29), datetime.date(2023, 1, 1)]
    found = order_of(open_source({"t": days, "id": [10, 9, 9]}), "id", "t")
    assert found == [9, 10, [1672531200.0, 1709164800.0, 1709251200.0]]
    assert order_of(open_source({"t": ["b", "c", "a"]}), None, "t") == [None, [0.0, 1.0, 2.0]]
    assert order_of(open_source({"t": [2.5, -1.0, 0.0]}), None, "t") == [None, [-1.0, 0.0, 2.5]]
    assert order_of(open_source({"id": [True, False]}), "id", None) == [False, True, None]
    assert order_of(open_source({"id": [2.5, 0.5, 2.5]}), "id", None) == [0.5, 2.5, None]
    stamps = [1_700_000_000_000_000_001, 1_700_000_000_000_000_000]
    assert len(order_of(open_source({"t": stamps}), None, "t")[1]) == 2


def test_the_columns_of_keys_may_be_observations_too() -> None:
    who = Variable("who", ["b", "a"])
    source = open_source({"who": ["a", "b", "a"], "day": [2, 1, 1]})
    found = source.map_sequences(
        lambda rows: [rows.labels, rows.batch.codes["who"].tolist(), rows.batch.numbers["day"].tolist()],
        sequence="who",
        time="day",
        variables=[who, Variable("day")],
    )
    assert found == [("a", "b"), [1, 1, 0], [1.0, 2.0, 1.0]]


def test_weights_and_row_numbers_go_with_their_rows() -> None:
    source = open_source({"who": ["b", "a", "b"], "day": [2, 1, 1]}, weights=[5, 7, 9])
    (rows,) = source.map_sequences(lambda rows: [rows], sequence="who", time="day", variables=[])
    assert rows.batch.weights is not None
    assert rows.batch.weights.tolist() == [7, 9, 5]
    assert rows.batch.standing.tolist() == [1, 2, 0]


def test_weights_go_to_disk_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 123)
    columns = table(1) | {"w": [float(k % 7) for k in range(ROWS)]}
    path = _parquet(columns, tmp_path)
    picked: list[list[Any]] = []
    for held in (2**30, 3000):
        monkeypatch.setattr(whole_sequences, "LARGEST_HELD", held)
        source = open_source(path, weights="w")
        picked.append(
            source.map_sequences(
                lambda rows: [rows.batch.weights.tolist(), rows.batch.standing.tolist()],
                sequence="who",
                time="day",
                variables=VARIABLES,
            )
        )
    assert picked[0] == picked[1]
    assert any(weight == 6.0 for weight in picked[0][0])


def test_no_rows_are_no_sequences_and_unknown_columns_are_named() -> None:
    empty = open_source(ListSource({"who": [], "day": [], "mood": [], "heat": []}))
    found = empty.map_sequences(faded, sequence="who", time="day", variables=VARIABLES)
    assert found.tolist() == [0, 0, 0]
    with pytest.raises(UnknownVariable, match="no variable 'whom' in the data"):
        open_source(table()).map_sequences(faded, sequence="whom", variables=VARIABLES)
    with limits(memory=100), pytest.raises(TooWide, match="The rows take more than 25 bytes"):
        ListSource(table()).map_sequences(faded, time="day", variables=VARIABLES)
