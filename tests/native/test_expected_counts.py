"""Expected counts in the core: equal to the reference, to the last bit the same on any number of threads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import CodeArray, FloatArray
from tests.native.strategies import coded_column


@dataclass(frozen=True)
class Case:
    """A random network as families, its tables, and rows with gaps."""

    cards: list[int]
    scopes: list[list[int]]
    tables: list[FloatArray]
    columns: list[CodeArray]
    variables: list[int]
    rows: int
    weights: FloatArray | None


def random_case(seed: int, nodes: int, rows: int, zeros: bool = False, most_parents: int = 3) -> Case:
    """About every fifth node is never observed; the others lack each cell with a chance of their own."""
    random = np.random.default_rng(seed)
    cards = [int(card) for card in random.integers(1, 4, nodes)]
    scopes, tables = [], []
    for k in random.permutation(nodes):
        count = int(random.integers(0, min(k, most_parents) + 1))
        scopes.append([*(int(p) for p in random.choice(k, count, replace=False)), int(k)])
        table = random.random([cards[v] for v in scopes[-1]]) + 0.01
        if zeros:
            table *= random.random(table.shape) < 0.8
            table[..., 0] += table.sum(axis=-1) == 0
        tables.append(table / table.sum(axis=-1, keepdims=True))
    variables = [v for v in range(nodes) if random.random() < 0.8]
    shares = random.choice([0.0, 0.2, 0.5, 1.0], len(variables))
    wide = random.random(len(variables)) < 0.3
    columns = [
        coded_column(random, rows, cards[v], float(share), bool(w))
        for v, share, w in zip(variables, shares, wide, strict=True)
    ]
    weights = random.integers(0, 4, rows) * 0.5 if random.random() < 0.5 else None
    return Case(cards, scopes, tables, columns, variables, rows, weights)


def run(kernels: object, case: Case, threads: int = 0) -> tuple[FloatArray, list[FloatArray]]:
    plan = kernels.ExpectedCounts(case.cards, case.scopes)  # type: ignore[attr-defined]  # a module of kernels
    found: tuple[FloatArray, list[FloatArray]] = plan.run(
        case.tables, case.columns, case.variables, case.rows, case.weights, threads
    )
    return found


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 12), st.booleans())
def test_equal_to_the_reference(seed: int, nodes: int, rows: int, zeros: bool) -> None:
    case = random_case(seed, nodes, rows, zeros)
    logs, counts = run(_core, case)
    expected_logs, expected = run(reference, case)
    np.testing.assert_allclose(logs, expected_logs, atol=1e-12)
    for ours, theirs in zip(counts, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([1, 127, 300, 1500, 5000]))
def test_the_number_of_threads_changes_no_bit(seed: int, rows: int) -> None:
    case = random_case(seed, 12, rows)
    logs, counts = run(_core, case, threads=1)
    for threads in (2, 3, 7):
        others = run(_core, case, threads)
        assert np.array_equal(logs, others[0])
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(counts, others[1], strict=True))


def test_many_children_of_one_node_are_grouped() -> None:
    random = np.random.default_rng(1)
    cards = [3, *[2] * 20]
    scopes = [[0], *([0, k] for k in range(1, 21))]
    tables = [random.dirichlet([1] * scope_card[-1], scope_card[:-1]) for scope_card in ([3], *[[3, 2]] * 20)]
    columns = [coded_column(random, 9, 2, 0.4) for _ in range(20)]
    case = Case(cards, scopes, tables, columns, list(range(1, 21)), 9, None)
    logs, counts = run(_core, case)
    expected_logs, expected = run(reference, case)
    np.testing.assert_allclose(logs, expected_logs, atol=1e-12)
    for ours, theirs in zip(counts, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def wide_case(seed: int, hidden: bool) -> Case:
    """Factors over every pair of six variables: one clique that keeps no table of its own."""
    random = np.random.default_rng(seed)
    scopes = [[int(k) for k in random.permutation(pair)] for pair in combinations(range(6), 2)]
    tables = [random.random((5, 5)) * (random.random((5, 5)) < 0.9) for _ in scopes]
    columns = [coded_column(random, 3, 5, 1.0 if hidden else 0.5) for _ in range(6)]
    return Case([5] * 6, scopes, tables, columns, list(range(6)), 3, np.array([1.0, 2.0, 0.5]))


@pytest.mark.parametrize("hidden", [False, True])
def test_large_cliques_with_small_factors_equal_the_reference(hidden: bool) -> None:
    for seed in range(5):
        case = wide_case(seed, hidden)
        logs, counts = run(_core, case)
        expected_logs, expected = run(reference, case)
        np.testing.assert_allclose(logs, expected_logs, rtol=1e-12)
        for ours, theirs in zip(counts, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_a_row_that_leaves_too_much_open_takes_no_more_memory_than_allowed() -> None:
    case = wide_case(0, hidden=True)
    plan = _core.ExpectedCounts(case.cards, case.scopes)
    given = (case.tables, case.columns, case.variables, case.rows, case.weights, 1)
    with pytest.raises(MemoryError):
        plan.run(*given, most_bytes=plan.bytes(3) + 5**6 * 4)
    enough, _ = plan.run(*given, most_bytes=plan.bytes(3) + 5**6 * 32)
    assert np.array_equal(enough, run(_core, case)[0])


def test_long_products_neither_underflow_nor_overflow() -> None:
    """A chain whose tables sum to 1e-40 or 1e40 a step: only logs of them can be held."""
    steps = 60
    for scale in (1e-40, 1e40):
        cards = [2] * steps
        scopes = [[0], *([k, k + 1] for k in range(steps - 1))]
        tables = [np.array([0.25, 0.75]), *[np.array([[0.9, 0.1], [0.2, 0.8]]) * scale] * (steps - 1)]
        last = np.array([0, 1, 255], dtype=np.uint8)
        logs, counts = run(_core, Case(cards, scopes, tables, [last], [steps - 1], 3, None))
        marginal = np.array([0.25, 0.75]) @ np.linalg.matrix_power(tables[1] / scale, steps - 1)
        wanted = np.log([*marginal, 1.0]) + (steps - 1) * np.log(scale)
        np.testing.assert_allclose(logs, wanted, rtol=1e-12)
        for count in counts:
            assert count.sum() == pytest.approx(3, rel=1e-12)


def test_impossible_rows_and_rows_of_weight_nothing_count_nowhere() -> None:
    tables = [np.array([1.0, 0.0]), np.array([[0.5, 0.5], [0.5, 0.5]])]
    columns = [np.array([0, 1, 1], dtype=np.uint8), np.array([255, 0, 1], dtype=np.uint8)]
    weights = np.array([2.0, 1.0, 0.0])
    logs, counts = run(_core, Case([2, 2], [[0], [0, 1]], tables, columns, [0, 1], 3, weights))
    assert logs.tolist() == [0.0, -np.inf, 0.0]
    assert counts[0].tolist() == [2.0, 0.0]
    assert counts[1].tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_what_does_not_fit_is_refused_before_it_runs() -> None:
    plan = _core.ExpectedCounts([2, 3], [[0], [0, 1]])
    tables = [np.full(2, 0.5), np.full((2, 3), 1 / 3)]
    codes = np.zeros(4, dtype=np.uint8)
    with pytest.raises(ValueError, match="one table a scope"):
        plan.run(tables[:1], [codes], [0], 4)
    with pytest.raises(ValueError, match="does not fit its scope"):
        plan.run([tables[1], tables[0]], [codes], [0], 4)
    with pytest.raises(ValueError, match="no variable 2"):
        plan.run(tables, [codes], [2], 4)
    with pytest.raises(ValueError, match="a code a row"):
        plan.run(tables, [codes], [0], 5)
    with pytest.raises(ValueError, match="a weight a row"):
        plan.run(tables, [codes], [0], 4, np.ones(3))
    with pytest.raises(ValueError, match="column 0"):
        plan.run(tables, [codes + 2], [0], 4)
    with pytest.raises(ValueError, match="no variable 7"):
        _core.ExpectedCounts([2], [[7]])
    with pytest.raises(ValueError, match="that differ"):
        _core.ExpectedCounts([2], [[0, 0]])
    with pytest.raises(ValueError, match="no states"):
        _core.ExpectedCounts([0], [[0]])
    with pytest.raises(ValueError, match=r"cliques have 1\.\d+e\+09 entries"):
        _core.ExpectedCounts([2] * 30, [list(range(30))])


def test_the_work_is_what_the_gaps_leave_open() -> None:
    plan = _core.ExpectedCounts([2, 3, 4], [[0], [0, 1], [1, 2]])
    assert plan.expected_entries([0.0, 0.0, 0.0]) < plan.expected_entries([0.0, 1.0, 0.0])
    assert plan.expected_entries([1.0, 1.0, 1.0]) == pytest.approx(2 * 3 + 3 * 4)
    assert plan.bytes(10) < plan.bytes(100_000) == plan.bytes(10**9)
