"""Rows with gaps, and their expected counts and moments by hand over all combinations of states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from tests.inference.expectation import expected_answers as answered
from tests.inference.hidden_cells import GONE, hide_cells
from tests.inference.mixed.mixed_networks import combinations, real_names, weights_of
from tests.laws.strategies import law

from bayou.inference import Expectation, Question
from bayou.inference.expectation import expected_moments as e_step
from bayou.inference.sampling.forward_sampling import draw
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch

ROWS = 6
few = settings(law, max_examples=12)
"""Laws by hand go through all combinations of states of every row: fewer examples of them."""


def batch_with_gaps(
    network: FrozenNetwork,
    random: np.random.Generator,
    share: float,
    rows: int = ROWS,
    weighted: bool = False,
) -> Batch:
    codes, numbers = hide_cells(network, draw(network, rows, int(random.integers(1000))), random, share)
    weights = random.integers(0, 4, rows) / 2 if weighted else None
    return Batch(rows, codes, numbers, weights)


def without(batch: Batch, *names: Any) -> Batch:
    """The same with some columns hidden in every row."""
    codes = {n: np.full_like(c, GONE) if n in names else c for n, c in batch.codes.items()}
    numbers = {n: np.full_like(c, np.nan) if n in names else c for n, c in batch.numbers.items()}
    return replace(batch, codes=codes, numbers=numbers)


def findings(batch: Batch, row: int) -> dict[Any, Any]:
    columns = {**batch.codes, **batch.numbers}
    seen = [name for name in columns if not batch.missing(name)[row]]
    return {n: int(columns[n][row]) if n in batch.codes else float(columns[n][row]) for n in seen}


class ByHand:
    """Counts, sums and sums of squares over all combinations of states of every row."""

    def __init__(self, network: FrozenNetwork, batch: Batch) -> None:
        self.log_likelihood = 0.0
        shapes = {n: [p.cardinality for p in network.discrete_parents(n)] for n in network.dag.nodes}
        self.tables = {n: np.zeros((*shapes[n], network.schema[n].cardinality)) for n in batch.codes}
        self.n = {name: np.zeros(shapes[name]) for name in batch.numbers}
        size = {name: len(network.continuous_parents(name)) + 1 for name in batch.numbers}
        self.first = {name: np.zeros((*shapes[name], size[name])) for name in batch.numbers}
        self.second = {name: np.zeros((*shapes[name], size[name], size[name])) for name in batch.numbers}
        for row in range(batch.rows):
            weight = 1.0 if batch.weights is None else float(batch.weights[row])
            if weight > 0:
                self._add(network, Question((), findings(batch, row)), weight)

    def _add(self, network: FrozenNetwork, question: Question, weight: float) -> None:
        every = combinations(network, question)
        shares, log = weights_of(every)
        self.log_likelihood += weight * log
        place = {name: k for k, name in enumerate(real_names(network))}
        for one, share in zip(every, weight * shares, strict=True):
            for name in self.tables:
                self.tables[name][
                    (*(one.states[p] for p in network.dag.parents(name)), one.states[name])
                ] += share
            for name in self.n:
                index = tuple(one.states[p.name] for p in network.discrete_parents(name))
                at = [*(place[p.name] for p in network.continuous_parents(name)), place[name]]
                mean = one.means[at]
                self.n[name][index] += share
                self.first[name][index] += share * mean
                self.second[name][index] += share * (np.outer(mean, mean) + one.covariance[np.ix_(at, at)])


def assert_equals_hand(network: FrozenNetwork, batch: Batch, found: Expectation) -> None:
    hand = ByHand(network, batch)
    np.testing.assert_allclose(found.log_likelihood, hand.log_likelihood, rtol=1e-8, atol=1e-8)
    assert found.statistics.rows == batch.total
    assert set(answered.tables(found)) == set(batch.codes)
    assert set(answered.moments(found)) == set(batch.numbers)
    for name, table in answered.tables(found).items():
        np.testing.assert_allclose(table, hand.tables[name], rtol=1e-8, atol=1e-10)
    for name, moments in answered.moments(found).items():
        continuous = tuple(parent.name for parent in network.continuous_parents(name))
        assert moments.variables == (*continuous, name)
        assert moments.groups == network.discrete_parents(name)
        n, mean = moments.n, moments.mean
        np.testing.assert_allclose(n, hand.n[name], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(n[..., None] * mean, hand.first[name], rtol=1e-7, atol=1e-8)
        second = moments.scatter + n[..., None, None] * mean[..., :, None] * mean[..., None, :]
        np.testing.assert_allclose(second, hand.second[name], rtol=1e-7, atol=1e-7)


def write_out_at_most(most: int, patch: pytest.MonkeyPatch) -> None:
    """Rows that lack more combinations of states are not written out."""
    patch.setattr(e_step, "_FEW_COMBINATIONS", most)
    patch.setattr(e_step, "_PATTERN_WORK", 0)
    patch.setattr(e_step, "_ROW_WORK", 0)


def same(left: Expectation, right: Expectation) -> None:
    np.testing.assert_allclose(left.log_likelihood, right.log_likelihood, rtol=1e-9)
    np.testing.assert_allclose(left.statistics.rows, right.statistics.rows)
    for name, table in answered.tables(right).items():
        np.testing.assert_allclose(answered.tables(left)[name], table, rtol=1e-9, atol=1e-12)
    for name, moments in answered.moments(right).items():
        np.testing.assert_allclose(answered.moments(left)[name].n, moments.n, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(answered.moments(left)[name].mean, moments.mean, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(
            answered.moments(left)[name].scatter, moments.scatter, rtol=1e-8, atol=1e-8
        )
