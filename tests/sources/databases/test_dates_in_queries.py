"""Predictions as one SELECT from columns of dates and times: what predict_proba gives, in every database."""

from __future__ import annotations

import datetime as dt
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

ROWS = 60
_random = np.random.default_rng(3)
_late = _random.integers(0, 2, ROWS)
_seconds = _random.integers(0, 6_000_000, ROWS) + 3_000_000 * _late
_moments = [dt.datetime(2024, 1, 1, 1, 2, 3, 456_000) + dt.timedelta(seconds=int(k)) for k in _seconds]
_KOLKATA = dt.timezone(dt.timedelta(hours=5, minutes=30))
TYPES = {"day": "date", "moment": "timestamp", "zoned": "timestamptz", "hour": "time"}
TABLE: dict[str, list[Any]] = {
    "day": [moment.date() for moment in _moments],
    "moment": _moments,
    "zoned": [moment.replace(tzinfo=dt.timezone.utc).astimezone(_KOLKATA) for moment in _moments],
    "hour": [moment.time() for moment in _moments],
    "y": ["late" if k else "soon" for k in _late],
}
NEW = {name: list(values) for name, values in TABLE.items() if name != "y"}
for _values in NEW.values():
    _values[3] = None
NEW["day"][4:6] = [dt.date(1900, 2, 28), dt.date(2200, 1, 1)]  # never seen
TEXTS = {"day": [None if day is None else f"{day}" for day in NEW["day"]]}
MODELS = {
    "normal densities": bayou.NaiveBayes("gaussian", evidence_weight=1),
    "ranges": bayou.NaiveBayes("discretised"),
    "single days": bayou.NaiveBayes("table"),
    "TAN": bayou.TAN(),
    "AODE": bayou.AODE(),
    "Gaussian, diagonal": bayou.GaussianBayes("diagonal"),
}


def _declared(types: dict[str, str]) -> str:
    return ", ".join(["id INTEGER", *(f'"{name}" {kind}' for name, kind in types.items())])


def _on_duckdb(table: dict[str, list[Any]], types: dict[str, str], query: str) -> list[Any]:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE rows ({_declared(types)})")
    for row in _numbered(table):
        connection.execute(f"INSERT INTO rows VALUES ({', '.join('?' * len(row))})", row)
    return sorted(connection.execute(query).fetchall())


def _on_sqlite(table: dict[str, list[Any]], types: dict[str, str], query: str) -> list[Any]:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE rows ({_declared(types)})")
    texts = [[_iso(value) for value in column] for column in zip(*_numbered(table), strict=True)]
    insert_rows(connection, texts, "sqlite")
    return sorted(connection.execute(query).fetchall())


def _on_postgres(table: dict[str, list[Any]], types: dict[str, str], query: str) -> list[Any]:
    with psycopg.connect(server().url(server().user)) as connection:
        connection.execute("SET DateStyle = 'German'")
        connection.execute(f"CREATE TEMPORARY TABLE rows ({_declared(types)})".encode())
        places = ", ".join(["%s"] * (len(table) + 1))
        connection.cursor().executemany(f"INSERT INTO rows VALUES ({places})", _numbered(table))
        return sorted(connection.execute(query.encode()).fetchall())


def _numbered(table: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    return [(k, *row) for k, row in enumerate(zip(*table.values(), strict=True))]


def _iso(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value


RUN: dict[str, Callable[[dict[str, list[Any]], dict[str, str], str], list[Any]]] = {
    "duckdb": _on_duckdb,
    "sqlite": _on_sqlite,
    "postgres": _on_postgres,
}


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("name", MODELS)
def test_typed_columns(name: str, dialect: str, tmp_path: Path) -> None:
    MODELS[name].copy().fit(TABLE, "y").save(path := tmp_path / "model.bayou")
    model: Any = bayou.load(path)  # what the query needs to know of the columns is in the file
    found = RUN[dialect](NEW, TYPES, model.to_sql("rows", dialect=dialect, keep=["id"]))
    expected, answered = model.predict_proba(NEW), [row[1] is not None for row in found]
    assert answered.count(False) == (1 if name == "TAN" else 0)  # a network needs every value
    shares = np.array([row[2:] for row in found if row[1] is not None])
    assert np.allclose(shares, expected[answered], rtol=0, atol=1e-9)
    predicted = model.predict(NEW)
    assert [row[1] for row in found if row[1] is not None] == predicted[answered].tolist()


@pytest.mark.parametrize("dialect", RUN)
def test_dates_as_text(dialect: str) -> None:
    """A model of dates takes them as texts, too; and one of texts dates."""
    texts = {"day": [str(day) for day in TABLE["day"]], "y": TABLE["y"]}
    model = bayou.NaiveBayes("gaussian", evidence_weight=1)
    by_date, by_text = model.copy().fit({"day": TABLE["day"]}, TABLE["y"]), model.copy().fit(texts, "y")
    expected = by_date.predict_proba({"day": NEW["day"]})
    for fitted in (by_date, by_text):
        query = fitted.to_sql("rows", dialect=dialect, keep=["id"])
        for table, kind in ((TEXTS, "text"), ({"day": NEW["day"]}, "date")):
            found = RUN[dialect](table, {"day": kind}, query)
            assert np.allclose([row[2:] for row in found], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_texts_that_are_no_dates_are_missing(dialect: str) -> None:
    model = bayou.NaiveBayes("gaussian", evidence_weight=1).fit({"day": TABLE["day"]}, TABLE["y"])
    query = model.to_sql("rows", dialect=dialect, keep=["id"])
    odd, gap = RUN[dialect]({"day": ["soon", None]}, {"day": "text"}, query)
    assert odd[1:] == gap[1:]


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("name", TYPES)
def test_declared_states(name: str, dialect: str) -> None:
    """Dates that were declared as states are looked up, not measured."""
    states = list(dict.fromkeys(TABLE[name]))[:4]
    rows = {name: [state for state in states for _ in range(5)], "y": list("abababbbaaabaaabbbba")}
    model = bayou.NaiveBayes(states={name: states}).fit(rows, "y")
    new = {name: [*states, None, TABLE[name][40]]}
    found = RUN[dialect](new, {name: TYPES[name]}, model.to_sql("rows", dialect=dialect, keep=["id"]))
    assert TABLE[name][40] not in states
    with pytest.warns(bayou.BayouWarning, match="not in the training rows"):
        expected = model.predict_proba(new)
    assert np.allclose([row[2:] for row in found], expected, rtol=0, atol=1e-9)
    assert len({row[2] for row in found}) > 2


def test_databases_whose_dates_nobody_has_tried() -> None:
    model = bayou.NaiveBayes("gaussian").fit({"day": TABLE["day"]}, TABLE["y"])
    with pytest.raises(BadQuestion, match=r"'day' has dates or times.*not for mysql"):
        model.to_sql("rows", dialect="mysql")
