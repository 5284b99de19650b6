"""Texts in a database that spell dates or amounts: one meaning, whatever holds the table, and however much
of it travels.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.conformance.database_tables import Table, duckdb_source, postgres_source, sqlite_source
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.sources import open_source
from bayou.sources.streams import relation_rows
from bayou.statistics import Moments, NumberSummary

SOURCES: dict[str, Callable[..., Any]] = {
    "duckdb": duckdb_source,
    "sqlite": sqlite_source,
    "postgres": postgres_source,
}
ROWS = 400
_random = np.random.default_rng(6)
_late = _random.integers(0, 2, ROWS)
_days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(k)) for k in _random.integers(0, 60, ROWS)]


def _with_gaps(values: list[Any], word: str) -> list[Any]:
    """The same values, some missing, one of them by a word."""
    return [None if k % 40 == 3 else word if k == 5 else value for k, value in enumerate(values)]


TABLE: Table = {
    "day": _with_gaps(
        [str(day + datetime.timedelta(days=int(45 * k))) for day, k in zip(_days, _late, strict=True)], "NA"
    ),
    "price": _with_gaps(
        [f"${3 * k + n}.50" for k, n in zip(_late, _random.integers(0, 5, ROWS), strict=True)], "?"
    ),
    "wind": [
        "weak" if k < 0.3 + 0.4 * late else "strong"
        for k, late in zip(_random.random(ROWS), _late, strict=True)
    ],
    "y": ["late" if k else "soon" for k in _late],
}
FRAME = pd.DataFrame(TABLE)
MEASURED = {"day": "gaussian", "price": "gaussian"}
MODELS = {
    "naive Bayes": lambda: bayou.NaiveBayes(evidence_weight=1),
    "normal densities": lambda: bayou.NaiveBayes(MEASURED, evidence_weight=1),
    "TAN": bayou.TAN,
    "AODE": bayou.AODE,
}


@pytest.mark.parametrize("transport", ["auto", "cells", "rows"])
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("name", MODELS)
def test_a_classifier_is_that_of_the_frame(name: str, kind: str, transport: str, tmp_path: Path) -> None:
    expected = MODELS[name]().fit(FRAME, "y").predict_proba(FRAME)
    source = SOURCES[kind](TABLE, tmp_path, transport=transport)
    found = MODELS[name]().fit(source, "y")
    assert np.allclose(found.predict_proba(FRAME), expected, rtol=0, atol=1e-12)
    if transport != "cells":
        assert np.allclose(found.predict_proba(source), expected, rtol=0, atol=1e-12)
    assert found.predict_proba(FRAME.assign(day=[None] * ROWS)) != pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_a_classifier_of_a_relation_is_that_of_the_frame(name: str) -> None:
    """Its rows come in batches; what they spell is looked up over all of them, in the relation itself."""
    with duckdb.connect() as connection:
        duckdb_rows = connection.sql("select * from FRAME")
        found = MODELS[name]().fit(duckdb_rows, "y")
        assert connection.sql("select count(*) from duckdb_views() where not internal").fetchall() == [(0,)]
    expected = MODELS[name]().fit(FRAME, "y")
    assert np.allclose(found.predict_proba(FRAME), expected.predict_proba(FRAME), rtol=0, atol=1e-12)


def test_a_column_of_a_relation_has_one_kind_in_all_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later rows decide: a text after dates, a fraction after whole numbers with gaps; or states= do."""
    monkeypatch.setattr(relation_rows, "_ROWS_AT_ONCE", 2_048)
    late = 6_000
    table = {
        "day": ["2024-01-05", "2024-02-06"] * (late // 2) + ["2024-01-05", "tomorrow"],
        "date": [None] * late + ["2024-01-05", "2024-02-06"],
        "number": [1.0, None] * (late // 2) + [2.0, 2.5],
        "y": ["u", "v"] * (late // 2 + 1),
    }
    frame = pd.DataFrame(table)
    with duckdb.connect() as connection:
        rows = connection.sql("select * from frame")
        for arcs in ("y -> day", "y -> date", "y -> number"):
            found, expected = (bayou.Network(arcs).fit(data) for data in (rows, frame))
            name = arcs[5:]
            assert found.variables[name] == expected.variables[name]
        declared = {"date": ["2024-01-05", "2024-02-06"]}
        assert bayou.Network("y -> date", states=declared).fit(rows).states("date") == tuple(declared["date"])


@pytest.mark.parametrize("kind", SOURCES)
def test_a_network_has_the_states_of_the_frame(kind: str, tmp_path: Path) -> None:
    net = bayou.Network("y -> day; y -> price")
    expected, found = net.copy().fit(FRAME), net.copy().fit(SOURCES[kind](TABLE, tmp_path))
    assert found.states("day") == expected.states("day")
    assert all(isinstance(state, datetime.date) for state in found.states("day"))
    assert found.query("price").mean == pytest.approx(expected.query("price").mean, rel=1e-12)
    texts = sorted({day for day in TABLE["day"] if day not in (None, "NA")} | {"NA"})
    declared = bayou.Network("y -> day", states={"day": texts}).fit(SOURCES[kind](TABLE, tmp_path))
    assert declared.states("day") == tuple(texts)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("transport", ["cells", "rows"])
def test_statistics_of_amounts(kind: str, transport: str, tmp_path: Path) -> None:
    requests = [NumberSummary("price"), Moments(("price",), ("y",)), Moments(("price",))]
    found = SOURCES[kind](TABLE, tmp_path, transport=transport).collect(requests)
    expected = open_source(FRAME).collect(requests)
    assert found[requests[0]] == expected[requests[0]]
    for request in requests[1:]:
        assert np.allclose(found[request].mean, expected[request].mean, rtol=1e-12)
        assert np.allclose(found[request].scatter, expected[request].scatter, rtol=1e-9)


def test_amounts_are_not_summed_with_other_numbers_in_the_database(tmp_path: Path) -> None:
    table = {"price": TABLE["price"], "day": TABLE["day"], "y": TABLE["y"]}
    with pytest.raises(BadData, match=r"Column 'price' .* has dates, or numbers as text.*leave"):
        bayou.GaussianBayes("shared").fit(duckdb_source(table, tmp_path, transport="cells"), "y")


@pytest.mark.parametrize("transport", ["cells", "rows"])
@pytest.mark.parametrize("kind", SOURCES)
def test_what_the_first_rows_do_not_show(kind: str, transport: str, tmp_path: Path) -> None:
    """Gaps or dates in the first ten thousand rows, and what comes later."""
    long = 12_000
    table: Table = {
        "late date": [None] * (long - 200) + ["2024-01-05", "2024-02-06"] * 100,
        "no date": ["2024-01-05"] * (long - 1) + ["tomorrow"],
        "late mark": ["1", "2"] * (long // 2 - 1) + ["3", "$4"],
        "no mark": ["1", "2"] * (long // 2 - 1) + ["007", "$4"],
        "y": ["u", "v"] * (long // 2),
    }
    model = bayou.NaiveBayes(evidence_weight=1)
    expected = model.copy().fit(pd.DataFrame(table), "y")
    found = model.copy().fit(SOURCES[kind](table, tmp_path, transport=transport), "y")
    rows = {name: [values[0], values[-1], None] for name, values in table.items() if name != "y"}
    assert np.allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=0, atol=1e-12)
    assert found.statistics_.keys() == expected.statistics_.keys()


@pytest.mark.parametrize("transport", ["cells", "rows"])
def test_columns_of_dates_are_days_whatever_travels(transport: str) -> None:
    dates = [None if day in (None, "NA") else datetime.date.fromisoformat(day) for day in TABLE["day"]]
    moments = [
        None if day is None else datetime.datetime.combine(day, datetime.time(k % 24))
        for k, day in enumerate(dates)
    ]
    rows = list(zip(dates, moments, TABLE["y"], strict=True))
    frame = pd.DataFrame({"day": pd.Series(dates, dtype=object), "moment": moments, "y": TABLE["y"]})
    expected = bayou.TAN().fit(frame, "y").predict_proba(frame)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE days (day DATE, moment TIMESTAMP, y VARCHAR)")
    connection.executemany("INSERT INTO days VALUES (?, ?, ?)", rows)
    name = server().make_table({"day": "date", "moment": "timestamp", "y": "text"}, rows)
    for table, where in (("days", connection), (name, server().url())):
        found = bayou.TAN().fit(bayou.from_sql(table, where, transport=transport), "y")
        assert np.allclose(found.predict_proba(frame), expected, rtol=0, atol=1e-12)


def test_texts_of_an_enumeration_stay_texts() -> None:
    server().run("CREATE TYPE dated AS ENUM ('2024-01-05', '2024-02-06')")
    name = server().make_table({"day": "dated"}, [["2024-01-05"], ["2024-02-06"]])
    assert bayou.Network("day").fit(bayou.from_sql(name, server().url())).states("day") == (
        "2024-01-05",
        "2024-02-06",
    )


@pytest.mark.parametrize("kind", SOURCES)
def test_a_column_that_names_rows_is_left_out_whatever_travels(kind: str, tmp_path: Path) -> None:
    table = {"name": [f"n{k}" for k in range(ROWS)], "wind": TABLE["wind"], "y": TABLE["y"]}
    for model in (bayou.TAN(), bayou.AODE()):
        found = []
        for transport in ("rows", "cells"):
            with pytest.warns(bayou.BayouWarning, match="Nearly every row has a different value of 'name'"):
                found.append(model.copy().fit(SOURCES[kind](table, tmp_path, transport=transport), "y"))
        assert found[0].features_ == found[1].features_ == ("wind",)
