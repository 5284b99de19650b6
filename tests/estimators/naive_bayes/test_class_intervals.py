"""Intervals of naive Bayes: Beta quantiles, those of the same network, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

import bayou
from bayou.errors import BadPrior, BadQuestion

THREE_ERRORS = 3 * np.sqrt(0.025 * 0.975 / 2000)
"""Three standard errors of the place of a sampled 2.5 % quantile of 2,000 draws."""


def weather(rows: int = 40, seed: int = 3) -> tuple[dict[str, list[str]], list[str]]:
    random = np.random.default_rng(seed)
    y = random.random(rows) < 0.4
    wind = np.where(random.random(rows) < 0.2 + 0.5 * y, "strong", "weak")
    sky = np.where(random.random(rows) < 0.6 - 0.3 * y, "rain", "sun")
    return {"wind": wind.tolist(), "sky": sky.tolist()}, np.where(y, "yes", "no").tolist()


def test_the_class_alone_has_beta_quantiles() -> None:
    model = bayou.NaiveBayes("table").fit({"x": ["u", "v"] * 10}, ["yes"] * 7 + ["no"] * 13)
    lower, upper = model.predict_interval({"x": [None]})
    exact = beta(7 + 1, 13 + 1)
    assert exact.cdf(lower[0, 1]) == pytest.approx(0.025, abs=THREE_ERRORS)
    assert exact.cdf(upper[0, 1]) == pytest.approx(0.975, abs=THREE_ERRORS)


def test_given_class_probabilities_are_certain() -> None:
    data = {"x": ["u", "v"] * 10}, ["yes"] * 7 + ["no"] * 13
    learned = bayou.NaiveBayes("table").fit(*data)
    given = bayou.NaiveBayes("table", class_prior={"yes": 0.25, "no": 0.75}).fit(*data)
    by_rule = bayou.NaiveBayes("table", rule="ml").fit(*data)
    later = learned.with_class_prior({"yes": 0.25, "no": 0.75})
    for model, share in ((given, 0.25), (by_rule, 0.5), (later, 0.25)):
        lower, upper = model.predict_interval({"x": [None]})
        np.testing.assert_allclose([lower[0, 1], upper[0, 1]], share)
    empirical = bayou.NaiveBayes("table", class_prior="empirical").fit(*data)
    assert beta(7, 13).cdf(empirical.predict_interval({"x": [None]}).lower[0, 1]) == pytest.approx(
        0.025, abs=THREE_ERRORS
    )


def test_they_are_those_of_the_same_network() -> None:
    features, play = weather()
    model = bayou.NaiveBayes("table", evidence_weight=1).fit(features, play)
    net = bayou.Network("play -> wind; play -> sky", states={"play": ["no", "yes"]})
    net.fit({"play": play, **features})
    rows = {"wind": ["weak", "strong", "strong"], "sky": ["rain", "rain", "sun"]}
    interval = net.posterior(rows, "play", interval=0.9).interval
    lower, upper = model.predict_interval(rows, level=0.9)
    # Both make the same draws in the same order: the class, then the features.
    np.testing.assert_allclose(lower, interval.lower["play"], atol=1e-12)
    np.testing.assert_allclose(upper, interval.upper["play"], atol=1e-12)


def test_gaussian_features_are_those_of_the_same_network() -> None:
    random = np.random.default_rng(5)
    y = np.repeat([0, 1], 15)
    x = random.normal(y, 1.0)
    model = bayou.NaiveBayes("gaussian", var_smoothing=0).fit({"x": x}, y)
    net = bayou.Network("y -> x", states={"y": [0, 1]}).fit({"y": y, "x": x})
    values = [-1.0, 0.3, 2.5, 400.0]
    interval = net.posterior({"x": values}, "y", interval=0.9).interval
    lower, upper = model.predict_interval({"x": values}, level=0.9)
    np.testing.assert_allclose(lower, interval.lower["y"], atol=1e-9)
    np.testing.assert_allclose(upper, interval.upper["y"], atol=1e-9)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(9)
    held = 0
    for _ in range(150):
        p, low, high = random.random(3)
        y = random.random(25) < p
        y[:2] = [False, True]  # both classes must occur
        x = random.random(25) < np.where(y, high, low)
        model = bayou.NaiveBayes("table", states={"x": [False, True]}).fit({"x": x}, y)
        lower, upper = model.predict_interval({"x": [True]}, level=0.9)
        truth = p * high / (p * high + (1 - p) * low)
        held += lower[0, 1] <= truth <= upper[0, 1]
    # 150 trials of probability 0.9: 135 expected, standard deviation 3.7.
    assert 124 <= held <= 146


def test_rows_do_not_depend_on_each_other_and_the_seed_is_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    features, play = weather(300)
    model = bayou.NaiveBayes().fit(features, play)
    lower, upper = model.predict_interval(features)
    assert lower.shape == upper.shape == (300, 2)
    probabilities = model.predict_proba(features)
    assert np.all((lower < probabilities) & (probabilities < upper))
    monkeypatch.setattr("bayou.estimators.naive_bayes.class_intervals.ANSWERS_AT_A_TIME", 1)
    few = model.predict_interval({name: column[:9] for name, column in features.items()})
    np.testing.assert_array_equal(few.lower, lower[:9])
    np.testing.assert_array_equal(few.upper, upper[:9])


def test_the_exponent_of_the_evidence_narrows_them() -> None:
    features, play = weather()
    half = bayou.NaiveBayes("table", class_prior="uniform", evidence_weight=0.5).fit(features, play)
    whole = bayou.NaiveBayes("table", class_prior="uniform", evidence_weight=1).fit(features, play)
    row = {"wind": ["strong"], "sky": ["sun"]}

    def odds(ends: np.ndarray) -> float:
        return float(ends[0, 1] / (1 - ends[0, 1]))

    # Quantiles lie between two draws, so that powers of quantiles are not exact.
    assert odds(half.predict_interval(row).upper) == pytest.approx(
        np.sqrt(odds(whole.predict_interval(row).upper)), rel=1e-3
    )


def test_unseen_values_and_impossible_rows_are_treated_as_in_predictions() -> None:
    features, play = weather()
    model = bayou.NaiveBayes("table").fit(features, play)
    with pytest.warns(bayou.BayouWarning, match="1 in 'sky'"):
        unseen = model.predict_interval({"wind": ["weak"], "sky": ["snow"]})
    missing = model.predict_interval({"wind": ["weak"], "sky": [None]})
    np.testing.assert_array_equal(unseen.lower, missing.lower)
    raw = bayou.NaiveBayes("table", prior=0, class_prior="uniform")
    raw.fit({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, [0, 0, 1, 1])
    with pytest.warns(bayou.BayouWarning, match="1 row has probability 0 in every class"):
        lower, upper = raw.predict_interval({"a": [0, 0], "b": [1, 0]})
    np.testing.assert_array_equal(lower, [[0.5, 0.5], [1, 0]])
    np.testing.assert_array_equal(upper, [[0.5, 0.5], [1, 0]])


def test_what_has_no_interval_says_why() -> None:
    features, play = weather()
    model = bayou.NaiveBayes().fit(features, play)
    for wrong in (0, 1, 95, True, "0.95"):
        with pytest.raises(BadQuestion, match="level="):
            model.predict_interval(features, level=wrong)
    numbers = np.random.default_rng(1).normal(size=40)
    kernel = bayou.NaiveBayes({"x": "kernel"}).fit({"x": numbers, **features}, play)
    with pytest.raises(BadQuestion, match="the column 'x' is modelled otherwise"):
        kernel.predict_interval({"x": [0.5]})
    rare = bayou.NaiveBayes("gaussian").fit({"x": [1.0, 2.0, 3.0]}, [0, 0, 1])
    with pytest.raises(BadQuestion, match="uncertainty of the Gaussian 'x' is unknown"):
        rare.predict_interval({"x": [0.5]})
    empty = bayou.NaiveBayes("table", prior=0).fit({"x": ["u", "u", None]}, [0, 0, 1])
    with pytest.raises(BadPrior, match="table of 'x'"):
        empty.predict_interval({"x": ["u"]})
