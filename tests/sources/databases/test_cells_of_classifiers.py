"""Classifiers under transport="cells": what is learned from sums alone, and what is told where not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.database_tables import duckdb_source, postgres_source, sqlite_source

import bayou
from bayou.errors import BadData
from bayou.sources import open_source
from bayou.statistics import RowSample
from bayou.statistics.matrix.class_moments import Form, MomentsByClass

SOURCES = {"duckdb": duckdb_source, "sqlite": sqlite_source, "postgres": postgres_source}
_random = np.random.default_rng(8)
ROWS = 1500
CLASS = _random.integers(0, 3, ROWS)
_GAPS = _random.random((ROWS, 2)) < 0.2
NUMBERS: dict[str, list[Any]] = {
    "y": ["abc"[each] for each in CLASS],
    "f": [float(each) for each in 1e6 + CLASS + _random.normal(size=ROWS)],
    "g": [float(each) for each in (CLASS + 1) * _random.normal(size=ROWS)],
}
WITH_GAPS = {
    "y": NUMBERS["y"],
    **{n: [None if _GAPS[r, k] else v for r, v in enumerate(NUMBERS[n])] for k, n in enumerate("fg")},
}
STATES: dict[str, list[Any]] = {
    "y": NUMBERS["y"],
    **{f"s{k}": ["uvwx"[each] for each in (CLASS + _random.integers(0, 3, ROWS)) % 4] for k in range(3)},
    "i": [None if each == 4 else int(each) for each in _random.integers(0, 5, ROWS)],
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("form", ["columns", "matrices", "pooled"])
@pytest.mark.parametrize("table", [NUMBERS, WITH_GAPS], ids=["complete", "with gaps"])
def test_moments_by_class(kind: str, form: Form, table: dict[str, list[Any]], tmp_path: Path) -> None:
    """The same to ten digits as from the rows; in the same groups of gaps."""
    request = MomentsByClass(("f", "g"), "y", form, with_spread=form == "matrices")
    found = SOURCES[kind](table, tmp_path, transport="cells").collect([request])[request]
    expected = open_source(table).collect([request])[request]
    assert (found.rows == expected.rows).all()
    assert (found.n == expected.n).all()
    assert np.allclose(found.mean, expected.mean, rtol=1e-12)
    assert np.allclose(found.scatter, expected.scatter, rtol=1e-9, atol=1e-8)
    if expected.spread is not None:
        assert np.allclose(found.spread.third, expected.spread.third, rtol=1e-7, atol=1e-5)
        assert np.allclose(found.spread.fourth, expected.spread.fourth, rtol=1e-7)
    assert (found.incomplete is None) == (expected.incomplete is None)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("covariance", ["diagonal", "shared", "full", "regularised"])
@pytest.mark.parametrize("table", [NUMBERS, WITH_GAPS], ids=["complete", "with gaps"])
def test_gaussian_classes(kind: str, covariance: str, table: dict[str, list[Any]], tmp_path: Path) -> None:
    source = SOURCES[kind](table, tmp_path, transport="cells")
    found, expected = (bayou.GaussianBayes(covariance).fit(data, "y") for data in (source, table))
    new = {"f": NUMBERS["f"], "g": NUMBERS["g"]}
    assert np.allclose(found.predict_proba(new), expected.predict_proba(new), atol=1e-7)


@pytest.mark.parametrize("kind", SOURCES)
def test_the_evidence_weight_comes_from_distinct_rows(kind: str, tmp_path: Path) -> None:
    source = SOURCES[kind](STATES, tmp_path, transport="cells")
    found, expected = (bayou.NaiveBayes().fit(data, "y") for data in (source, STATES))
    assert found.evidence_weight_ == pytest.approx(expected.evidence_weight_, rel=1e-9)
    assert expected.evidence_weight_ != 1
    assert np.allclose(found.predict_proba(STATES), expected.predict_proba(STATES), atol=1e-12)
    request = RowSample(("y", "i"), 4096)
    of_cells, of_rows = (data.collect([request])[request] for data in (source, open_source(STATES)))
    assert (of_cells.hashes == of_rows.hashes).all()
    assert (of_cells.weights == of_rows.weights).all()


def test_where_no_sample_is_given_a_warning_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = duckdb_source(NUMBERS, tmp_path, transport="cells")
    with pytest.warns(bayou.BayouWarning, match="the weight 1 is used. Give evidence_weight=1"):
        model = bayou.NaiveBayes().fit(numbers, "y")
    assert model.evidence_weight_ == 1
    with pytest.warns(bayou.BayouWarning, match="Give covariance='shared'"):
        auto = bayou.GaussianBayes().fit(numbers, "y")
    shared = bayou.GaussianBayes("shared").fit(numbers, "y")
    assert np.allclose(auto.predict_proba(NUMBERS), shared.predict_proba(NUMBERS), rtol=0, atol=1e-14)
    monkeypatch.setattr("bayou.sources.databases.database_source.MOST_DISTINCT", 10)
    with pytest.warns(bayou.BayouWarning, match="too many different rows"):
        bayou.NaiveBayes().fit(duckdb_source(STATES, tmp_path, transport="cells"), "y")


def test_learning_in_parts(tmp_path: Path) -> None:
    source = duckdb_source(STATES, tmp_path, transport="cells")
    found, expected = (
        bayou.NaiveBayes().fit(STATES, "y").partial_fit(data, "y") for data in (source, STATES)
    )
    assert np.allclose(found.predict_proba(STATES), expected.predict_proba(STATES), atol=1e-12)


ROW_BY_ROW = {
    "predict": lambda data: bayou.NaiveBayes().fit(STATES, "y").predict(data),
    "predict_proba": lambda data: bayou.TAN().fit(STATES, "y").predict_proba(data),
    "evaluate": lambda data: bayou.evaluate(bayou.NaiveBayes(), data, "y"),
    "log-likelihood": lambda data: bayou.Network("y -> s0").fit(STATES).log_likelihood(data),
    "posterior": lambda data: bayou.Network("y -> s0").fit(STATES).posterior(data, ["y"]),
    "check": bayou.check,
}


@pytest.mark.parametrize("job", ROW_BY_ROW)
def test_what_needs_rows_names_the_query_to_run_instead(job: str) -> None:
    source = postgres_source(STATES, Path(), transport="cells")
    table = source.relation.text
    with pytest.raises(BadData, match=rf"model\.to_sql\('{table}', dialect='postgres'\)"):
        ROW_BY_ROW[job](source)


def test_the_score_of_all_rows_needs_no_row(tmp_path: Path) -> None:
    net = bayou.Network("y -> s0; y -> s1").fit(STATES)
    source = sqlite_source(STATES, tmp_path, transport="cells")
    assert net.score(source) == pytest.approx(net.score(STATES), rel=1e-12)
