"""While one state of the data is shown, nothing is counted, tried or read twice, in bounded memory."""

from __future__ import annotations

import sqlite3
from typing import Any

import psycopg
import pytest
from tests.postgres_server import server

import bayou
from bayou.sources.databases import cost_rule, remembered_rows
from bayou.sources.databases.drivers.packing import Packing
from bayou.sources.databases.remembered_rows import RowMemory
from bayou.statistics import CountTable, RowSample

ROWS = 700


@pytest.fixture
def asked() -> list[str]:
    """The statements that were run."""
    return []


@pytest.fixture
def connection(asked: list[str]) -> Any:
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE t (a TEXT, b TEXT, c TEXT, y TEXT)")
    rows = [("uv"[k % 2], "uvw"[k % 3], "uvwx"[k // 5 % 4], ["no", "yes"][k // 7 % 2]) for k in range(ROWS)]
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    made.commit()
    made.set_trace_callback(asked.append)
    return made


def test_a_column_is_counted_once(connection: Any, asked: list[str]) -> None:
    source = bayou.from_sql("t", connection)
    with source.one_state():
        for _ in range(3):
            assert source.variable("b").states == ("u", "v", "w")
        assert [v.states for v in source.with_all_states(["b", "a"])] == [("u", "v", "w"), ("u", "v")]
        assert sum("GROUP BY" in text for text in asked) == 2
    connection.execute("INSERT INTO t VALUES ('u', 'new', 'u', 'no')")
    assert source.variable("b").states == ("new", "u", "v", "w")


def test_ways_are_tried_once_for_requests_of_one_sort(
    connection: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost_rule, "SMALL", 10)
    source = bayou.from_sql("t", connection)

    def trials(*names: str) -> int:
        asked.clear()
        request = CountTable(names)
        assert source.collect([request])[request].total == ROWS
        return sum("LIMIT 500" in text for text in asked)

    with source.one_state():
        assert trials("a", "b") > 0
        assert trials("b", "c") == trials("a", "c") == 0
        assert trials("y", "b", "c") > 0
    assert trials("a", "b") > 0


def test_rows_of_the_same_condition_are_read_once(connection: Any, asked: list[str]) -> None:
    source = bayou.from_sql("t", connection)
    request = RowSample(("a", "b"), 10)
    with source.one_state():
        first = source.restricted([], ("y", "yes")).collect([request])[request]
        asked.clear()
        again = source.restricted([], ("y", "yes")).collect([request])[request]
        assert (first.hashes == again.hashes).all()
        assert not asked
        source.restricted([], ("y", "no")).collect([request])
        assert asked


def test_all_rows_in_memory_have_one_limit(connection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """350 rows of two columns of one byte for each class: rows of one class fit, not those of two."""
    monkeypatch.setattr(remembered_rows, "LARGEST_REMEMBERED", 1000)
    source = bayou.from_sql("t", connection)
    request = RowSample(("a", "b"), 10)
    with source.one_state():
        for state in ("yes", "no", "yes"):
            source.restricted([], ("y", state)).collect([request])
            memory: RowMemory = source.driver.remembered["rows"]
            assert memory.held == 700
        source.collect([request])  # rows that do not fit take no room from others
        assert memory.held == 700
        tables = source.restricted([], ("a", "u")).tables(["b"])
        next(tables)
        assert memory.held == 350
        tables.close()
        assert memory.held == 0


@pytest.mark.parametrize("hook", ["_listed", "ranges"])
def test_texts_that_appear_while_a_read_committed_transaction_reads(
    hook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statement sees another state there: no text may get the code of another one."""
    name = server().make_table({"x": "text", "n": "int8", "y": "text"}, [["b", 5, "u"], ["d", 6, "v"]] * 30)
    found_before = getattr(Packing, hook)

    def found(self: Packing, column: Any) -> Any:
        answer = found_before(self, column)
        server().run(f"INSERT INTO {name} VALUES ('a', 1, 'u'), ('c', 70, 'u'), ('e', 8000, 'v')")
        return answer

    monkeypatch.setattr(Packing, hook, found)
    with psycopg.connect(server().url()) as connection:
        connection.execute("SELECT 1")
        source = bayou.from_sql(f"SELECT x, n, y FROM {name}", connection, transport="rows")
        counts = source.collect([request := CountTable(("x", "n"))])[request]
        alone = counts.values.sum(axis=1).tolist()
        by_state = dict(zip(counts.axes[0].states, alone, strict=True))
    assert (by_state["b"], by_state["d"]) == (30, 30)
    assert all(by_state.get(letter, 0) in (0, 1, 2, 3) for letter in "ace")
    numbers = dict(zip(counts.axes[1].states, counts.values.sum(axis=0).tolist(), strict=True))
    assert (numbers[5], numbers[6]) == (30, 30)
    assert set(numbers) <= {1, 5, 6, 70, 8000}
