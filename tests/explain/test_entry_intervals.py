"""Intervals of the entries of learned tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

import bayou
from bayou.errors import BadPrior, BadQuestion, BayouWarning, NotFitted

DATA = {"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}


def test_ends_are_quantiles_of_the_beta_distribution_of_each_entry() -> None:
    net = bayou.Network("G -> R").fit(DATA, prior=1)
    ends = net.cpt_intervals("R", mass=0.9)
    alpha = np.array([[1, 0, 1], [0, 2, 1]]) + 1.0
    rest = alpha.sum(axis=1, keepdims=True) - alpha
    assert ends.lower == pytest.approx(beta.ppf(0.05, alpha, rest))
    assert ends.upper == pytest.approx(beta.ppf(0.95, alpha, rest))
    assert (ends.lower < net.frozen.table("R")).all()
    assert (net.frozen.table("R") < ends.upper).all()


def test_they_are_those_of_the_query_that_asks_for_one_row() -> None:
    net = bayou.Network("G -> R").fit(DATA, prior=1)
    ends = net.cpt_intervals("R")
    drawn = net.query("R", given={"G": "d"}, interval=0.95).interval
    assert drawn is not None
    row = list(net.states("G")).index("d")
    assert ends.lower[row] == pytest.approx(drawn.lower, abs=0.02)
    assert ends.upper[row] == pytest.approx(drawn.upper, abs=0.02)


def test_entries_without_counts_and_prior_are_certain() -> None:
    net = bayou.Network("R", states={"R": [1, 4]}).fit({"R": [4, 4, 4]}, prior=0)
    ends = net.cpt_intervals("R")
    assert ends.lower.tolist() == [0, 1]
    assert ends.upper.tolist() == [0, 1]


def test_what_has_no_counts_says_so() -> None:
    with pytest.raises(NotFitted, match="given by hand"):
        bayou.examples.asia().cpt_intervals("lung")
    unseen = bayou.Network("G -> R", states={"G": ["c", "d", "e"]})
    assert unseen.copy().fit(DATA, prior=0.5).cpt_intervals("R").lower.shape == (3, 3)
    with pytest.warns(BayouWarning, match="never occur"):
        unseen.fit(DATA, prior=0)
    with pytest.raises(BadPrior, match="Neither records nor a prior"):
        unseen.cpt_intervals("R")
    heights = bayou.Network("S -> H").fit({"S": ["a", "b", "a", "b"], "H": [1.5, 2.5, 1.75, 2.25]})
    with pytest.raises(BadQuestion, match="no intervals of their own"):
        heights.cpt_intervals("H")
