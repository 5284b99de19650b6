"""The members of the ensemble, each checked against something computed in another way."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.added_shares import AddedShares, logarithmic_mean
from bayou.estimators.pooled.feature_codes import UNKNOWN
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.hidden_features import HiddenFeatures
from bayou.estimators.pooled.log_pool import LogPool, fitted_pool
from bayou.estimators.pooled.members import dependence_member
from bayou.estimators.pooled.members.dependence_member import grown_member
from bayou.estimators.pooled.members.gaussian_member import Moments, grown_gaussian
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import prepared_columns
from bayou.estimators.pooled.random_cuts import SeenNumbers
from bayou.estimators.pooled.training_rows import NUMBERS, STATES, TrainingRows, training_rows
from bayou.schema import Variable
from bayou.statistics import SampledRows

SETTINGS = PoolSettings(members=2, trees=5)
NOTHING_HIDDEN = HiddenFeatures(())
KINDS = {"x": NUMBERS, "z": NUMBERS, "s": STATES}


def some_rows(n: int = 250, weighted: bool = False) -> TrainingRows:
    random = np.random.default_rng(4)
    own = random.integers(0, 3, n)
    values: dict[str, list[Any]] = {
        "y": [("a", "b", "c")[k] for k in own],
        "x": (own + random.normal(size=n)).tolist(),
        "z": random.normal(size=n).tolist(),
        "s": [("u", "v", None)[k] for k in (own + random.integers(0, 2, n)) % 3],
    }
    weights = random.integers(1, 4, n).astype(np.float64) if weighted else np.ones(n)
    sample = SampledRows.from_values(values, weights, n)
    kinds = {"x": "float", "z": "float", "s": "states"}
    return training_rows(sample, Variable("y", ["a", "b", "c"]), kinds, seed=0)


def prepared(rows: TrainingRows) -> Any:
    return prepared_columns(rows, {"s": Variable("s", ["u", "v"])}, KINDS, SETTINGS)[0]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_member_scores_left_out_rows_as_if_it_had_never_seen_them(weighted: bool) -> None:
    rows = some_rows(weighted=weighted)
    columns = prepared(rows)
    fine = columns.coded(FeatureTable(rows.columns))
    kept = np.arange(0, 250, 9)
    member, left_out = grown_member(0, columns, fine, rows, kept, seed=0)
    codes = columns.of_member(0, fine)
    whole = member.terms(np.ascontiguousarray(codes[:, kept]))
    own = rows.own[kept]
    less = left_out.terms[np.arange(len(kept)), own].sum(axis=1)
    assert less.mean() < whole[np.arange(len(kept)), own].sum(axis=1).mean()
    np.testing.assert_allclose(np.exp(left_out.log_prior).sum(axis=1), 1.0)
    weights = rows.class_weights[own] - 1 + 1
    expected = weights / (rows.weights.sum() - 1 + 3)
    np.testing.assert_allclose(np.exp(left_out.log_prior)[np.arange(len(kept)), own], expected)


def test_what_is_held_out_of_a_row_does_not_depend_on_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependence_member, "STRENGTHS", [1.0])  # chosen by the rows together
    rows = some_rows()
    columns = prepared(rows)
    fine = columns.coded(FeatureTable(rows.columns))
    kept = np.arange(0, 250, 9)
    _, left_out = grown_member(0, columns, fine, rows, kept, seed=0)
    for place in range(0, len(kept), 5):
        own = rows.own.copy()
        own[kept[place]] = (own[kept[place]] + 1) % 3
        _, other = grown_member(0, columns, fine, replace(rows, own=own), kept, seed=0)
        np.testing.assert_allclose(other.terms[place], left_out.terms[place], rtol=0, atol=1e-12)


def test_parents_come_before_their_children() -> None:
    rows = some_rows()
    columns = prepared(rows)
    fine = columns.coded(FeatureTable(rows.columns))
    member, _ = grown_member(0, columns, fine, rows, np.arange(5), seed=0)
    parents = {child: {p for p in own if p >= 0} for child, own in enumerate(member.parents.tolist())}
    while parents:
        roots = [child for child, own in parents.items() if not own]
        assert roots, "the arcs have a cycle"
        parents = {c: own - set(roots) for c, own in parents.items() if c not in roots}


def test_member_codes_are_the_ranges_of_the_members_own_cuts() -> None:
    rows = some_rows()
    columns = prepared(rows)
    fine = columns.coded(FeatureTable(rows.columns))
    numbers = rows.columns.numbers("x")
    codes = columns.of_member(1, fine)[0]
    ends = [(numbers[codes == code].min(), numbers[codes == code].max()) for code in np.unique(codes)]
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ends))
    assert 2 <= len(ends) <= 12
    assert columns.own[:, 0, UNKNOWN].tolist() == [UNKNOWN, UNKNOWN]


def test_spikes_do_not_take_all_cuts() -> None:
    values = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    seen = SeenNumbers.of(values, np.ones(1000))
    assert len(seen.even_cuts(10)) >= 8
    assert len(seen.random_cuts(10, np.random.default_rng(0))) >= 6


def test_class_densities_are_normal() -> None:
    random = np.random.default_rng(0)
    own = random.integers(0, 2, 400)
    matrix = random.normal(size=(400, 3)) + own[:, None]
    moments = Moments.of(matrix, own, np.ones(400), 2)
    normals = moments.spread().normals((0.0, 0.0), np.log([0.5, 0.5]))
    joint = normals.joint(matrix[:9], NOTHING_HIDDEN)
    for k in range(2):
        covariance = np.linalg.inv(normals.precisions[k])
        expected = multivariate_normal(normals.means[k], covariance).logpdf(matrix[:9])
        shift = joint[:, k] - expected - np.log(0.5)
        np.testing.assert_allclose(shift, shift[0], atol=1e-9)
        near = np.cov(matrix[own == k].T)
        np.testing.assert_allclose(covariance, near, atol=0.12)
    rest, parts = normals.parts(matrix[0], np.zeros(3, dtype=bool), 0)
    assert rest + parts.sum() == pytest.approx(joint[0, 0])


def test_of_rows_with_hidden_features_the_rest_is_normal() -> None:
    random = np.random.default_rng(1)
    own, mixing = random.integers(0, 2, 400), random.normal(size=(5, 5))
    matrix = random.normal(size=(400, 5)) @ mixing + own[:, None]
    normals = Moments.of(matrix, own, np.ones(400), 2).spread().normals((0.0, 0.0), np.log([0.3, 0.7]))
    hidden = random.random((400, 5)) < 0.5
    hidden[:3] = [[False] * 5, [True] * 5, [True] * 5]
    joint = normals.joint(np.where(hidden, 0.0, matrix), HiddenFeatures.of(hidden))
    np.testing.assert_allclose(joint[1], np.log([0.3, 0.7]), atol=1e-9)
    for row in [0, *range(3, 400)]:
        known = ~hidden[row]
        for k in range(2):
            covariance = np.linalg.inv(normals.precisions[k])[np.ix_(known, known)]
            density = multivariate_normal(normals.means[k][known], covariance) if known.any() else None
            expected = 0.0 if density is None else density.logpdf(matrix[row, known])
            expected += known.sum() / 2 * np.log(2 * np.pi) + normals.log_prior[k]
            assert joint[row, k] == pytest.approx(expected, abs=1e-9)
            rest, parts = normals.parts(np.where(hidden[row], 7.0, matrix[row]), hidden[row], k)
            assert rest + parts.sum() == pytest.approx(joint[row, k], abs=1e-9)
            assert not parts[hidden[row]].any()


def test_a_gaussian_judges_rows_by_the_moments_of_other_folds() -> None:
    rows = some_rows()
    columns = prepared(rows)
    fine = columns.coded(FeatureTable(rows.columns))
    kept = np.arange(250)
    grown = grown_gaussian(columns, fine, rows, kept, scored=False)
    assert grown is not None
    member, held_out = grown
    fold = (rows.hashes >> np.uint64(17)) % np.uint64(5)
    matrix = member.features.matrix(FeatureTable(rows.columns), fine)
    others = fold != 2
    own = rows.own.astype(np.int64)
    moments = Moments.of(matrix[others], own[others], rows.weights[others], 3)
    joint = moments.spread().normals(member.shrinkage, np.zeros(3)).joint(matrix[~others], NOTHING_HIDDEN)
    left = np.tile(rows.class_weights, ((~others).sum(), 1))
    left[np.arange(len(left)), own[~others]] -= 1
    joint += np.log(left + 1)
    expected = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(held_out[~others], expected, atol=1e-8)


def test_the_pool_prefers_the_member_that_knows() -> None:
    random = np.random.default_rng(0)
    own = random.integers(0, 2, 500)
    knows = np.where(np.arange(2) == own[:, None], np.log(0.8), np.log(0.2))
    flip = random.random(500) < 0.2
    knows[flip] = knows[flip][:, ::-1]
    guesses = np.log(random.dirichlet([1, 1], 500))
    shares, halves = np.log([0.5, 0.5]), Halves(np.arange(500) % 2 == 1)
    pool, judged = fitted_pool([knows, guesses], own, np.ones(500), shares, 500.0, halves, np.zeros(500))
    assert pool.exponents[0] == pytest.approx(1.0, abs=0.15)
    assert pool.exponents[1] == pytest.approx(0.0, abs=0.1)
    loss = -judged[np.arange(500), own].mean()
    assert loss == pytest.approx(-(0.8 * np.log(0.8) + 0.2 * np.log(0.2)), abs=0.05)


def test_shares_of_the_pool_add_up_however_sure_its_members_are() -> None:
    random = np.random.default_rng(1)
    for scale in (0.1, 5.0, 800.0):
        odds = [AddedShares(*random.normal(size=1) * scale, random.normal(size=4) * scale) for _ in range(3)]
        logs = [np.array([0.0, -one.total]) - np.logaddexp(0.0, -one.total) for one in odds]
        pool = LogPool(np.array([0.7, 0.4, 0.0]), np.log([0.3, 0.7]), 1e-4)
        for hidden in (0.0, 0.4, 1.0):
            parts = pool.shares(odds, logs, hidden, 0, 1)
            result = pool.log_proba([log[None] for log in logs], np.array([hidden]))[0]
            assert abs(parts.total - (result[0] - result[1])) < 1e-9
    shares = [pool.log_class_shares[None]] * 3  # all is hidden, and all members say so
    np.testing.assert_allclose(np.exp(pool.log_proba(shares, np.array([1.0]))[0]), [0.3, 0.7])


def test_the_logarithmic_mean_lies_between_the_geometric_and_the_arithmetic_one() -> None:
    a, b = np.random.default_rng(0).random((2, 1000))
    b[:100] = a[:100] * (1 + 1e-5)
    found = logarithmic_mean(a, b)
    assert (found >= np.sqrt(a * b) * (1 - 1e-12)).all()
    assert (found <= (a + b) / 2 * (1 + 1e-12)).all()
