"""The exponents of TAN, k-dependence, Chow–Liu trees and AODE: rows left out, sums, files, explanations."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.distributions import prior_from
from bayou.errors import BadQuestion
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.networks import left_out_pairs, left_out_tables
from bayou.estimators.networks.aode import AODE, AODEModel
from bayou.estimators.networks.tree_classifiers import TAN, ChowLiuClassifier, KDependence
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.models.rows.row_coding import code_rows
from bayou.sources import read_columns
from bayou.statistics import RowSample, Statistics

KINDS = [TAN, KDependence, ChowLiuClassifier, AODE]


def rows(n: int = 600, gaps: float = 0.0, seed: int = 1) -> tuple[pandas.DataFrame, np.ndarray]:
    """Columns that repeat each other's evidence, and one of noise."""
    random = np.random.default_rng(seed)
    y = random.choice(["ja", "nein", "offen"], n, p=[0.5, 0.3, 0.2])
    hidden = np.where(random.random(n) < 0.6, y, random.choice(["ja", "nein", "offen"], n))
    table: dict[str, Any] = {
        f"c{k}": np.where(random.random(n) < 0.9, hidden, random.choice(["ja", "nein", "offen"], n))
        for k in range(4)
    }
    table["noise"] = random.choice(list("uv"), n)
    frame = pandas.DataFrame(table)
    return frame.mask(random.random(frame.shape) < gaps), y


def sample_of(model: Any) -> Any:
    return next(result for request, result in model.statistics_.items() if isinstance(request, RowSample))


def without(model: Any, row: dict[str, Any], label: str) -> Statistics:
    """The statistics without one row."""
    one = pandas.DataFrame({name: [value] for name, value in row.items()}, dtype=object)
    alone = model.copy()._collect(model._labelled(one, np.array([label]), None, False))
    kept = {request for request in model.statistics_ if not isinstance(request, RowSample)}
    return model.statistics_.only(kept) - alone.only(kept)


@pytest.mark.parametrize("kind", [TAN(prior=1.0), KDependence(2), ChowLiuClassifier(), AODE(), TAN()])
def test_rows_are_left_out_as_if_the_tables_were_learned_without_them(kind: Any) -> None:
    # Many rows alike, so that no state vanishes with a row; parents and the weights of AODE stay.
    X, y = rows(300)
    model = kind.fit(X, y)
    sample, fitted = sample_of(model), model._model
    if isinstance(fitted, AODEModel):
        found, _ = left_out_pairs.left_out_rows(fitted, sample, model.statistics_, prior_from(0.5), 1)
    else:
        found = left_out_tables.left_out_rows(fitted, sample, left_out_tables.class_records(fitted))
    for row in range(0, len(found.own), 7):
        cells = {name: sample.values[name][row] for name in X}
        rest = without(model, cells, sample.values["class"][row])
        table = FeatureTable(read_columns({name: [value] for name, value in cells.items()}))
        if isinstance(fitted, AODEModel):
            parts = model.features_, prior_from(0.5), 1, fitted.domain, "missing"
            again: Any = AODEModel.estimate(rest, fitted.classes, *parts)
            again = replace(again, weights=fitted.weights)
        else:
            declared = {variable.name: variable for variable in fitted.network.schema}
            tables = replace(fitted.tables, declared=declared, statistics=rest)
            again = replace(fitted, learned=tables.learned(), tables=tables, weight=1.0, column_weights=None)
        by_hand = again.joint_log(table)[0]
        mine = found.log_prior[row] + found.evidence[row]
        # Log-odds: tables without the class, which are the same in all classes, stay as they are.
        own = found.own[row]
        np.testing.assert_allclose(mine - mine[own], by_hand - by_hand[own], rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_exponent_makes_repeated_evidence_count_less(kind: Any) -> None:
    X, y = rows(1200)
    new, truth = rows(1200, seed=2)
    model, plain = kind().fit(X, y), kind(evidence_weight=1).fit(X, y)
    assert plain.evidence_weight_ == 1
    places = np.searchsorted(model.classes_, truth), np.arange(len(truth))
    losses = [-np.log(m.predict_proba(new)[places[1], places[0]]).mean() for m in (model, plain)]
    assert losses[0] < losses[1] + 1e-3
    few = kind().fit(X[:25], y[:25])
    assert few.evidence_weight_ == 1
    np.testing.assert_array_equal(
        few.predict_proba(new), kind(evidence_weight=1).fit(X[:25], y[:25]).predict_proba(new)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_weights_are_those_of_all_rows_however_they_come(kind: Any, gaps: float, tmp_path: Path) -> None:
    X, y = rows(500, gaps)
    if kind is KDependence:  # parents are learned from the first call
        return
    whole = kind().fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    parts = kind()
    for some in np.array_split(order, 3):
        parts.partial_fit(X.iloc[some], y[some])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-7)
    twice = kind().fit(pandas.concat([X, X]), np.concatenate([y, y]))
    weighed = kind().fit(X, y, sample_weight=np.full(len(y), 2))
    np.testing.assert_allclose(weighed.predict_proba(X), twice.predict_proba(X), rtol=1e-9)
    more, labels = rows(40, seed=9)
    changed = kind().fit(pandas.concat([X, more]), np.concatenate([y, labels])).forget(more, labels)
    np.testing.assert_allclose(changed.predict_proba(X), whole.predict_proba(X), rtol=1e-7)
    X.assign(target=y).to_csv(tmp_path / "rows.csv", index=False)
    filed = kind().fit(tmp_path / "rows.csv", "target")
    np.testing.assert_allclose(filed.predict_proba(X), whole.predict_proba(X), rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_weighed_classifiers_are_saved_copied_explained_and_told(kind: Any, tmp_path: Path) -> None:
    X, y = rows(500, 0.1)
    model = kind().fit(X, y)
    # One column is next to the class in the tree of Chow and Liu: there is nothing to weigh.
    assert (model.evidence_weight_ != 1) == (kind is not ChowLiuClassifier)
    model.save(tmp_path / "m.bayou")
    loaded = bayou.load(tmp_path / "m.bayou")
    assert loaded.evidence_weight_ == pytest.approx(model.evidence_weight_, rel=1e-9)
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict_proba(X), model.predict_proba(X))
    ledger = model.explain(dict(X.iloc[3].where(X.iloc[3].notna(), None)))
    entries = ledger.prior + sum(entry.log_odds for entry in ledger.entries) + ledger.remainder
    assert entries == pytest.approx(ledger.total, abs=1e-9)
    assert np.isclose(np.exp(ledger.total), ledger.posterior[ledger.of] / ledger.posterior[ledger.against])
    assert ("vidence weight" in str(model.summary())) == (kind is not ChowLiuClassifier)


@pytest.mark.parametrize("kind", [TAN, KDependence, ChowLiuClassifier])
def test_rows_without_gaps_are_looked_up_and_others_inferred(kind: Any) -> None:
    X, y = rows(400)
    model = kind(evidence_weight=1).fit(X, y)
    fitted = model._model
    coded = code_rows(fitted.network, read_columns(X.mask(X == "u")), "missing")
    answers = rows_posteriors(fitted.network, ("class",), coded.codes, coded.numbers, coded.rows)
    expected = answers.log_evidence[:, None] + np.log(answers.tables["class"])
    found = model.predict_joint_log_proba(X.mask(X == "u"))
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    one_by_one = [model.predict_joint_log_proba(X.mask(X == "u").iloc[[k]])[0] for k in range(20)]
    np.testing.assert_allclose(one_by_one, expected[:20], rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_the_query_of_a_weighed_classifier_gives_its_probabilities(kind: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    X, y = rows(500)
    model = kind().fit(X, y)
    connection = duckdb.connect()
    connection.register("X", X)
    found = connection.execute(model.to_sql("X", dialect="duckdb")).fetchnumpy()
    shares = np.column_stack([found[f"probability_{label}"] for label in model.classes_])
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("weight", [0, -1, "best", None])
def test_weights_that_are_none_are_refused(weight: Any) -> None:
    X, y = rows(20)
    with pytest.raises(BadQuestion, match="evidence_weight="):
        TAN(evidence_weight=weight).fit(X, y)


def test_a_network_does_not_know_the_exponent_and_says_so() -> None:
    X, y = rows(500)
    with pytest.warns(bayou.errors.BayouWarning, match="evidence_weight=1"):
        _ = TAN().fit(X, y).network_


def test_gaps_in_a_wide_network_are_summed_out_row_by_row() -> None:
    """What all rows together may lack is too wide for one plan; what each row lacks is not."""
    random = np.random.default_rng(0)
    y = random.choice(list("ab"), 319)
    columns = {
        f"c{k}": np.where(random.random(319) < 0.5, y, random.choice(list("abcd"), 319)) for k in range(60)
    }
    X = pandas.DataFrame(columns).astype(object)
    model = bayou.KDependence(evidence_weight=1).fit(X, y)
    part = X[:6].copy()
    part.iloc[::2, 5] = None
    found = model.predict_proba(part)
    np.testing.assert_allclose(found[1::2], model.predict_proba(X[1:6:2]), rtol=1e-9)
    # The gap by hand: P(class, row) summed over the states of the column.
    sums = sum(
        np.exp(model.predict_joint_log_proba(part[:1].assign(c5=state))) for state in np.unique(X["c5"])
    )
    np.testing.assert_allclose(found[0], (sums / sums.sum())[0], rtol=1e-9)
