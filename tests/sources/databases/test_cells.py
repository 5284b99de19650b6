"""Counting in the database: blocks, grouping sets, moments, ranges, distinct rows, and how little travels."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pytest
from tests.conformance.database_tables import duckdb_source, postgres_source, sqlite_source
from tests.postgres_server import server

import bayou
from bayou.errors import BadData, TooWide
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.databases import cell_answers, cell_counts, cost_rule
from bayou.statistics import (
    CountTable,
    DistinctRows,
    Moments,
    NumberSummary,
    PairCounts,
    Request,
    ValueHistogram,
)

SOURCES = {"duckdb": duckdb_source, "sqlite": sqlite_source, "postgres": postgres_source}
_random = np.random.default_rng(3)
ROWS = 2000
CLASS = _random.integers(0, 3, ROWS)
TABLE: dict[str, list[Any]] = {
    "y": [None if k % 50 == 7 else "abc"[each] for k, each in enumerate(CLASS)],
    **{f"s{k}": ["uvwx"[each] for each in (CLASS + _random.integers(0, 2, ROWS)) % 4] for k in range(5)},
    "i": [None if each == 4 else int(each) for each in _random.integers(0, 5, ROWS)],
    "t": [bool(each) for each in _random.integers(0, 2, ROWS)],
    "f": [float(each) for each in 1e9 + CLASS + _random.normal(size=ROWS)],
    "g": [None if each > 2 else float(each) for each in _random.normal(size=ROWS)],
}
STATES = ("y", "s0", "s1", "s2", "s3", "s4", "i", "t")
REQUESTS: list[Request] = [
    *(CountTable(("y", name)) for name in STATES[1:]),
    PairCounts(STATES[1:], ("y",)),
    PairCounts(STATES),
    DistinctRows(STATES),
    ValueHistogram("g", ("y",)),
]


def same(found: Any, expected: Any) -> bool:
    return all(found[request] == expected[request] for request in REQUESTS) and found.rows == expected.rows


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("most", [1, 60, 4096])
def test_blocks_of_any_size_give_the_same_counts(
    kind: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_counts.joined_blocks, "__defaults__", (most,))
    found = SOURCES[kind](TABLE, tmp_path, transport="cells").collect(REQUESTS)
    assert same(found, open_source(TABLE).collect(REQUESTS))


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_grouping_sets_give_the_same_counts(kind: str, tmp_path: Path) -> None:
    source = SOURCES[kind](TABLE, tmp_path)
    found = source._counted_in_cells(REQUESTS, grouping_sets=True)
    assert same(found, open_source(TABLE).collect(REQUESTS))


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("fastest", ["cells", "sets", "rows"])
def test_the_fastest_on_a_slice_is_chosen(
    kind: str, fastest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times of the trials are set by hand: rows first, then blocks, then grouping sets."""
    times = iter([float(way != fastest) for way in ("rows", "cells", "sets")])
    monkeypatch.setattr(cost_rule, "SMALL", 10)
    monkeypatch.setattr(cost_rule, "_cost", lambda trial, rows: (trial(500), next(times))[1])
    source = SOURCES[kind](TABLE, tmp_path)
    monkeypatch.setattr(type(source.driver), "size", lambda self, relation: ROWS)
    used = cost_rule.chosen(source._counted, REQUESTS, source._trial_rows)
    assert used == (fastest if kind != "sqlite" or fastest != "sets" else used)
    assert same(source._counted_in_cells(REQUESTS), open_source(TABLE).collect(REQUESTS))


@pytest.mark.parametrize("kind", SOURCES)
def test_moments_keep_ten_digits_far_from_zero(kind: str, tmp_path: Path) -> None:
    """Against exact arithmetic: 1e9 with deviations of about 1."""
    request = Moments(("f", "g"), ("y",))
    found = SOURCES[kind](TABLE, tmp_path, transport="cells").collect([request])[request]
    for k, state in enumerate(found.groups[0].states):
        rows = [
            (Fraction(f), Fraction(g))
            for y, f, g in zip(TABLE["y"], TABLE["f"], TABLE["g"], strict=True)
            if y == state and g is not None
        ]
        means = [sum(row[j] for row in rows) / len(rows) for j in range(2)]
        assert found.n[k] == len(rows)
        for i in range(2):
            assert found.mean[k, i] == pytest.approx(float(means[i]), rel=1e-10, abs=1e-12)
            for j in range(2):
                exact = sum((row[i] - means[i]) * (row[j] - means[j]) for row in rows)
                assert found.scatter[k, i, j] == pytest.approx(float(exact), rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("kind", SOURCES)
def test_moments_of_all_rows(kind: str, tmp_path: Path) -> None:
    request = Moments(("f", "g"))
    found, expected = (
        source.collect([request])[request]
        for source in (SOURCES[kind](TABLE, tmp_path, transport="cells"), open_source(TABLE))
    )
    assert found.n == expected.n
    assert np.allclose(found.scatter, expected.scatter, rtol=1e-9)


@pytest.mark.parametrize("kind", SOURCES)
def test_numbers_are_cut_in_the_database(kind: str, tmp_path: Path) -> None:
    cuts = Variable("g", cuts=[-0.5, 0.25, 1.0])
    request = CountTable(("g", "y"))
    found, expected = (
        open_source(data, variables=[cuts], declared=["g"]).collect([request])[request]
        for data in (SOURCES[kind](TABLE, tmp_path, transport="cells"), TABLE)
    )
    assert found == expected


@pytest.mark.parametrize("kind", SOURCES)
def test_a_discretising_classifier_learns_from_cells(kind: str, tmp_path: Path) -> None:
    table = {"y": ["abc"[each] for each in CLASS], "f": TABLE["f"], "g": TABLE["g"]}
    source = SOURCES[kind](table, tmp_path, transport="cells")
    found, expected = (bayou.NaiveBayes("discretised").fit(data, "y") for data in (source, table))
    assert (found.predict_proba(table) == expected.predict_proba(table)).all()


@pytest.mark.filterwarnings("ignore:The network has the tables as they were counted")
@pytest.mark.parametrize("kind", SOURCES)
def test_a_number_that_gets_no_cut(kind: str, tmp_path: Path) -> None:
    """Noise says nothing about the class: it becomes one range."""
    table = {"y": ["abc"[each] for each in CLASS], "s0": TABLE["s0"], "g": TABLE["g"]}
    source = SOURCES[kind](table, tmp_path, transport="cells")
    found, expected = (bayou.TAN(evidence_weight=1).fit(data, "y") for data in (source, table))
    assert found.network_.variables["g"].cardinality == 1
    assert np.allclose(found.predict_proba(table), expected.predict_proba(table), atol=1e-12)


def test_histograms_of_very_many_values_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"y": ["abc"[each] for each in CLASS], "s0": TABLE["s0"], "f": TABLE["f"]}
    source = duckdb_source(table, tmp_path, transport="cells")
    request = ValueHistogram("f", ("y",))
    monkeypatch.setattr(cell_answers, "MOST_DISTINCT", ROWS)
    assert source.collect([request])[request] == open_source(table).collect([request])[request]
    monkeypatch.setattr(cell_answers, "MOST_DISTINCT", ROWS - 1)
    with pytest.raises(BadData, match=r"Column 'f' of The table rows has more than 1,999 .*ROUND\(f, 1\)"):
        bayou.NaiveBayes("discretised").fit(source, "y")
    bayou.NaiveBayes({"f": "gaussian"}, evidence_weight=1).fit(source, "y")


@pytest.mark.parametrize("kind", SOURCES)
def test_few_values_leave_to_see_whether_a_column_has_few(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"f": TABLE["f"], "w": [None if k % 21 == 20 else float(k % 21) for k in range(ROWS)]}
    source = SOURCES[kind](table, tmp_path, transport="cells")
    sizes: list[int] = []
    read = source.driver.read
    monkeypatch.setattr(
        source.driver, "read", lambda *given: (found := read(*given), sizes.append(found.rows))[0]
    )
    requests = [NumberSummary("f"), NumberSummary("w")]
    assert dict(source.collect(requests)) == dict(open_source(table).collect(requests))
    assert sizes == [22, 21]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("transport", ["cells", "rows"])
def test_em_learns_from_distinct_rows(kind: str, transport: Any, tmp_path: Path) -> None:
    table = {name: TABLE[name] for name in ("y", "s0", "i", "t")}
    source = SOURCES[kind](table, tmp_path, transport=transport)
    found, expected = (bayou.Network("y -> s0; y -> i; i -> t").fit(data) for data in (source, table))
    for name in table:
        for state in {value for value in table[name] if value is not None}:
            assert found.query(name)[state] == pytest.approx(expected.query(name)[state], abs=1e-9)
    assert str(found.learning) == str(expected.learning)


@pytest.fixture
def counted_bytes() -> Iterator[tuple[str, Callable[[], int]]]:
    """A URL that leads to the server through a door where the bytes that come out are counted."""
    total = [0]
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen()

    def pump(one: socket.socket, other: socket.socket, counts: bool) -> None:
        with contextlib.suppress(OSError), one, other:  # the other way may have closed both
            while data := one.recv(2**16):
                total[0] += len(data) if counts else 0
                other.sendall(data)
            other.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        while True:
            try:
                inside, _ = door.accept()
            except OSError:
                return
            server_side = socket.socket(socket.AF_UNIX)
            server_side.connect(str(server().folder / ".s.PGSQL.5432"))
            threading.Thread(target=pump, args=(inside, server_side, False), daemon=True).start()
            threading.Thread(target=pump, args=(server_side, inside, True), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    host, port = door.getsockname()
    yield f"postgresql://reader@{host}:{port}/postgres?sslmode=disable&gssencmode=disable", lambda: total[0]
    door.close()


def test_only_cells_travel(counted_bytes: tuple[str, Callable[[], int]]) -> None:
    """Ten times as many rows with the same values: as many bytes."""
    url, travelled = counted_bytes
    sizes = []
    for times in (1, 10):
        rows = list(zip(*(TABLE[name] * times for name in ("y", "s0", "s1", "f")), strict=True))
        name = server().make_table({"y": "text", "s0": "text", "s1": "text", "f": "float8"}, rows)
        with psycopg.connect(url) as connection:
            before = travelled()
            source = bayou.from_sql(name, connection, transport="cells")
            source.collect(
                [CountTable(("y", "s0")), PairCounts(("s0", "s1"), ("y",)), Moments(("f",), ("y",))]
            )
            sizes.append(travelled() - before)
    assert sizes[1] < 1.1 * sizes[0]
    assert sizes[1] < 20_000


def test_only_sums_travel_while_classifiers_learn(counted_bytes: tuple[str, Callable[[], int]]) -> None:
    """The evidence weight and normal densities of weighted rows: as many bytes for ten times the rows."""
    url, travelled = counted_bytes
    sizes = []
    for times in (1, 10):
        known = [k for k in range(ROWS) if TABLE["y"][k] is not None] * times
        rows = [(TABLE["y"][k], TABLE["s0"][k], TABLE["s1"][k], TABLE["f"][k], k % 3) for k in known]
        columns = {"y": "text", "s0": "text", "s1": "text", "f": "float8", "w": "int4"}
        name = server().make_table(columns, rows)
        with psycopg.connect(url) as connection:
            before = travelled()
            states = f"SELECT y, s0, s1 FROM {name}"
            bayou.NaiveBayes().fit(bayou.from_sql(states, connection, transport="cells"), "y")
            numbers = f"SELECT y, f, w FROM {name}"
            weighted = bayou.from_sql(numbers, connection, transport="cells", weights="w")
            bayou.GaussianBayes("full").fit(weighted, "y")
            sizes.append(travelled() - before)
    assert sizes[1] < 1.1 * sizes[0]
    assert sizes[1] < 40_000


def test_different_rows_that_do_not_fit_into_memory_are_refused() -> None:
    """They are not read: the database is asked for one more than may be."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE wide AS SELECT i % 97 AS a, i % 89 AS b, i % 2 AS c FROM range(20000) t(i)"
    )
    source = bayou.from_sql("wide", connection, transport="cells")
    names = ("a", "b", "c")
    variables = [source.variable(name) for name in names]
    request = DistinctRows(names)
    assert len(source.collect([request])[request].counts) == 97 * 89 * 2
    with bayou.limits(memory="2 MB"):
        with pytest.raises(TooWide, match=r"more than 4,096 different rows in 'a', 'b'.*limits\(memory"):
            source.collect([request])
        with pytest.raises(TooWide, match="more than 4,096 different rows"):
            source.map_batches(lambda batch: batch.rows, variables)
        assert source.collect([CountTable(("a",))])[CountTable(("a",))].values.sum() == 20000


def test_structural_em_names_the_transport() -> None:
    """It completes rows, which stay in the database; how many there are is not the cause."""
    connection = duckdb.connect()
    shape = "i % 2 AS a, CASE WHEN i % 5 > 0 THEN i % 3 END AS b"
    connection.execute(f"CREATE TABLE gaps AS SELECT {shape} FROM range(100) t(i)")
    cells = bayou.from_sql("gaps", connection, transport="cells")
    with pytest.raises(BadData, match=r'transport="cells" keeps in the database\. Use missing="available"'):
        bayou.learn_structure(cells, missing="em")
    with pytest.warns(bayou.BayouWarning, match="'b' have gaps"):
        assert set(bayou.learn_structure(cells, missing="available").names) == {"a", "b"}
