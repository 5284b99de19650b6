"""Kernel densities as a distribution: bandwidth rules, estimates, densities, samples, groups with gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gaussian_kde, iqr, ks_2samp

from bayou.distributions import (
    Bandwidth,
    Family,
    FamilyRows,
    Fixed,
    HeldOut,
    KernelDensity,
    Laplace,
    RandomStream,
    Scott,
    Silverman,
    bandwidth_from,
)
from bayou.distributions.kernel.bandwidth_rules import deviation, interquartile_range
from bayou.errors import BadData, BadPrior, BayouWarning
from bayou.schema import Variable
from bayou.sources import TableSource, read_columns
from bayou.statistics import ValueCounts
from bayou.typing import FloatArray

HEIGHT, CLASS = Variable("Größe in cm"), Variable("Klasse", ["a", 1, True])
GIVEN, ALONE, PLAIN = Family(HEIGHT, (CLASS,)), Family(HEIGHT), Laplace(0)


def counted(
    values: FloatArray, codes: FloatArray | None = None, weights: FloatArray | None = None
) -> ValueCounts:
    groups = () if codes is None else (CLASS,)
    return ValueCounts.of(HEIGHT.name, groups, values, codes, weights)


def repeated(random: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    values = np.unique(np.round(random.gamma(2, 3, 400), 1))
    weights = random.integers(1, 6, len(values))
    return values, weights.astype(float), np.repeat(values, weights)


def test_spreads_of_weighted_values_are_those_of_repeated_ones() -> None:
    values, weights, rows = repeated(np.random.default_rng(0))
    assert deviation(values, weights) == pytest.approx(rows.std(ddof=1), rel=1e-12)
    assert interquartile_range(values, weights) == pytest.approx(iqr(rows), rel=1e-12)


def test_bandwidth_rules_are_their_formulas() -> None:
    values, weights, rows = repeated(np.random.default_rng(1))
    n = len(rows)
    robust = min(rows.std(ddof=1), iqr(rows) / 1.34)
    assert Silverman().width(values, weights, 1.0) == pytest.approx(0.9 * robust * n**-0.2, rel=1e-12)
    assert Scott().width(values, weights, 1.0) == pytest.approx(1.06 * rows.std(ddof=1) * n**-0.2, rel=1e-12)
    # Most records share one value: the quartiles coincide, the standard deviation stands in.
    heap = np.array([0.0, 5.0]), np.array([99.0, 1.0])
    assert Silverman().width(*heap, 1.0) == pytest.approx(0.9 * 0.5 * 100**-0.2, rel=1e-12)
    one = np.array([3.0]), np.array([32.0])
    assert Silverman().width(*one, 7.0) == pytest.approx(0.9 * 7 / 2)
    assert Scott().width(*one, 7.0) == pytest.approx(1.06 * 7 / 2)


def test_the_held_out_width_has_the_largest_leave_one_out_likelihood() -> None:
    random = np.random.default_rng(2)
    values = np.sort(np.r_[random.normal(0, 1, 150), random.normal(12, 0.5, 100)])
    chosen = HeldOut().width(values, np.ones(250), 1.0)

    def score(width: float) -> float:
        z = (values[:, None] - values) / width
        kernel = np.exp(-0.5 * z * z) / width
        return float(np.log(kernel.sum(axis=1) - 1 / width).sum())

    widths = Silverman().width(values, np.ones(250), 1.0) * np.exp(np.linspace(np.log(0.1), np.log(4), 400))
    best = max(score(width) for width in widths)
    assert score(chosen) >= best - 1e-3 * abs(best) * 0.01
    assert chosen < Silverman().width(values, np.ones(250), 1.0) / 3
    assert HeldOut().width(values[:1], np.ones(1), 1.0) == Silverman().width(values[:1], np.ones(1), 1.0)


def test_rules_may_be_spelled() -> None:
    spelled: list[Bandwidth] = [
        bandwidth_from(rule) for rule in ("silverman", "scott", "held-out", 2, Fixed(3))
    ]
    assert spelled == [Silverman(), Scott(), HeldOut(), Fixed(2.0), Fixed(3.0)]
    for wrong in ("lecture", True, None, Silverman):
        with pytest.raises(BadPrior):
            bandwidth_from(wrong)  # type: ignore[arg-type]  # that is the point
    for bad in (0, -1, np.nan, np.inf):
        with pytest.raises(BadPrior, match="positive"):
            Fixed(bad)


def test_densities_are_those_of_scipy_with_the_same_width() -> None:
    random = np.random.default_rng(3)
    values, codes = random.normal(size=900), random.integers(0, 3, 900)
    values += codes
    weights = random.random(900) + 0.1
    at = random.normal(size=200) * 3
    fitted = KernelDensity.estimate(counted(values, codes, weights), GIVEN, PLAIN, Fixed(0.3), strength=0.0)
    got = fitted.log_density_by_group(at)
    for k in range(3):
        mine, mass = values[codes == k], weights[codes == k]
        peer = gaussian_kde(mine, weights=mass)
        peer.set_bandwidth(0.3 / np.sqrt(peer.covariance[0, 0]) * peer.factor)
        np.testing.assert_allclose(np.exp(got[:, k]), peer(at), rtol=1e-9)
    own = fitted.log_density(FamilyRows(200, [np.arange(200) % 3], np.zeros((200, 0)), at))
    np.testing.assert_allclose(own, got[np.arange(200), np.arange(200) % 3], rtol=0, atol=2e-12)
    exact = KernelDensity.estimate(
        counted(values, codes, weights), GIVEN, PLAIN, Fixed(0.3), relative_error=0.0, strength=0.0
    )
    np.testing.assert_allclose(got, exact.log_density_by_group(at), rtol=0, atol=2e-12)


def test_batches_make_the_same_estimate_as_the_whole() -> None:
    random = np.random.default_rng(4)
    values, codes = np.round(random.normal(size=600), 2), random.integers(0, 3, 600)
    whole = KernelDensity.estimate(counted(values, codes), GIVEN, PLAIN)
    parts = [counted(values[at::3], codes[at::3]) for at in range(3)]
    streamed = KernelDensity.estimate(parts[2] + parts[0] + parts[1], GIVEN, PLAIN)
    np.testing.assert_array_equal(streamed.bandwidths, whole.bandwidths)
    at = np.linspace(-5, 5, 50)
    np.testing.assert_array_equal(streamed.log_density_by_group(at), whole.log_density_by_group(at))


def test_needs_and_estimate_go_through_a_source() -> None:
    table = TableSource(read_columns({HEIGHT.name: [1.0, 2.0, None, 4.0], "Klasse": ["a", 1, "a", "a"]}))
    seen = Family(HEIGHT, (Variable("Klasse", [1, "a"]),))
    request = KernelDensity.needs(seen)
    answer = table.collect([request])[request]
    fitted = KernelDensity.estimate(answer, seen, PLAIN)
    assert [values.tolist() for values in fitted.points] == [[2.0], [1.0, 4.0]]
    assert fitted.free_parameters == 5
    assert not fitted.log_density_by_group(np.array([np.nan])).any()


def test_groups_that_do_not_vary_or_have_no_value_borrow_from_all() -> None:
    values, codes = np.array([1.0, 1.0, 2.0, 5.0]), np.array([0, 0, 1, 1])
    with pytest.warns(BayouWarning, match="1 of 3 groups have no value of 'Größe in cm'"):
        fitted = KernelDensity.estimate(counted(values, codes), GIVEN, PLAIN)
    assert fitted.bandwidths[0] == pytest.approx(0.9 * values.std(ddof=1) * 2**-0.2)
    assert fitted.points[2].tolist() == [1.0, 2.0, 5.0]
    constant = KernelDensity.estimate(counted(np.full(32, 9.0)), ALONE, PLAIN)
    assert constant.bandwidths.tolist() == pytest.approx(0.45)


def test_values_that_have_no_density_are_named() -> None:
    with pytest.raises(BadData, match="no row to learn 'Größe in cm'"):
        KernelDensity.estimate(counted(np.full(3, np.nan)), ALONE, PLAIN)
    with pytest.raises(BadData, match="'Größe in cm' has infinite values"):
        KernelDensity.estimate(counted(np.array([1.0, np.inf])), ALONE, PLAIN)
    with pytest.raises(BadData, match="too far apart"):
        KernelDensity.estimate(counted(np.array([-1e300, 1e300, 0.0])), ALONE, PLAIN, Scott())


def test_samples_come_from_the_density_whatever_the_batches() -> None:
    random = np.random.default_rng(5)
    values, codes = random.gamma(2, 2, 500), np.repeat([0, 1], 250)
    values[250:] += 20
    family = Family(Variable("x"), (Variable("c", [0, 1]),))
    fitted = KernelDensity.estimate(ValueCounts.of("x", family.parents, values, codes), family, PLAIN)
    groups = (np.arange(6000) % 2).astype(np.uint8)

    def sampled(first: int, end: int) -> FloatArray:
        rows = FamilyRows(end - first, [groups[first:end]], np.zeros((end - first, 0)))
        return fitted.sample(rows, RandomStream(7, 3, first))

    drawn = sampled(0, 6000)
    for k in range(2):
        mine = values[codes == k]
        expected = random.choice(mine, 20_000) + fitted.bandwidths[k] * random.normal(size=20_000)
        assert ks_2samp(drawn[groups == k], expected).pvalue > 1e-3
    np.testing.assert_array_equal(np.concatenate([sampled(0, 3000), sampled(3000, 6000)]), drawn)
