"""Predictions as one SELECT give what predict_proba gives, whatever the names and the values."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pytest
from tests.conformance.database_tables import insert_rows
from tests.postgres_server import server

import bayou
from bayou.errors import BadQuestion

_random = np.random.default_rng(4)
ROWS = 300
_kind = _random.integers(0, 3, ROWS)
WORDS = ["it's", '"; DROP TABLE rows; --', "a\\b", "%s", "", "ü ", "A", "a"]
TABLE: dict[str, list[Any]] = {
    'the "class"': [["yes", "no'", '"; DROP TABLE rows'][k] for k in _kind],
    'text"; DROP TABLE rows; --': [WORDS[k] for k in (_kind + _random.integers(0, 6, ROWS)) % 8],
    "50%": [int(k) - 2 for k in _kind + _random.integers(0, 3, ROWS)],
    "truth": [bool(k) for k in _random.integers(0, 2, ROWS)],
    "select": [float(k) for k in _kind + _random.normal(size=ROWS)],
}
TARGET = 'the "class"'
TYPES = {
    "duckdb": ("VARCHAR", "VARCHAR", "INTEGER", "BOOLEAN", "DOUBLE"),
    "sqlite": ("TEXT COLLATE NOCASE", "TEXT COLLATE NOCASE", "INTEGER", "BOOLEAN", "REAL"),
    "postgres": ("text", "varchar(80)", "int4", "boolean", "float8"),
}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _columns(dialect: str, table: dict[str, list[Any]]) -> str:
    kinds = dict(zip(TABLE, TYPES[dialect], strict=True))
    return ", ".join(["id INTEGER", *(f"{_quoted(name)} {kinds[name]}" for name in table)])


def _rows(table: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    return [(k, *row) for k, row in enumerate(zip(*table.values(), strict=True))]


def _in_memory(dialect: str, connection: Any, table: dict[str, list[Any]], query: str) -> list[Any]:
    connection.execute(f"CREATE TABLE rows ({_columns(dialect, table)})")
    insert_rows(connection, [*zip(*_rows(table), strict=True)], dialect)
    return sorted(connection.execute(query).fetchall())


def _on_postgres(table: dict[str, list[Any]], query: str) -> list[Any]:
    with psycopg.connect(server().url(server().user)) as connection:
        connection.execute(f"CREATE TEMPORARY TABLE rows ({_columns('postgres', table)})".encode())
        places = ", ".join(["%s"] * (len(table) + 1))
        connection.cursor().executemany(f"INSERT INTO rows VALUES ({places})", _rows(table))
        return sorted(connection.execute(query.encode()).fetchall())


RUN: dict[str, Callable[[dict[str, list[Any]], str], list[Any]]] = {
    "duckdb": lambda table, query: _in_memory("duckdb", duckdb.connect(), table, query),
    "sqlite": lambda table, query: _in_memory("sqlite", sqlite3.connect(":memory:"), table, query),
    "postgres": _on_postgres,
}
_STATES = ("truth", 'text"; DROP TABLE rows; --')
MODELS = {
    "naive Bayes": (bayou.NaiveBayes("table"), ("select",)),
    "naive Bayes with a weight": (bayou.NaiveBayes("table", evidence_weight=0.6), ("select",)),
    "naive Bayes without smoothing": (bayou.NaiveBayes("table", prior=0), ("select",)),
    "ranges": (bayou.NaiveBayes("discretised"), ("truth", "50%", 'text"; DROP TABLE rows; --')),
    "TAN": (bayou.TAN(), ()),
    "AODE": (bayou.AODE(), ("select",)),
    "AODE of rare values": (bayou.AODE(least_count=60), ("select",)),
    "normal densities": (bayou.NaiveBayes("gaussian", evidence_weight=1), _STATES),
    "states and normal densities": (bayou.NaiveBayes({"select": "gaussian"}), ("50%", "truth")),
    "Gaussian, diagonal": (bayou.GaussianBayes("diagonal"), _STATES),
    "Gaussian, shared": (bayou.GaussianBayes("shared"), _STATES),
    "Gaussian, full": (bayou.GaussianBayes("full"), _STATES),
    "network": (bayou.NetworkClassifier({TARGET: [], "50%": [TARGET, "truth"], "truth": []}), ("select",)),
}
NEED_ALL = ("TAN", "network", "Gaussian, shared", "Gaussian, full")


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("name", MODELS)
def test_the_select_gives_what_predict_proba_gives(name: str, dialect: str) -> None:
    model, left_out = MODELS[name]
    known = {column: values for column, values in TABLE.items() if column not in left_out}
    model = model.copy().fit(known, TARGET)
    new = {column: list(values) for column, values in known.items() if column != TARGET}
    for column, values in new.items():  # a gap and a value that was never seen
        if name not in NEED_ALL:
            values[3] = None
            values[4] = {"50%": 99, "select": 1e6 if name == "ranges" else values[4]}.get(column, values[4])
    query = model.to_sql("rows", dialect=dialect, keep=["id"])
    found = RUN[dialect](new, query)
    assert [row[0] for row in found] == list(range(ROWS))
    expected = model.predict_proba(new)
    assert np.allclose([row[2:] for row in found], expected, rtol=0, atol=1e-9)
    assert [row[1] for row in found] == model.predict(new).tolist()


@pytest.mark.parametrize("dialect", RUN)
def test_a_network_has_no_answer_where_a_value_is_missing(dialect: str) -> None:
    known = {name: TABLE[name] for name in (TARGET, "50%", "truth")}
    query = bayou.TAN().fit(known, TARGET).to_sql("rows", dialect=dialect, keep=["id"])
    found = RUN[dialect]({"50%": [0, None, 99], "truth": [True, True, True]}, query)
    assert [row[1] is None for row in found] == [False, True, True]
    assert [row[2] is None for row in found] == [False, True, True]


def test_texts_where_numbers_are_expected_are_missing_in_sqlite() -> None:
    """SQLite would take 0 for an amount with a currency."""
    prices = {"price": [1.5, 2.5, 8.5, 9.5] * 10, "y": ["u", "u", "v", "v"] * 10}
    model = bayou.NaiveBayes("gaussian", evidence_weight=1).fit(prices, "y")
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (price)")
    connection.executemany("INSERT INTO rows VALUES (?)", [("$1.50",), (1.5,), (None,)])
    text, number, gap = connection.execute(model.to_sql("rows", dialect="sqlite")).fetchall()
    assert text == gap
    assert number[1:] == pytest.approx(model.predict_proba({"price": [1.5]})[0], abs=1e-9)


def test_one_column_to_keep() -> None:
    model = bayou.NaiveBayes("table").fit({"a": ["x", "y"]}, ["p", "q"])
    assert model.to_sql("t", keep="id") == model.to_sql("t", keep=["id"])


def test_what_sql_cannot_express_is_refused() -> None:
    texts = ["good film", "bad film", "good plot"]
    model = bayou.NaiveBayes({"x": "words"}).fit({"x": texts, "y": ["a", "b", "a"]}, "y")
    with pytest.raises(BadQuestion, match="'x'"):
        model.to_sql("rows")
    with pytest.raises(BadQuestion, match="dialect='cobol'"):
        bayou.NaiveBayes("table").fit({"x": ["a", "b"], "y": ["a", "b"]}, "y").to_sql("rows", dialect="cobol")
    with pytest.raises(BadQuestion, match="as code or as a query; this"):
        bayou.GenerativeClassifier().fit({"x": ["a", "b"], "y": ["a", "b"]}, "y").to_sql("rows")


def test_tables_whose_names_have_dots() -> None:
    """The text that from_sql takes for such a table is taken here too."""
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE "my.""days""" (x TEXT, y TEXT)')
    connection.executemany('INSERT INTO "my.""days""" VALUES (?, ?)', [("a", "u"), ("b", "v")] * 3)
    for table in ('"my.""days"""', 'main."my.""days"""'):
        model = bayou.NaiveBayes("table").fit(bayou.from_sql(table, connection), "y")
        query = model.to_sql(table, dialect="sqlite", keep=["x"])
        assert {row[:2] for row in connection.execute(query)} == {("a", "u"), ("b", "v")}
    for wrong in ('"my.days', "a.b.c.d", "", "a..b"):
        with pytest.raises(BadQuestion, match="Put a part that has a dot in double quotes"):
            model.to_sql(wrong)


_PINNED_ROWS = {
    "x'; --": ["a\\'b", "c"] * 10,
    "n": [1, 2] * 9 + [2, 1],
    "y": ["u", "v", "v", "u"] * 5,
}
_PINNED_NUMBERS = {
    "a b": [0.5, 1.5, 4.5, 6.0, 0.25],
    "n": [2.0, 1.0, 3.5, 7.0, 1.5],
    "y": ["u", "u", "v", "v", "u"],
}
PINNED = {
    "": (
        bayou.NaiveBayes("table", prior=1),
        {"x'; --": ["a\\'b", "c", "c"], "n": [1, 2, 2], "y": ["u", "v", "v"]},
    ),
    "-tan": (bayou.TAN(), _PINNED_ROWS),
    "-gaussian": (bayou.GaussianBayes("shared", shrinkage=0), _PINNED_NUMBERS),
    "-diagonal": (bayou.GaussianBayes("diagonal", shrinkage=0), _PINNED_NUMBERS),
}


@pytest.mark.parametrize("dialect", ["mysql", "bigquery", "snowflake"])
@pytest.mark.parametrize("name", PINNED)
def test_queries_for_databases_that_cannot_be_run_here_stay_the_same(name: str, dialect: str) -> None:
    """Untested there: the text is pinned, so that a change of it is noticed; numbers to nine digits."""
    model, data = PINNED[name]
    text = model.copy().fit(data, "y").to_sql("shop.rows", dialect=dialect, keep=["id"])
    pinned = (Path(__file__).parent / "predictions" / f"{dialect}{name}.sql").read_text(encoding="utf-8")
    assert _NUMBER.sub("#", text + "\n") == _NUMBER.sub("#", pinned)
    assert _numbers(text) == pytest.approx(_numbers(pinned), rel=1e-9, abs=1e-12)


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


def _numbers(text: str) -> list[float]:
    return [float(found) for found in _NUMBER.findall(text)]
