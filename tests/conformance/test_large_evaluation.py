"""Rows that are too many for memory are judged by the numbers of a table in memory, whatever holds them."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou.decisions.scoring_rules import MEASURES
from bayou.errors import BadData, NotAvailable, TooWide, UnknownVariable, without_warnings
from bayou.estimators.evaluation import large_folds
from bayou.sources import FileSource
from bayou.sources.files import file_source
from bayou.sources.stored_rows import rows_to_read_again

ROWS = 300
_random = np.random.default_rng(8)
KIND = _random.integers(0, 2, ROWS)
TABLE: dict[str, Any] = {
    "size": (KIND + _random.normal(0, 1, ROWS)).round(2).tolist(),
    "legs": (2 * KIND + _random.integers(0, 3, ROWS)).tolist(),
    "wet": [("dry", "wet")[k] for k in (KIND + (_random.random(ROWS) < 0.2)) % 2],
    "times": _random.integers(0, 4, ROWS).tolist(),
    "kind": [("ape", "bee")[k] for k in KIND],
}
TABLE["kind"][11] = None
PLAIN = {name: column for name, column in TABLE.items() if name != "times"}
NUMBERS = {name: PLAIN[name] for name in ("size", "legs", "kind")}


def _parquet(table: dict[str, Any], folder: Path) -> Any:
    pl.DataFrame(table).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def _batches(table: dict[str, Any], folder: Path) -> Any:
    frame = pl.DataFrame(table)
    return bayou.from_batches(lambda: (frame[first : first + 70] for first in range(0, ROWS, 70)))


def _database(table: dict[str, Any], folder: Path) -> Any:
    connection = sqlite3.connect(folder / "rows.db")
    connection.execute(f"create table rows ({', '.join(table)})")
    marks = ", ".join("?" * len(table))
    connection.executemany(f"insert into rows values ({marks})", zip(*table.values(), strict=True))
    connection.commit()
    return bayou.from_sql("rows", connection)


KINDS: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "Parquet": _parquet,
    "batches": _batches,
    "database": _database,
    "own source": lambda table, _: ListSource(table, 64),
}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rows are kept in memory."""
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 60)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_read_again_in_their_order(kind: str, tmp_path: Path, large: None) -> None:
    _, _, rows = rows_to_read_again(KINDS[kind](PLAIN, tmp_path))
    assert rows is not None
    for names in (list(PLAIN), ["wet"]):
        tables = list(FileSource(rows.file, names).tables())
        assert len(tables) > 1
        for name in names:
            column = [value for table in tables for value in table.columns.coded(name).values()]
            assert column == PLAIN[name]


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("kind", KINDS)
def test_evaluation_with_weights_and_other_estimators(kind: str, tmp_path: Path) -> None:
    """GaussianNB learns from numbers; the classifier of bayou gets the same columns."""
    table = {**NUMBERS, "times": TABLE["times"]}
    models = {"nb": bayou.NaiveBayes(), "foreign": GaussianNB()}
    expected = bayou.evaluate(models, table, "kind", folds=3, weights="times")
    data = KINDS[kind](table, tmp_path)
    found = bayou.evaluate(models, data, "kind", folds=3, weights="times")
    for name in models:
        np.testing.assert_allclose(found[name].probabilities, expected[name].probabilities, rtol=1e-7)
        assert found[name].log_loss == pytest.approx(expected[name].log_loss, rel=1e-10)
    assert found.left_out == expected.left_out > 1


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("kind", KINDS)
def test_evaluation_without_weights(kind: str, tmp_path: Path) -> None:
    expected = bayou.evaluate(["tan", GaussianNB()], NUMBERS, "kind", folds=3)
    found = bayou.evaluate(["tan", GaussianNB()], KINDS[kind](NUMBERS, tmp_path), "kind", folds=3)
    for name in ("tan", "GaussianNB"):
        np.testing.assert_allclose(found[name].probabilities, expected[name].probabilities, rtol=1e-7)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("weights", [None, "times"])
def test_predictions_that_are_not_kept_are_judged_alike(
    weights: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {**NUMBERS, "times": TABLE["times"]} if weights else NUMBERS
    models = {"nb": bayou.NaiveBayes(), "foreign": GaussianNB()}
    costs = {"feed": {"ape": 1, "bee": 4}, "wait": {"ape": 3, "bee": 0}}
    path = _parquet(table, tmp_path)
    expected = bayou.evaluate(models, path, "kind", folds=3, weights=weights, costs=costs)
    monkeypatch.setattr(large_folds, "_KEPT_SHARE", 0.0)
    found = bayou.evaluate(models, path, "kind", folds=3, weights=weights, costs=costs)
    pairs = [(found[name], expected[name]) for name in models] + [(found.baseline, expected.baseline)]
    for model, kept in pairs:
        for measure in (*MEASURES, "average_precision", "cost"):
            assert getattr(model, measure) == pytest.approx(getattr(kept, measure), rel=1e-9)
        np.testing.assert_allclose(model.confusion.counts, kept.confusion.counts)
        for fold, other in zip(model.folds, kept.folds, strict=True):
            assert fold.scores.rows == other.scores.rows
            assert fold.scores.auc == pytest.approx(other.scores.auc, rel=1e-9)
            assert fold.scores.log_loss == pytest.approx(other.scores.log_loss, rel=1e-9)
    assert found.scheme == expected.scheme
    np.testing.assert_array_equal(found.fold_of_row, expected.fold_of_row)
    assert pickle.loads(pickle.dumps(found)).best.auc == found.best.auc
    with pytest.raises(NotAvailable, match="was not kept"):
        _ = found["nb"].probabilities
    with pytest.raises(NotAvailable, match="Raise the limit"):
        found["nb"].roc()


@pytest.mark.parametrize("kind", KINDS)
def test_cross_validation_with_weights(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    net = bayou.Network("kind -> wet; kind -> legs")
    models: list[tuple[Any, tuple[str, ...]]] = [(net, ()), (bayou.TAN(), ("kind",))]
    with without_warnings():
        expected = [bayou.cross_validate(m, TABLE, *t, folds=3, weights="times") for m, t in models]
        request.getfixturevalue("large")
        for place, ((model, target), before) in enumerate(zip(models, expected, strict=True)):
            data = _again(kind, TABLE, tmp_path / str(place))
            found = bayou.cross_validate(model, data, *target, folds=3, weights="times")
            np.testing.assert_allclose(found.row_losses, before.row_losses, rtol=1e-9)
            assert found.loss == pytest.approx(before.loss, rel=1e-10)


@pytest.mark.usefixtures("large")
def test_an_iterator_is_read_once() -> None:
    frame = pl.DataFrame(NUMBERS)
    batches = (frame[first : first + 70] for first in range(0, ROWS, 70))
    expected = bayou.evaluate("nb", NUMBERS, "kind", folds=3)
    found = bayou.evaluate("nb", bayou.from_batches(batches), "kind", folds=3)
    np.testing.assert_allclose(found["nb"].probabilities, expected["nb"].probabilities, rtol=1e-7)


@pytest.mark.usefixtures("large")
def test_weights_beside_a_large_file(tmp_path: Path) -> None:
    weights = np.arange(ROWS) % 5 / 2
    expected = bayou.evaluate("nb", PLAIN, "kind", folds=3, weights=weights)
    found = bayou.evaluate("nb", _parquet(PLAIN, tmp_path), "kind", folds=3, weights=weights)
    np.testing.assert_allclose(found["nb"].probabilities, expected["nb"].probabilities, rtol=1e-9)
    with pytest.raises(BadData, match="expected one per row"):
        bayou.evaluate("nb", _parquet(PLAIN, tmp_path), "kind", weights=weights[1:])


@pytest.mark.usefixtures("large")
def test_an_estimator_that_needs_all_rows_is_refused_before_it_reads_them(tmp_path: Path) -> None:
    path = _parquet(NUMBERS, tmp_path)
    with bayou.limits(memory="1 KB"), pytest.raises(TooWide, match="GaussianNB learns from all rows at once"):
        bayou.evaluate(GaussianNB(), path, "kind")
    with pytest.raises(BadData, match="target must be one of their columns"):
        bayou.evaluate("nb", path, PLAIN["kind"])
    with pytest.raises(UnknownVariable, match="tines"):
        bayou.evaluate("nb", path, "kind", weights="tines")


def test_estimators_predict_some_rows_at_a_time(large: None, tmp_path: Path) -> None:
    seen: list[int] = []

    class Watched(GaussianNB):
        def predict_proba(self, X: Any) -> Any:
            seen.append(len(X))
            return super().predict_proba(X)

    with without_warnings():
        bayou.evaluate(Watched(), _parquet(NUMBERS, tmp_path), "kind", folds=2)
    assert sum(seen) == ROWS - 1
    assert max(seen) < ROWS / 2 - 1


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("kind", KINDS)
def test_features_are_selected(kind: str, tmp_path: Path) -> None:
    for by in ("mutual information", "markov blanket"):
        with without_warnings():
            expected = bayou.FeatureSelector(by).fit(PLAIN, "kind")
            found = bayou.FeatureSelector(by).fit(_again(kind, PLAIN, tmp_path / by), "kind")
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)
        np.testing.assert_allclose(found.pvalues_, expected.pvalues_, rtol=1e-10)
        assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
        assert found.transform(_again(kind, PLAIN, tmp_path / f"new {by}")) == expected.transform(PLAIN)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_cut(kind: str, tmp_path: Path) -> None:
    table = {**PLAIN, "rain": [bool(k % 2) for k in KIND]} if kind != "database" else PLAIN
    with without_warnings():
        expected = bayou.MDLDiscretizer().fit(table, "kind")
        found = bayou.MDLDiscretizer().fit(_again(kind, table, tmp_path / "old"), "kind")
    assert list(found.cuts_) == list(expected.cuts_)
    for name, cuts in expected.cuts_.items():
        assert found.cuts_[name].tolist() == cuts.tolist()
    new = {name: table[name] for name in table if name != "kind"}
    ranges = found.transform(_again(kind, new, tmp_path / "new"))
    assert ranges.tolist() == expected.transform(new).tolist()
    with pytest.raises(BadData, match="'wet'"), without_warnings():
        bayou.MDLDiscretizer(other="error").fit(_again(kind, table, tmp_path / "error"), "kind")


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("evidence", ["cross-validation", "marginal"])
def test_hypotheses_vote(kind: str, evidence: str, tmp_path: Path) -> None:
    table = {name: PLAIN[name] for name in ("wet", "legs", "kind")}
    tables = {
        "apart": bayou.NetworkClassifier("kind -> wet, legs", target="kind"),
        "together": bayou.NetworkClassifier("wet, legs -> kind", target="kind"),
    }
    with without_warnings():
        expected = bayou.BayesOptimal(tables, evidence=evidence).fit(table, "kind")
        data = _again(kind, table, tmp_path / "old")
        found = bayou.BayesOptimal(tables, evidence=evidence).fit(data, "kind")
        prefit = bayou.BayesOptimal(found.hypotheses_, prefit=True)
        prefit.fit(_again(kind, table, tmp_path / "prefit"), "kind")
        judged = bayou.BayesOptimal(expected.hypotheses_, prefit=True).fit(table, "kind")
        new = {name: table[name] for name in ("wet", "legs")}
        answers = found.predict_proba(_again(kind, new, tmp_path / "new"))
    assert found.evidence_ == evidence
    assert found.log_evidence_ == pytest.approx(expected.log_evidence_, rel=1e-9)
    assert prefit.log_evidence_ == pytest.approx(judged.log_evidence_, rel=1e-9)
    np.testing.assert_allclose(answers, expected.predict_proba(new), rtol=1e-9)


@pytest.mark.usefixtures("large")
def test_weights_of_rows_that_are_learned_from(tmp_path: Path) -> None:
    weights = np.arange(ROWS) % 3
    with without_warnings():
        expected = bayou.NaiveBayes().fit(PLAIN, "kind", sample_weight=weights)
        found = bayou.NaiveBayes().fit(_parquet(PLAIN, tmp_path), "kind", sample_weight=weights)
        np.testing.assert_allclose(found.predict_proba(PLAIN), expected.predict_proba(PLAIN), rtol=1e-9)


def _again(kind: str, table: dict[str, Any], folder: Path) -> Any:
    """The table as data of this kind, in a folder of its own."""
    folder.mkdir()
    return KINDS[kind](table, folder)
