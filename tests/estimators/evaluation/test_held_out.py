"""What is judged on rows held out: densities without a row, folds and weights, against doing it by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou
from bayou.distributions import Laplace
from bayou.errors import BadQuestion
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.auto_feature import FOLDS, MOST_UNITS, fold_weights
from bayou.estimators.naive_bayes.evidence_weight import joint_log_loss, left_out_rows
from bayou.estimators.naive_bayes.feature_kinds import EstimationInput, density_of
from bayou.estimators.naive_bayes.number_kinds import feature_values, gaussian_of, kernel_of, poisson_of
from bayou.sources import read_columns
from bayou.statistics import RowSample

_RANDOM = np.random.default_rng(1)
_CLASSES = _RANDOM.integers(0, 2, 40)
_VALUES: dict[str, list[Any]] = {
    "gaussian": (_RANDOM.normal(size=40) + _CLASSES).tolist(),
    "poisson": _RANDOM.poisson(2 + _CLASSES).tolist(),
    "table": [["süß", "sauer", "bitter"][k] for k in _RANDOM.integers(0, 3, 40)],
    "words": [" ".join(_RANDOM.choice(list("abcdef"), 4)) + " immer" for _ in range(40)],
}


def fitted(kind: str, prior: float, rows: list[int]) -> Any:
    model = bayou.NaiveBayes(kind, prior=prior, evidence_weight=1)
    return model.fit({"wie es ist": [_VALUES[kind][row] for row in rows]}, _CLASSES[rows])._model.densities[0]


@pytest.mark.parametrize("kind", list(_VALUES))
@pytest.mark.parametrize("prior", [0.3, 5.0])
def test_leaving_a_row_out_in_closed_form_is_learning_without_it(kind: str, prior: float) -> None:
    everything = list(range(40))
    whole = FeatureTable(read_columns({"wie es ist": _VALUES[kind]}))
    found = fitted(kind, prior, everything).left_out(whole, _CLASSES.astype(np.int64), np.ones(40))
    by_hand = [
        fitted(kind, prior, [other for other in everything if other != row]).log_density(
            FeatureTable(read_columns({"wie es ist": [_VALUES[kind][row]]}))
        )[0, _CLASSES[row]]
        for row in everything
    ]
    np.testing.assert_allclose(found, by_hand, rtol=1e-6)


def test_the_only_row_of_a_class_leaves_a_rate_that_others_have() -> None:
    model = bayou.NaiveBayes("poisson", evidence_weight=1).fit({"Anrufe": [9, 1, 3]}, ["a", "b", "b"])
    rows = FeatureTable(read_columns({"Anrufe": [9]}))
    found = model._model.densities[0].left_out(rows, np.array([0]), np.ones(1))
    assert found[0] == pytest.approx(9 * np.log(2) - 2 - np.log(np.arange(1, 10)).sum())


@given(weights=st.lists(st.integers(0, 40) | st.floats(0, 9), min_size=1, max_size=30), big=st.booleans())
@settings(deadline=None, max_examples=60)
def test_units_are_dealt_out_in_turn(weights: list[float], big: bool) -> None:
    given = np.array(weights, dtype=np.float64) * (500 if big else 1)
    units = np.repeat(np.arange(len(given)), np.maximum(np.round(given), 1).astype(int))
    step = max(1, -(-len(units) // MOST_UNITS))
    expected = np.zeros((FOLDS, len(given)))
    for turn, entry in enumerate(units[::step]):
        expected[turn % FOLDS, entry] += 1
    np.testing.assert_array_equal(fold_weights(given), expected)


def test_a_row_that_is_impossible_in_all_classes_is_an_infinite_loss() -> None:
    joint = np.array([[0.0, -1.0], [-np.inf, -np.inf]])
    assert joint_log_loss(joint, np.array([0, 1]), np.ones(2)) == np.inf


def test_without_smoothing_a_table_that_fails_on_held_out_values_is_not_chosen() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    values = random.integers(0, 4, 200) + y
    # Each class has the value 9 once: whichever is held out, the other class alone has it in the raw table.
    values[[int(np.argmin(y)), int(np.argmax(y))]] = 9
    model = bayou.NaiveBayes(prior=0).fit({"Stufe": values.tolist()}, y)
    assert model.choices_["Stufe"].losses["table"] == np.inf
    assert model.choices_["Stufe"].kind != "table"


def test_weights_below_one_change_neither_variances_nor_the_weight_of_the_evidence() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 1)) + random.normal(scale=0.3, size=(600, 3))
    y = (X[:, 0] + random.normal(size=600) > 0).astype(int)
    whole, share = np.ones(600), np.full(600, 1 / 600)
    plain = bayou.NaiveBayes("gaussian", class_prior="uniform")
    np.testing.assert_allclose(
        plain.fit(X, y, sample_weight=share).predict_proba(X),
        plain.fit(X, y, sample_weight=whole).predict_proba(X),
        rtol=1e-9,
    )
    once = bayou.NaiveBayes().fit(X, y, sample_weight=whole).evidence_weight_
    half = bayou.NaiveBayes().fit(X, y, sample_weight=whole / 2).evidence_weight_
    assert once < 0.8
    assert half == pytest.approx(once, rel=0.05)


def test_smoothing_reaches_the_kinds_that_are_chosen_automatically() -> None:
    random = np.random.default_rng(4)
    y = np.repeat([0, 1], 150)
    heights = {"x": (random.normal(size=300) + 3 * y).tolist()}
    wide, narrow = (bayou.NaiveBayes(var_smoothing=share).fit(heights, y) for share in (0.5, 1e-9))
    spread = 0.5 * np.var(heights["x"])
    one, two = (candidate_variances(model) for model in (wide, narrow))
    np.testing.assert_allclose(one, two + spread, rtol=1e-6)


def candidate_variances(model: Any) -> Any:
    """The variances of the Gaussian candidate, whatever was chosen."""
    known = EstimationInput(
        model.statistics_, model._class_variable, Laplace(1.0), "missing", 0.0, None, model.var_smoothing
    )
    density: Any = density_of(gaussian_of(feature_values("x", known), known), known)
    return density.distribution.variance


@pytest.mark.parametrize("prior", [0, 4.0])
def test_rates_are_smoothed_alike_whether_stated_or_chosen(prior: float) -> None:
    random = np.random.default_rng(4)
    y = np.repeat([0, 1], 150)
    calls = {"Anrufe": random.poisson(40 + 4 * y).tolist()}
    chosen = bayou.NaiveBayes(prior=prior).fit(calls, y)
    known = EstimationInput(chosen.statistics_, chosen._class_variable, Laplace(prior), "missing", 0.0)
    found: Any = density_of(poisson_of(feature_values("Anrufe", known), known), known)
    stated = bayou.NaiveBayes("poisson", prior=prior).fit(calls, y)
    np.testing.assert_allclose(
        found.distribution.rate, stated._model.densities[0].distribution.rate, rtol=1e-12
    )


@pytest.mark.parametrize("share", [-1e-9, float("nan"), None, "auto"])
def test_a_share_of_the_variance_that_is_none_is_refused(share: Any) -> None:
    with pytest.raises(BadQuestion, match="var_smoothing="):
        bayou.NaiveBayes("gaussian", var_smoothing=share).fit({"x": [1.5, 2.5]}, [0, 1])


def in_classes(*sizes: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of classes with these numbers of rows."""
    classes = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(3).normal(size=len(classes)).round(3) + 2 * classes, classes


def automatic(make: Any, values: Any, classes: Any) -> Any:
    """A density as features="auto" estimates it, of three classes."""
    model = bayou.NaiveBayes(evidence_weight=1, states={"y": [0, 1, 2]})
    model.fit({"x": values.tolist()}, pandas.Series(classes, name="y"))
    known = EstimationInput(model.statistics_, model._class_variable, Laplace(1.0), "missing", 0.0, None, 0.0)
    return density_of(make(feature_values("x", known), known), known)


@pytest.mark.filterwarnings("ignore:1 of 3 groups have no value")
@pytest.mark.parametrize("make", [gaussian_of, kernel_of])
def test_rows_of_classes_of_one_and_two_rows_are_really_left_out(make: Any) -> None:
    values, classes = in_classes(9, 2, 1)
    whole = automatic(make, values, classes)
    table = FeatureTable(read_columns({"x": values.tolist()}))
    found = whole.left_out(table, classes.astype(np.int64), np.ones(12))
    for row in range(12) if make is gaussian_of else (9, 10, 11):
        others = np.arange(12) != row
        one = FeatureTable(read_columns({"x": [values[row]]}))
        by_hand = automatic(make, values[others], classes[others]).log_density(one)[0, classes[row]]
        assert found[row] == pytest.approx(by_hand, rel=1e-9)


def test_a_plain_gaussian_does_not_keep_the_variance_of_a_row_that_is_left_out() -> None:
    values = np.array([1.0, 3.0, 2.0, 4.0, 7.0, 1000.0])
    classes = np.array([0, 0, 0, 1, 1, 2])
    model = bayou.NaiveBayes("gaussian", evidence_weight=1).fit({"x": values.tolist()}, classes)
    density = model._model.densities[0]
    found = density.left_out(FeatureTable(read_columns({"x": values.tolist()})), classes, np.ones(6))
    # 4 is left: the mean is 7 and the variance within classes (2 + 0 + 0) / 5.
    assert found[3] == pytest.approx(-0.5 * (np.log(2 * np.pi * 0.4) + 9 / 0.4), rel=1e-6)
    # 1000 alone: the mean of the others is 3.4, the variance within classes (2 + 4.5) / 5.
    assert found[5] == pytest.approx(-0.5 * (np.log(2 * np.pi * 1.3) + 996.6**2 / 1.3), rel=1e-6)


def test_a_class_that_vanishes_without_its_row_says_nothing_about_the_weight() -> None:
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 150)
    x = random.normal(size=300) + (y == "b")
    table = {"x": x, "again": x + 0.1 * random.normal(size=300)}
    alone = bayou.NaiveBayes(class_prior={"a": 0.4, "b": 0.4, "c": 0.2})
    far = alone.fit({name: [*column, 0.5] for name, column in table.items()}, [*y, "c"])
    sample = far.statistics_[RowSample(("class", "x", "again"))]
    rows = left_out_rows(far._model, sample, far._class_records(far._model))
    assert (rows.own == 2).sum() == 1
    kept = rows.of_classes_that_stay(far._class_records(far._model))
    assert (kept.own == 2).sum() == 0
    assert len(kept.own) == 300
    assert far.evidence_weight_ == kept.best_weight()


def test_the_shares_of_the_classes_are_those_of_the_other_rows() -> None:
    y = ["a"] * 3 + ["b"] * 5
    model = bayou.NaiveBayes(prior=0.5).fit({"x": list("uuvvwwuv")}, y)
    sample = model.statistics_[RowSample(("class", "x"))]
    rows = left_out_rows(model._model, sample, model._class_records(model._model))
    for own, logs in zip(rows.own, rows.log_prior, strict=True):
        left = np.array([3.5, 5.5]) - np.eye(2)[own]
        np.testing.assert_allclose(np.exp(logs), left / 8, rtol=1e-12)
