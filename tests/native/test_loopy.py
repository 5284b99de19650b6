"""Loopy propagation in the core: equal to the reference, exact on trees, the same on all threads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import FloatArray

Result = tuple[FloatArray, float, float, int, bool]


@dataclass(frozen=True)
class Case:
    """Tables over a few variables each; those from ``first_log`` on are logs."""

    cards: list[int]
    scopes: list[list[int]]
    tables: list[FloatArray]
    first_log: int

    def run(self, kernels: Any, tolerance: float = 1e-9, sweeps: int = 1000, threads: int = 0) -> Result:
        found: Result = kernels.loopy_beliefs(
            self.cards, self.scopes, self.tables, self.first_log, tolerance, sweeps, threads
        )
        return found


def random_case(
    seed: int, variables: int, factors: int, strength: float = 1.0, zeros: float = 0.0, spread: float = 0.0
) -> Case:
    """Random scopes of up to three variables; ``spread`` is the standard deviation of tables in logs."""
    random = np.random.default_rng(seed)
    cards = [int(card) for card in random.integers(1, 4, variables)]
    scopes, tables = [], []
    first_log = int(random.integers(0, factors + 1)) if spread else factors
    for k in range(factors):
        size = int(random.integers(0, min(variables, 3) + 1))
        scopes.append([int(v) for v in random.choice(variables, size, replace=False)])
        shape = [cards[v] for v in scopes[-1]]
        table = np.exp(strength * random.standard_normal(shape))
        table = np.where(random.random(shape) < zeros, 0.0, table)
        if k >= first_log:
            table = spread * random.standard_normal(shape) - 5 * spread
        tables.append(np.asarray(table, dtype=np.float64))
    return Case(cards, scopes, tables, first_log)


def brute_force(case: Case) -> tuple[list[FloatArray], float]:
    """All marginals, and the log of the sum over all states of the product of all tables."""
    total = np.zeros(case.cards)
    for k, (scope, table) in enumerate(zip(case.scopes, case.tables, strict=True)):
        with np.errstate(divide="ignore"):
            logs = table if k >= case.first_log else np.log(table)
        ranked = np.transpose(logs.reshape([case.cards[v] for v in scope]), np.argsort(scope))
        total = total + ranked.reshape([card if v in scope else 1 for v, card in enumerate(case.cards)])
    top = total.max()
    weights = np.exp(total - top)
    axes = range(len(case.cards))
    marginals = [weights.sum(axis=tuple(k for k in axes if k != v)) / weights.sum() for v in axes]
    return marginals, float(top + np.log(weights.sum()))


def tree_case(seed: int, variables: int, zeros: float, spread: float = 0.0) -> Case:
    """A factor graph without cycles: each factor joins an earlier variable with one or two new ones."""
    random = np.random.default_rng(seed)
    cards = [int(card) for card in random.integers(1, 4, variables)]
    scopes = [[0]]
    free = list(range(1, variables))
    while free:
        new = [free.pop(0) for _ in range(min(len(free), int(random.integers(1, 3))))]
        scopes.append([int(v) for v in random.permutation([int(random.integers(0, new[0])), *new])])
    scopes += [[int(v)] for v in random.choice(variables, 2)]
    tables = []
    for scope in scopes:
        table = random.random([cards[v] for v in scope]) + 0.01
        tables.append(np.where(random.random(table.shape) < zeros, 0.0, table))
    if spread:
        tables = [spread * random.standard_normal(table.shape) for table in tables]
    return Case(cards, scopes, tables, 0 if spread else len(tables))


def assert_close(ours: Result, theirs: Result) -> None:
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-9, atol=1e-9)
    assert ours[3:] == theirs[3:]
    if ours[1] > -np.inf:
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
        np.testing.assert_allclose(ours[2], theirs[2], atol=1e-9)


@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(0, 10), st.sampled_from([0.0, 0.2, 0.5]))
def test_a_few_sweeps_equal_those_of_the_reference(
    seed: int, variables: int, factors: int, zeros: float
) -> None:
    case = random_case(seed, variables, factors, zeros=zeros)
    for sweeps in (0, 1, 4):
        ours, theirs = (case.run(kernels, tolerance=-1, sweeps=sweeps) for kernels in (_core, reference))
        if theirs[1] > -np.inf:
            assert_close(ours, theirs)
        else:
            assert ours[1] == -np.inf


@given(st.integers(0, 10**6), st.sampled_from([3.0, 300.0, 3000.0]))
def test_tables_of_any_range_equal_the_reference_which_works_in_logs(seed: int, spread: float) -> None:
    case = random_case(seed, 5, 7, spread=spread)
    assert_close(case.run(_core, -1, 3), case.run(reference, -1, 3))


@given(st.integers(0, 10**6), st.integers(1, 7), st.sampled_from([0.0, 0.3]))
def test_trees_are_exact(seed: int, variables: int, zeros: float) -> None:
    case = tree_case(seed, variables, zeros)
    beliefs, log_total, residual, sweeps, is_forest = case.run(_core)
    assert is_forest
    with np.errstate(invalid="ignore"):
        marginals, expected = brute_force(case)
    if expected == -np.inf or np.isnan(expected):
        assert log_total == -np.inf
        return
    assert log_total == pytest.approx(expected, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(beliefs, np.concatenate(marginals), rtol=1e-11, atol=1e-14)
    assert residual < 1e-12
    assert sweeps <= 2


@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([100.0, 2000.0]))
def test_trees_are_exact_far_beyond_the_range_of_floats(seed: int, variables: int, spread: float) -> None:
    case = tree_case(seed, variables, 0.0, spread)
    beliefs, log_total, *_ = case.run(_core)
    marginals, expected = brute_force(case)
    assert log_total == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(beliefs, np.concatenate(marginals), atol=1e-9)


def strong_grid(seed: int, side: int, strength: float, card: int = 2) -> Case:
    """A grid of variables with random, strong preferences of each and of neighbours: messages oscillate."""
    random = np.random.default_rng(seed)
    number = np.arange(side * side).reshape(side, side)
    pairs = [*zip(number[:, :-1].ravel(), number[:, 1:].ravel(), strict=True)]
    pairs += zip(number[:-1].ravel(), number[1:].ravel(), strict=True)
    scopes = [[int(a), int(b)] for a, b in pairs] + [[k] for k in range(side * side)]
    tables = [np.exp(strength * random.standard_normal([card] * len(scope))) for scope in scopes]
    return Case([card] * side**2, scopes, tables, len(tables))


def spin_glass(seed: int, spins: int, strength: float) -> Case:
    """Every two of some two-state variables want to be equal or to differ: messages often oscillate."""
    random = np.random.default_rng(seed)
    scopes = [*map(list, combinations(range(spins), 2)), *([k] for k in range(spins))]
    wishes = strength * random.uniform(-1, 1, len(scopes))
    tables = [
        np.exp(wish * (2 * np.eye(2) - 1 if len(scope) == 2 else random.random(2)))
        for wish, scope in zip(wishes, scopes, strict=True)
    ]
    return Case([2] * spins, scopes, tables, len(tables))


def test_damping_is_that_of_the_reference() -> None:
    """Messages that oscillate are damped after forty sweeps: some converge then, others never do."""
    cases = [spin_glass(seed, 6, 1.5) for seed in (2, 3, 4, 5)]
    for case in cases:
        ours, theirs = case.run(_core), case.run(reference)
        assert_close(ours, theirs)
        assert ours[3] > 40


def test_damping_helps_and_what_it_does_not_help_ends_early() -> None:
    ends = [spin_glass(seed, 6, 1.5).run(_core)[2:4] for seed in range(20)]
    assert any(residual <= 1e-9 and sweeps > 40 for residual, sweeps in ends)
    assert any(residual > 1e-3 and sweeps < 500 for residual, sweeps in ends)


def test_the_number_of_threads_changes_no_bit() -> None:
    grids = [strong_grid(seed, 5, 0.7, card=8) for seed in range(4)]
    scopes = [[v + 25 * k for v in scope] for k, grid in enumerate(grids) for scope in grid.scopes]
    tables = [table for grid in grids for table in grid.tables]
    assert sum(table.size for table in tables) > 2**13
    case = Case([8] * 100, scopes * 2, tables * 2, 2 * len(tables))
    first = case.run(_core, threads=1)
    for threads in (2, 3, 7):
        other = case.run(_core, threads=threads)
        assert np.array_equal(first[0], other[0])
        assert first[1:] == other[1:]


def test_parts_of_the_graph_do_not_touch_each_other() -> None:
    left, right = strong_grid(1, 3, 0.5), strong_grid(2, 3, 0.5)
    both = Case(
        left.cards + right.cards,
        left.scopes + [[v + 9 for v in scope] for scope in right.scopes],
        left.tables + right.tables,
        len(left.tables) + len(right.tables),
    )
    one, two, together = left.run(_core), right.run(_core), both.run(_core)
    assert np.array_equal(together[0], np.concatenate([one[0], two[0]]))
    assert together[1] == pytest.approx(one[1] + two[1], rel=1e-13)
    assert together[3] == max(one[3], two[3])


def test_a_long_chain_of_contradictions_does_not_underflow() -> None:
    """2,000 witnesses against the state that a certain one demands: each is wrong with chance 1e-3."""
    children = 2000
    scopes = [[0], *([0, k] for k in range(1, children + 1)), *([k] for k in range(1, children + 1))]
    tables = [np.array([0.5, 0.5]), *[np.array([[0.999, 0.001], [0.001, 0.999]])] * children]
    tables += [np.array([1.0, 0.0])] * (children // 2) + [np.array([0.0, 1.0])] * (children // 2)
    beliefs, log_total, *_ = Case([2] * (children + 1), scopes, tables, len(tables)).run(_core)
    np.testing.assert_allclose(beliefs[:2], [0.5, 0.5], rtol=1e-9)
    assert log_total == pytest.approx(children / 2 * np.log(0.999 * 0.001), rel=1e-12)


def test_contradictions_are_proved_by_zeros() -> None:
    same, other = np.eye(2), 1 - np.eye(2)
    chain = Case([2, 2], [[0], [0, 1], [1]], [np.array([1.0, 0]), same, np.array([0, 1.0])], 3)
    assert chain.run(_core)[1] == -np.inf
    empty = Case([2, 2], [[0, 1]], [np.zeros((2, 2))], 1)
    assert empty.run(_core)[1] == -np.inf
    nothing = Case([2], [[0], []], [np.ones(2), np.zeros(1)], 2)
    assert nothing.run(_core)[1] == -np.inf
    # Three that differ from each other, of two states: impossible, but every message stays positive.
    triangle = Case([2] * 3, [[0, 1], [1, 2], [0, 2]], [other] * 3, 3)
    assert triangle.run(_core)[1] > -np.inf


def test_what_does_not_fit_is_refused_before_it_runs() -> None:
    table = np.full((2, 3), 0.5)
    with pytest.raises(ValueError, match="one table a scope"):
        _core.loopy_beliefs([2, 3], [[0, 1]], [], 0, 0, 1)
    with pytest.raises(ValueError, match="does not fit its scope"):
        _core.loopy_beliefs([2, 2], [[0, 1]], [table], 1, 0, 1)
    with pytest.raises(ValueError, match="no variable 7"):
        _core.loopy_beliefs([2, 3], [[0, 7]], [table], 1, 0, 1)
    with pytest.raises(ValueError, match="that differ"):
        _core.loopy_beliefs([2, 3], [[0, 0]], [table], 1, 0, 1)
    with pytest.raises(ValueError, match="no states"):
        _core.loopy_beliefs([0], [], [], 0, 0, 1)
    with pytest.raises(ValueError, match="first_log is 2"):
        _core.loopy_beliefs([2, 3], [[0, 1]], [table], 2, 0, 1)
    with pytest.raises(ValueError, match="contiguous float64"):
        _core.loopy_beliefs([2, 3], [[0, 1]], [table.astype(np.float32)], 1, 0, 1)
