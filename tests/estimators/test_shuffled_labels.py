"""Held out means held out: where the labels say nothing, no classifier is worse than the class shares."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from tests.shared_data import SHARED, needs_shared_data

ENSEMBLE_TABLES: tuple[str, ...] = (
    "credit_approval",
    "galton_heights",
    "house_votes",
    "iris",
    "pima",
    "wine",
    "zoo",
)
if os.environ.get("BAYOU_SHUFFLED_ALL"):  # minutes: all other shared tables that are no toys, too
    ENSEMBLE_TABLES += ("breast_cancer", "pima_missing", "titanic", "soybean", "car", "digits", "mushroom")
    ENSEMBLE_TABLES += ("adult_10k", "adult")
NAMES = ("nb", "gaussian", "chow-liu", "tan", "kdb", "aode")


def _shared(table: str) -> tuple[pandas.DataFrame, np.ndarray[Any, Any]]:
    text = str if table in ("car", "house_votes", "soybean") else None
    path = SHARED / "tables" / f"{table}.csv.gz"
    frame = pandas.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).to_numpy()


@pytest.mark.parametrize("rows", [90, 400])
def test_columns_that_tell_nothing_are_not_believed(rows: int) -> None:
    random = np.random.default_rng(rows)
    losses: dict[str, list[float]] = {}
    for _ in range(3):
        table = pandas.DataFrame(random.normal(size=(rows, 4)), columns=list("abcd"))
        table["e"], table["y"] = random.choice(list("uvw"), rows), random.choice(["no", "yes"], rows)
        numbers = table.drop(columns="e")
        for name in NAMES:
            found = bayou.evaluate(name, numbers if name == "gaussian" else table, "y", folds=5)
            losses.setdefault(name, []).append(found.best.log_loss - found.baseline.log_loss)
    # P(class) itself is learned: it costs about 1/(2n) in each fold, and a weight as much.
    for name, excess in losses.items():
        assert np.mean(excess) < 0.005 + 3 / rows, name


def test_many_columns_of_noise_are_not_believed() -> None:
    """Of two hundred columns some seem to depend on each other given the class, by chance."""
    random = np.random.default_rng(0)
    drawn = random.integers(0, 4, (2400, 200)).astype(str)
    table = {f"c{k}": drawn[:400, k] for k in range(200)}
    model = bayou.BayesEnsemble("small").fit(table, random.choice(["no", "yes"], 400))
    proba = model.predict_proba({f"c{k}": drawn[400:, k] for k in range(200)})
    assert -np.log(proba).mean() < 0.76  # of classes that are drawn by lot; ln 2 is 0.693


@pytest.mark.parametrize(("rows", "columns"), [(150, 120), (300, 600)])
@pytest.mark.parametrize("kind", ["numbers", "states"])
def test_the_ensemble_says_itself_that_noise_tells_nothing(rows: int, columns: int, kind: str) -> None:
    """With 600 columns, those that are used are chosen, too."""
    random = np.random.default_rng(rows)
    shape = (rows + 1000, columns)
    drawn = random.normal(size=shape) if kind == "numbers" else random.integers(0, 4, shape).astype(str)
    names = [f"c{k}" for k in range(columns)]
    y = random.choice(["no", "yes"], len(drawn))
    model = bayou.BayesEnsemble("small").fit(dict(zip(names, drawn[:rows].T, strict=True)), y[:rows])
    proba = model.predict_proba(dict(zip(names, drawn[rows:].T, strict=True)))
    new = -np.log(proba[np.arange(1000), (y[rows:] == "yes").astype(int)]).mean()
    told = model.summary().held_out
    assert told is not None
    assert new < 1.05 * np.log(2)
    assert told.log_loss > 0.95 * np.log(2)


def _folds_of(
    frame: pandas.DataFrame, y: np.ndarray[Any, Any], seed: int, folds: int = 4
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], list[float]]:
    """Losses of every row by the ensemble and by the class shares; what it said of itself in each fold."""
    fold = np.random.default_rng(seed).permutation(len(y)) % folds
    losses, of_shares, told = np.zeros(len(y)), np.zeros(len(y)), []
    for held in range(folds):
        seen, new = fold != held, fold == held
        model = bayou.BayesEnsemble("small").fit(frame[seen], y[seen])
        known = new & np.isin(y, model.classes_)
        place = np.searchsorted(model.classes_, y[known])
        losses[known] = -model.predict_log_proba(frame[known])[np.arange(len(place)), place]
        shares = np.log([(y[seen] == name).mean() for name in model.classes_])
        of_shares[known] = -shares[place]
        scores = model.summary().held_out
        told += [] if scores is None else [scores.log_loss]
    return losses, of_shares, told


@needs_shared_data
@pytest.mark.filterwarnings("ignore:Only 8 of 683 rows have")  # of soybean
@pytest.mark.parametrize("table", ENSEMBLE_TABLES)
def test_the_ensemble_of_shared_tables_with_shuffled_labels(table: str) -> None:
    """At most 1 % above the class shares, or what chance makes of so few rows (two standard errors)."""
    X, y = _shared(table)
    losses, of_shares, _ = _folds_of(X, np.random.default_rng(0).permutation(y), 0)
    error = np.std(losses - of_shares) / np.sqrt(len(y))
    assert losses.mean() < 1.01 * of_shares.mean() + 2 * error


@needs_shared_data
@pytest.mark.filterwarnings("ignore:Only 8 of 683 rows have")  # of soybean
@pytest.mark.parametrize("table", ["credit_approval", "galton_heights", "house_votes", "pima", "titanic"])
def test_what_the_ensemble_says_of_itself_agrees_with_outer_folds(table: str) -> None:
    X, y = _shared(table)
    losses, _, told = _folds_of(X, y, 0)
    assert abs(np.mean(told) - losses.mean()) < 2 * np.std(losses) / np.sqrt(len(y))


@needs_shared_data
@pytest.mark.filterwarnings("ignore:Only 8 of 683 rows have")  # of soybean
@pytest.mark.parametrize("table", ["iris", "house_votes", "credit_approval", "soybean"])
def test_shuffled_labels_of_shared_tables(table: str) -> None:
    X, y = _shared(table)
    shuffled = pandas.Series(np.random.default_rng(0).permutation(y), name="label")
    found = bayou.evaluate(["nb", "chow-liu", "tan", "kdb", "aode"], X, shuffled)
    for model in found.models:
        assert model.log_loss < 1.01 * found.baseline.log_loss, model.name
