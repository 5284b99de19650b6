"""Gaussians from rows with gaps: against a closed form, the likelihood itself, other splits and files."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bayou
from bayou import GaussianBayes
from bayou.errors import BadData
from bayou.estimators.gaussian.gap_regressions import GapRegressions, cases_of
from bayou.estimators.gaussian.incomplete_rows import completed_moments
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.statistics.matrix.class_moments import ClassMoments, MomentsByClass
from bayou.statistics.matrix.incomplete_moments import IncompleteMoments


def gappy(rows: int, seed: int = 0, share: float = 0.25) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, rows)
    X = random.normal(size=(rows, 3)) @ random.normal(size=(3, 3)) + y[:, None] * [1.0, -1.0, 0.5]
    X[random.random(X.shape) < share] = np.nan
    return X, y


def moments_of(X: Any, y: Any, form: Any = "pooled") -> ClassMoments:
    names = tuple(f"x{k}" for k in range(X.shape[1]))
    classes = Variable("y", sorted(set(y.tolist())))
    batch = Batch(len(X), {"y": y.astype(np.uint8)}, {name: X[:, k] for k, name in enumerate(names)})
    return MomentsByClass(names, "y", form).answer(batch, {"y": classes})


def test_one_column_with_gaps_has_the_closed_form_of_anderson() -> None:
    """Anderson (1957): μ and σ² of the first column from all rows, the line of the second from whole rows.

    But for the share of variance that regressions take for errors of measurement, 1e-4.
    """
    random = np.random.default_rng(2)
    x = random.normal(5, 2, 80)
    z = 3 - 2 * x + random.normal(size=80)
    z[random.random(80) < 0.4 + 0.3 * (x > 5)] = np.nan
    found = completed_moments(moments_of(np.c_[x, z], np.zeros(80, dtype=int)))
    whole = ~np.isnan(z)
    slope = np.cov(x[whole], z[whole], bias=True)[0, 1] / x[whole].var()
    centre = z[whole].mean() + slope * (x.mean() - x[whole].mean())
    left = z[whole].var() - slope**2 * x[whole].var()
    np.testing.assert_allclose(found.mean, [[x.mean(), centre]], rtol=2e-4)
    expected = [[x.var(), slope * x.var()], [slope * x.var(), left + slope**2 * x.var()]]
    np.testing.assert_allclose(found.scatter / 80, expected, rtol=2e-4)


def log_likelihood(X: Any, y: Any, means: Any, covariance: Any) -> float:
    total = 0.0
    for row, label in zip(X, y, strict=True):
        seen = ~np.isnan(row)
        if seen.any():
            part = covariance[np.ix_(seen, seen)]
            total += multivariate_normal(means[label][seen], part).logpdf(row[seen])
    return total


def test_no_change_of_the_shared_covariance_is_more_likely() -> None:
    X, y = gappy(120)
    model = GaussianBayes("shared").fit(X, y)
    best = log_likelihood(X, y, model.means_, model.covariances_)
    random = np.random.default_rng(0)
    for size in (1e-3, 1e-2):
        for _ in range(20):
            step = np.eye(3) + size * random.normal(size=(3, 3))
            means = model.means_ + size * random.normal(size=(2, 3))
            assert log_likelihood(X, y, means, step @ model.covariances_ @ step.T) < best


@pytest.mark.parametrize("covariance", ["auto", "shared", "full", "regularised"])
def test_any_split_and_a_file_give_the_same_model(covariance: str, tmp_path: Any) -> None:
    X, y = gappy(400)
    whole = GaussianBayes(covariance).fit(X, y)
    parts = GaussianBayes(covariance)
    for some in np.array_split(np.argsort(y, kind="stable"), 3):
        parts.partial_fit(X[some], y[some])
    expected = whole.predict_proba(X)
    np.testing.assert_allclose(parts.predict_proba(X), expected, rtol=1e-6, atol=1e-9)
    whole.save(tmp_path / "m.bayou")
    again: Any = bayou.load(tmp_path / "m.bayou")
    assert (again.predict_proba(X) == expected).all()
    again.partial_fit(X[:50], y[:50])
    twice = GaussianBayes(covariance).fit(np.r_[X, X[:50]], np.r_[y, y[:50]])
    np.testing.assert_allclose(again.predict_proba(X), twice.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("covariance", ["auto", "full"])
def test_columns_that_determine_each_other_do_not_magnify_rounding(covariance: str) -> None:
    """Sums of columns, and indicators beside a number of the same thing: order and copies change nothing."""
    random = np.random.default_rng(0)
    x = random.normal(size=(600, 4)) @ random.normal(size=(4, 4))
    x = np.column_stack([x, x[:, 0] + x[:, 1], x[:, 2] - x[:, 3]])
    y = (x[:, 0] + random.normal(size=600) > 0).astype(int)
    town = random.choice(["a", "b", "c", "d", "rare"], 600, p=[0.3, 0.3, 0.2, 0.195, 0.005]).astype(object)
    place = np.select([town == "a", town == "b", town == "c"], [1.0, 2.0, 4.0], 9.0)
    x[random.random(x.shape) < 0.1] = np.nan
    town[random.random(600) < 0.1] = None
    table = {**{f"x{k}": x[:, k] for k in range(6)}, "town": town, "place": place}
    new = {name: column[300:] for name, column in table.items()}
    weights = random.integers(0, 4, 300)
    copies = np.repeat(np.arange(300), weights)

    def learned(rows: Any, sample_weight: Any = None) -> Any:
        some = {name: column[rows] for name, column in table.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = GaussianBayes(covariance).fit(some, y[rows], sample_weight=sample_weight)
            return model.predict_proba(new)

    once = learned(copies)
    np.testing.assert_allclose(learned(np.arange(300), weights), once, atol=1e-9)
    np.testing.assert_allclose(learned(random.permutation(copies)), once, atol=1e-9)


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_weights_are_repeats(covariance: str) -> None:
    X, y = gappy(100)
    weights = np.random.default_rng(1).integers(0, 3, 100)
    weighed = GaussianBayes(covariance).fit(X, y, sample_weight=weights)
    again = GaussianBayes(covariance).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighed.predict_proba(X), again.predict_proba(X), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("covariance", ["auto", "shared", "full", "regularised"])
def test_every_row_may_have_a_gap(covariance: str) -> None:
    X, y = gappy(300, share=0.0)
    X[np.arange(300), np.arange(300) % 3] = np.nan
    assert GaussianBayes(covariance).fit(X, y).score(X, y) > 0.6
    with pytest.raises(BadData, match="All cells of class 1 are missing"):
        GaussianBayes(covariance).fit(np.where(y[:, None] == 1, np.nan, X), y)


def test_the_shrinkage_of_ledoit_and_wolf_needs_complete_rows() -> None:
    X, y = gappy(300)
    assert GaussianBayes("full", shrinkage="ledoit-wolf").fit(X, y).score(X, y) > 0.6
    X[np.flatnonzero(y), 0] = np.nan
    with pytest.raises(BadData, match="class 1 has none"):
        GaussianBayes("full", shrinkage="ledoit-wolf").fit(X, y)


def test_complete_rows_are_learned_as_before() -> None:
    X, y = gappy(60, share=0.0)
    moments = moments_of(X, y)
    assert completed_moments(moments).scatter is moments.scatter


def test_rows_with_gaps_improve_the_prediction_of_new_rows() -> None:
    X, y = gappy(4120, seed=4, share=0.0)
    test, labels = X[120:], y[120:]
    X, y = X[:120].copy(), y[:120]
    X[np.random.default_rng(0).random(X.shape) < 0.35] = np.nan
    whole = ~np.isnan(X).any(axis=1)

    def loss(model: Any) -> float:
        return float(-np.log(model.predict_proba(test)[np.arange(4000), labels]).mean())

    assert loss(GaussianBayes("full").fit(X, y)) < loss(GaussianBayes("full").fit(X[whole], y[whole])) - 0.01


@pytest.mark.parametrize("determined", [False, True])
def test_regressions_are_those_of_the_block_formula(determined: bool) -> None:
    """Rows one by one: Σ[m,o] Σ[o,o]⁻¹ fills in, Σ[m,m] − Σ[m,o] Σ[o,o]⁻¹ Σ[o,m] is left open."""
    random = np.random.default_rng(5)
    X = random.normal(size=(40, 5))
    factor = random.normal(size=(5, 5))
    factor[4] = factor[0] + (1e-4 if determined else 1.0) * factor[4]
    sigma = factor @ factor.T
    X[random.random(X.shape) < 0.3] = np.nan
    patterns = IncompleteMoments.of(X, np.zeros(40, dtype=np.uint32), 1, None, True)
    assert len(patterns.scatter) == 0
    rows, sums, left = patterns.mean.copy(), np.zeros((1, 5, 5)), np.zeros((5, 5))
    for cases in cases_of(patterns):
        GapRegressions(sigma[None]).fill(cases, rows, patterns.scatter, sums)
    for row, mean, place in zip(rows, patterns.mean, patterns.pattern, strict=True):
        o, m = np.flatnonzero(patterns.seen[place]), np.flatnonzero(~patterns.seen[place])
        slopes = np.linalg.solve(sigma[np.ix_(o, o)], sigma[np.ix_(o, m)]).T
        np.testing.assert_allclose(row[m], slopes @ mean[o], rtol=1e-6, atol=1e-7)
        left[np.ix_(m, m)] += sigma[np.ix_(m, m)] - slopes @ sigma[np.ix_(o, m)]
    np.testing.assert_allclose(sums[0], left, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("form", ["pooled", "matrices"])
def test_many_rows_of_a_pattern_become_a_matrix_and_earlier_files_load(form: Any) -> None:
    X, y = gappy(400)
    moments = moments_of(X, y, form)
    gaps = moments.incomplete
    assert gaps is not None
    assert len(gaps.scatter) > 0
    assert len(gaps.n) < np.isnan(X).any(axis=1).sum()
    k, p = 2, len(gaps.seen)
    n, mean = np.zeros((p, k)), np.zeros((p, k, 3))
    scatter = np.zeros((p, 1 if form == "pooled" else k, 3, 3))
    for place in range(p):
        same = ((~np.isnan(X)) == gaps.seen[place]).all(axis=1)
        for label in range(k):
            rows = np.where(gaps.seen[place], X[same & (y == label)], 0.0)
            n[place, label] = len(rows)
            if len(rows):
                mean[place, label] = rows.mean(axis=0)
                away = rows - mean[place, label]
                scatter[place, 0 if form == "pooled" else label] += away.T @ away
    earlier = {
        "seen": gaps.seen,
        "n": n,
        "mean": mean,
        "scatter": scatter[:, 0] if form == "pooled" else scatter,
    }
    state = {**moments.state(), "incomplete": earlier}
    expected, found = completed_moments(moments), completed_moments(ClassMoments.from_state(state))
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("covariance", ["auto", "shared", "full", "diagonal"])
@pytest.mark.parametrize("scale", [1e154, 1e155, 1e300])
def test_numbers_whose_squares_overflow_are_refused_by_name(covariance: str, scale: float) -> None:
    rows = {"a": [None, scale, 2 * scale, 3 * scale] * 10, "b": np.random.default_rng(0).normal(size=40)}
    with pytest.raises(BadData, match="The squares of 'a' are too large for floats"):
        bayou.GaussianBayes(covariance).fit(rows, ["u", "v", "v", "u"] * 10)
