"""Samplers of the core against their numpy references, and independence of threads and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

SEEDS = st.integers(0, 2**64 - 1)


def random_steps(random: np.random.Generator, variables: int, products: bool) -> dict[str, Any]:
    """Steps that draw variable 0, 1, …, each given some of those before; some from products with divisors."""
    cards = random.integers(1, 6, variables).tolist()
    if variables > 3:
        cards[2] = 40  # more states than are searched one by one
    arguments: dict[str, Any] = {
        "cards": cards,
        "variables": list(range(variables)),
        "streams": random.integers(0, 2**40, variables).tolist(),
        "factor_scopes": [],
        "factors": [],
        "divisor_scopes": [],
        "divisors": [],
        "weight_scopes": [],
        "weights": [],
    }
    for variable in range(variables):
        scopes, tables, divisor_scopes, divisors = [], [], [], []
        several = products and variable % 2 == 1
        for _ in range(2 if several else 1):
            before = random.permutation(variable)[: random.integers(0, 3)].tolist()
            table = random.dirichlet(np.full(cards[variable], 0.5), [cards[v] for v in before])
            table[random.random(table.shape) < 0.2] = 0.0
            scopes.append([*before, variable])
            tables.append(np.ascontiguousarray(table))
            if several:
                divisor_scopes.append(before)
                divisors.append(np.ascontiguousarray(table.max(axis=-1) + 1e-3))
        arguments["factor_scopes"].append(scopes)
        arguments["factors"].append(tables)
        arguments["divisor_scopes"].append(divisor_scopes)
        arguments["divisors"].append(divisors)
    if products:
        arguments["weight_scopes"].append([variables - 1])
        arguments["weights"].append(random.integers(0, 3, cards[-1]).astype(np.float64))
    return arguments


@given(SEEDS, st.integers(0, 2**40), st.integers(1, 7), st.integers(0, 700), st.booleans())
def test_rows_and_weights_are_those_of_the_reference(
    seed: int, first_row: int, variables: int, n: int, products: bool
) -> None:
    steps = random_steps(np.random.default_rng(seed % 1000 + variables), variables, products)
    mine, theirs = _core.RowSampler(**steps), reference.RowSampler(**steps)
    asked = list(range(variables))[::-1]
    got, logs = mine.draw(seed, first_row, n, asked, True, 2)
    wanted, wanted_logs = theirs.draw(seed, first_row, n, asked, True)
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(logs, wanted_logs, rtol=1e-12, atol=1e-12)
    targets = [[v] for v in asked] + [asked[:3], []]
    for one, other in zip(
        mine.weighted_sums(seed, first_row, n, targets),
        theirs.weighted_sums(seed, first_row, n, targets),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_rows_are_the_same_whatever_the_batch_or_the_threads() -> None:
    steps = random_steps(np.random.default_rng(4), 6, products=True)
    sampler = _core.RowSampler(**steps)
    whole, logs = sampler.draw(9, 0, 50_000, [0, 3, 5], True, 1)
    for first, n, threads in [(0, 50_000, 3), (17, 1, 1), (127, 20_001, 2)]:
        part, part_logs = sampler.draw(9, first, n, [0, 3, 5], True, threads)
        np.testing.assert_array_equal(part_logs, logs[first : first + n])
        for one, other in zip(part, whole, strict=True):
            np.testing.assert_array_equal(one, other[first : first + n])
    sums = [sampler.weighted_sums(9, 0, 30_000, [[0], [3, 5]], threads) for threads in (1, 2, 4)]
    for other in sums[1:]:
        for one, same in zip(sums[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_forward_rows_are_those_of_single_draws_column_by_column() -> None:
    random = np.random.default_rng(2)
    root, child = random.dirichlet([1, 1, 1]), random.dirichlet([1] * 4, 3)
    sampler = _core.RowSampler(
        [3, 4], [0, 1], [5, 9], [[[0]], [[0, 1]]], [[root], [child]], [[], []], [[], []], [], []
    )
    (first, second), _ = sampler.draw(3, 10, 5000, [0, 1], False)
    np.testing.assert_array_equal(
        first, _core.sample_categorical(3, 5, 10, None, np.cumsum(root)[None], 5000)
    )
    groups = first.astype(np.uint32)
    np.testing.assert_array_equal(
        second, _core.sample_categorical(3, 9, 10, groups, np.cumsum(child, axis=1), 5000)
    )


def random_factors(
    random: np.random.Generator, variables: int
) -> tuple[list[int], list[list[int]], list[Any]]:
    cards = random.integers(1, 4, variables).tolist()
    scopes = [[v] for v in range(variables)]
    scopes += [random.permutation(variables)[: random.integers(1, 4)].tolist() for _ in range(variables)]
    tables = [np.ascontiguousarray(random.random([cards[v] for v in scope]) + 0.05) for scope in scopes]
    return cards, scopes, tables


@given(SEEDS, st.integers(2, 6), st.integers(0, 12))
def test_gibbs_chains_are_those_of_the_reference(seed: int, variables: int, sweeps: int) -> None:
    random = np.random.default_rng(seed % 997)
    cards, scopes, tables = random_factors(random, variables)
    order = random.permutation(variables).tolist()
    blocks = [order[:4], *([v] for v in order[3:])]
    starts = np.array([[random.integers(0, card) for card in cards] for _ in range(3)], dtype=np.uint32)
    joint = [variables - 1, 0]
    mine = _core.GibbsChains(cards, scopes, tables, blocks, starts, seed)
    theirs = reference.GibbsChains(cards, scopes, tables, blocks, starts, seed)
    for part in (sweeps, 2):
        for one, other in zip(mine.run(part, joint, 2), theirs.run(part, joint), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10)


def test_gibbs_chains_do_not_depend_on_threads_or_stages() -> None:
    random = np.random.default_rng(1)
    cards, scopes, tables = random_factors(random, 5)
    starts = np.zeros((8, 5), dtype=np.uint32)
    blocks = [[v] for v in range(5)]
    runs = [_core.GibbsChains(cards, scopes, tables, blocks, starts, 5) for _ in range(3)]
    whole, one, parts = runs[0].run(60, [0, 1], 1), runs[1].run(60, [0, 1], 3), runs[2].run(20, [0, 1])
    more = runs[2].run(40, [0, 1])
    for a, b, c, d in zip(whole, one, parts, more, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c + d, rtol=1e-12)


def test_steps_and_blocks_that_do_not_fit_are_refused() -> None:
    fair = np.array([0.5, 0.5])
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match="before it is drawn"):
            kernels.RowSampler(
                [2, 2],
                [0, 1],
                [0, 1],
                [[[1, 0]], [[1]]],
                [[np.ones((2, 2))], [fair]],
                [[], []],
                [[], []],
                [],
                [],
            )
        with pytest.raises(ValueError, match="does not fit"):
            kernels.RowSampler([2], [0], [0], [[[0]]], [[np.ones(3)]], [[]], [[]], [], [])
        with pytest.raises(ValueError, match="not drawn"):
            kernels.RowSampler([2, 2], [0], [0], [[[0]]], [[fair]], [[]], [[]], [], [])
        with pytest.raises(ValueError, match="negative"):
            kernels.RowSampler([2], [0], [0], [[[0]]], [[np.array([1.5, -0.5])]], [[]], [[]], [], [])
        starts = np.zeros((1, 2), dtype=np.uint32)
        with pytest.raises(ValueError, match="block"):
            kernels.GibbsChains([2, 2], [[0]], [fair], [[0]], starts, 1)
        with pytest.raises(ValueError, match="start"):
            kernels.GibbsChains([2, 2], [[0]], [fair], [[0], [1]], starts + 2, 1)
        with pytest.raises(ValueError, match="fit"):
            kernels.GibbsChains([2, 2], [[0, 1]], [fair], [[0], [1]], starts, 1)


def test_products_of_many_small_numbers_do_not_underflow() -> None:
    tables = [np.array([1e-30, 2e-30]) for _ in range(100)]
    chains = _core.GibbsChains([2], [[0]] * 100, tables, [[0]], np.zeros((1, 1), np.uint32), 3)
    sums, _ = chains.run(10, [])
    np.testing.assert_allclose(sums[0] / 10, [0.0, 1.0], atol=1e-20)
