"""Sums that do not fit and differences that have no digits left are refused, never wrapped or clamped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, seeds

import bayou
from bayou.errors import BadData, BadStatistics
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.weights import weights_from
from bayou.statistics import Counts, GroupMoments, Moments

WEATHER = Variable("weather today", ["sun", "rain"])


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_whole_weights_that_do_not_sum_in_64_bits_are_refused(kind: Any) -> None:
    weights = np.array([2**62] * 4, dtype=kind)
    with pytest.raises(BadData, match="sum to 18,446,744,073,709,551,616"):
        bayou.Network("weather").fit({"weather": ["sun", "rain", "sun", "sun"]}, weights=weights)
    with pytest.raises(BadData, match="sum to"):
        weights_from(np.array([2**63], dtype=np.uint64), rows=1)
    assert weights_from([2**62, 2**62 - 1], rows=2).sum() == 2**63 - 1


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
@law
def test_sums_of_counts_are_exact_or_refused(a: int, b: int) -> None:
    left, right = (Counts((WEATHER,), np.array([value, 0])) for value in (a, b))
    if a + b < 2**63:
        assert (left + right).values.tolist() == [a + b, 0]
    else:
        with pytest.raises(BadStatistics, match="'weather today' would sum to"):
            left + right


def test_sums_that_fit_in_every_cell_but_not_in_total_are_refused() -> None:
    half = Counts((WEATHER,), np.array([2**61, 2**61]))
    with pytest.raises(BadStatistics, match="would sum to"):
        half + half


@given(st.integers(0, 2**40), st.integers(0, 2**40))
@law
def test_multiples_of_counts_are_exact_or_refused(count: int, weight: int) -> None:
    counts = Counts((WEATHER,), np.array([count, 1]))
    if (count + 1) * weight < 2**63:
        assert (counts * weight).values.tolist() == [count * weight, weight]
    else:
        with pytest.raises(BadStatistics, match="would sum to"):
            counts * weight


@pytest.mark.parametrize("weight", [float("nan"), float("inf")])
def test_counts_are_multiplied_by_finite_numbers(weight: float) -> None:
    with pytest.raises(BadStatistics, match="cannot be multiplied"):
        Counts((WEATHER,), np.array([1, 2])) * weight


def moments(values: Any) -> GroupMoments:
    request = Moments(("x 1",))
    return open_source({"x 1": np.asarray(values, dtype=float)}).collect([request])[request]


@given(seeds(), st.integers(0, 7))
@law
def test_what_is_left_has_the_digits_that_the_whole_had(random: Any, power: int) -> None:
    kept = random.normal(size=500)
    left = moments([*kept, 10.0**power]) - moments([10.0**power])
    digits = 10.0 ** (2 * power - 14)
    assert left.scatter.item() == pytest.approx(
        moments(kept).scatter.item(), rel=min(max(digits, 1e-12), 0.01)
    )


@given(seeds(), st.integers(9, 12))
@law
def test_what_has_no_digits_left_is_refused(random: Any, power: int) -> None:
    kept = random.normal(size=500)
    with pytest.raises(BadStatistics, match=r"lost in rounding|never added"):
        moments([*kept, 10.0**power]) - moments([10.0**power])


def test_a_wild_outlier_is_not_forgotten_silently() -> None:
    kept = np.random.default_rng(1).normal(size=500)
    net = bayou.Network("x", continuous=["x"]).fit({"x": [*kept, 1e9]})
    with pytest.raises(BadStatistics, match="Fit again"):
        net.forget({"x": [1e9]})


def test_rows_that_were_never_added_are_not_subtracted() -> None:
    with pytest.raises(BadStatistics, match="never added"):
        moments([1.0, 2.0, 3.0, 4.0, 5.0]) - moments([-100.0, 100.0])


def test_one_row_and_constant_rows_are_left_without_scatter() -> None:
    assert (moments([1.0, 2.0, 0.3]) - moments([1.0, 2.0])).scatter.item() == 0.0
    assert (moments([0.1, 0.1, 0.1, 0.1]) - moments([0.1])).scatter.item() == 0.0
    assert (moments([1.0, 2.0]) - moments([1.0, 2.0])).scatter.item() == 0.0


@pytest.mark.parametrize("weights", [[1.7e308, 1.7e308, 1.0], [1e308, 1.0, 1.0], [1e300, 1.0, 1e300]])
def test_real_weights_whose_sums_would_overflow_are_refused(weights: list[float]) -> None:
    with pytest.raises(BadData, match="at most 1e\\+300"):
        bayou.Network("A -> B").fit({"A": [0, 1, 0], "B": [0, 0, 1]}, weights=weights)


def test_whole_weights_beyond_64_bits_in_a_file_stay_numbers(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("A,w\n0,1e25\n1,3e25\n", encoding="utf-8")
    net = bayou.Network("A").fit(str(tmp_path / "rows.csv"), weights="w", prior=0)
    np.testing.assert_allclose(net.frozen.table("A"), [0.25, 0.75])


@pytest.mark.parametrize("seed", range(60))
def test_rows_that_were_added_are_never_said_to_be_strangers(seed: int) -> None:
    """Numbers added one by one and forgotten one by one: rounding errors pile up, and are known."""
    chance = np.random.default_rng(seed)
    rows = chance.choice([0, 1e3, 1e6]) + chance.normal(size=int(chance.integers(3, 30)))
    if seed % 2:
        rows[0] *= 10.0 ** chance.integers(1, 9)

    def one(value: float) -> GroupMoments:
        return GroupMoments(("x",), (), np.array(1.0), np.array([value]), np.array([[0.0]]))

    whole = one(rows[0])
    for value in rows[1:]:
        whole = whole + one(value)
    for value in rows[:-1]:
        said = ""
        try:
            whole = whole - one(value)
        except BadStatistics as error:
            said = str(error)
        if said:
            assert "lost in rounding" in said
            return
        again = GroupMoments.from_state(whole.state())
        assert np.array_equal(again.scatter, whole.scatter)
    assert whole.mean.item() == pytest.approx(rows[-1], rel=1e-5, abs=1e-3)
    with pytest.raises(BadStatistics):
        whole - one(rows[-1] + 7) - one(rows[-1])
