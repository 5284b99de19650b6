"""EM ends at the top: against exact solutions, counts, and very long plain EM."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.inference.expectation.barren_cells import barren_columns
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.statistics import Batch, CountTable

STATES = {name: [0, 1] for name in "ABC"}
TRUTH = {
    "A": [0.3, 0.7],
    "B": [[0.9, 0.1], [0.3, 0.7]],
    "C": [[[0.8, 0.2], [0.4, 0.6]], [[0.1, 0.9], [0.5, 0.5]]],
}
ARCS = "A -> B -> C; A -> C"


def rows_with_gaps(share: float, rows: int = 2000) -> dict[str, list[int | None]]:
    drawn = bayou.Network(ARCS, states=STATES, tables=TRUTH).sample(rows, seed=2).to_dicts()
    chance = np.random.default_rng(1)
    return {name: [None if chance.random() < share else row[name] for row in drawn] for name in "ABC"}


def largest_difference(one: bayou.Network, other: bayou.Network) -> float:
    return max(float(np.abs(one.frozen.table(n) - other.frozen.table(n)).max()) for n in one.names)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_what_has_converged_is_where_very_long_plain_em_ends(share: float) -> None:
    data = rows_with_gaps(share)
    long = bayou.Network(ARCS, states=STATES)
    long.fit(data, method="plain-em", tolerance=1e-11, max_iterations=20_000)
    net = bayou.Network(ARCS, states=STATES).fit(data)
    assert net.learning.converged
    assert largest_difference(net, long) < 4e-6
    assert np.all(np.diff(net.learning.objectives) >= 0)
    plain = bayou.Network(ARCS, states=STATES).fit(data, method="plain-em")
    assert plain.learning.converged
    assert largest_difference(plain, long) < 4e-6
    # Extrapolation pays for the stricter end.
    assert net.learning.iterations < plain.learning.iterations / 2


@pytest.mark.parametrize("gaps", [3, 300, 30_000])
def test_gaps_of_a_leaf_need_no_em_however_many_there_are(gaps: int) -> None:
    data = {"A": [0, 0, 0, 1, *[0] * gaps], "B": [1, 1, 0, 0, *[None] * gaps]}
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]}).fit(data, prior=0)
    np.testing.assert_allclose(net.frozen.table("B"), [[1 / 3, 2 / 3], [1, 0]], atol=1e-15)
    assert net.statistics[CountTable(("A", "B"))].values.tolist() == [[1, 2], [1, 0]]
    smoothed = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]}).fit(data)
    np.testing.assert_allclose(smoothed.frozen.table("B"), [[2 / 5, 3 / 5], [2 / 3, 1 / 3]], atol=1e-15)


def test_rows_that_break_off_are_counted_exactly() -> None:
    """A chain in which every row ends somewhere: each table has the counts of the rows that reach it."""
    data = {
        "A": [0, 0, 1, 1, 0, 1, 0],
        "B": [0, 1, 1, None, 1, 0, None],
        "C": [1, None, 0, None, 1, None, None],
    }
    net = bayou.Network("A -> B -> C", states=STATES).fit(data)
    counted = bayou.Network("A -> B -> C", states=STATES).fit(data, method="count")
    assert largest_difference(net, counted) < 1e-15
    assert net.learning.iterations <= 2


def test_a_pair_of_unlike_gaps_has_its_exact_solution() -> None:
    """A is missing in some rows: P(A | B) of the complete rows splits those of each B (prior 0)."""
    data = {"A": [*[0] * 6, *[1] * 2, *[0] * 1, *[1] * 3, *[None] * 12], "B": [*[0] * 8, *[1] * 4, *[1] * 12]}
    net = bayou.Network("B <- A", states={"A": [0, 1], "B": [0, 1]}).fit(data, prior=0)
    p_a0_b1 = (1 + 12 * 1 / 4) / 24
    p_a1_b1 = (3 + 12 * 3 / 4) / 24
    assert net.cpt("A")[0] == pytest.approx(6 / 24 + p_a0_b1, abs=1e-6)
    assert net.cpt("B")[1, 1] == pytest.approx(p_a1_b1 / (p_a1_b1 + 2 / 24), abs=1e-6)


@pytest.mark.parametrize("columns", ["x -> y", "y -> x"])
def test_numbers_converge_to_the_exact_regression(columns: str) -> None:
    """Gaps in y only: the regression of y on x is that of the complete rows (Anderson 1957)."""
    chance = np.random.default_rng(3)
    x = 1e3 + 5 * chance.normal(size=400)
    y = 2 * x + chance.normal(size=400)
    seen = chance.random(400) < 0.2
    net = bayou.Network(columns, continuous=["x", "y"])
    net.fit({"x": x, "y": np.where(seen, y, np.nan)})
    slope, offset = np.polyfit(x[seen] - 1e3, y[seen], 1)
    spread = np.var(y[seen] - offset - slope * (x[seen] - 1e3))
    total = slope**2 * np.var(x) + spread
    if columns == "x -> y":
        assert net.frozen.gaussian("y").coefficients.item() == pytest.approx(slope, rel=1e-5)
        assert net.frozen.gaussian("y").variance.item() == pytest.approx(spread, rel=1e-4)
    else:
        assert net.frozen.gaussian("y").variance.item() == pytest.approx(total, rel=1e-5)
        assert net.frozen.gaussian("x").coefficients.item() == pytest.approx(
            slope * np.var(x) / total, rel=1e-5
        )


def test_tables_that_the_data_do_not_determine_end_on_a_plateau() -> None:
    data = {"b": [0, 1, 1, 0, 1, 1, 0, 1] * 20}
    net = bayou.Network("H -> b", states={"H": [0, 1, 2], "b": [0, 1]}).fit(data, prior=0)
    assert net.learning.converged
    assert net.query("b")[1] == pytest.approx(5 / 8, abs=1e-6)


def brute_counts(net: bayou.Network, rows: list[dict[str, Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """Expected counts of families, of each row's ancestors of observed variables, by enumeration."""
    joint = net.joint().to_array()
    counts = {name: np.zeros(net.frozen.table(name).shape) for name in net.names}
    for row in rows:
        alive = {n for n, value in row.items() if value is not None}
        for name in reversed(net.dag.topological_order):
            if name in alive:
                alive.update(net.parents(name))
        index = tuple(slice(None) if row[n] is None else slice(row[n], row[n] + 1) for n in net.names)
        masked = np.zeros_like(joint)
        masked[index] = joint[index]
        masked /= masked.sum()
        for name in alive:
            family = [*net.parents(name), name]
            order = [net.names.index(n) for n in family]
            others = tuple(k for k in range(len(net.names)) if k not in order)
            summed = masked.sum(axis=others)
            counts[name] += np.transpose(summed, [sorted(order).index(k) for k in order])
    return counts


@pytest.mark.parametrize("seed", range(8))
def test_expected_counts_without_barren_cells_are_those_of_enumeration(seed: int) -> None:
    chance = np.random.default_rng(seed)
    net = bayou.random_network(5, seed=seed, states=3) if seed % 2 else bayou.random_network(5, seed=seed)
    rows = net.sample(30, seed=seed).to_dicts()
    rows = [
        {n: None if chance.random() < 0.5 else net.states(n).index(v) for n, v in row.items()} for row in rows
    ]
    codes = {n: np.array([255 if row[n] is None else row[n] for row in rows], np.uint8) for n in net.names}
    batch = Batch(len(rows), codes, {})
    barren = barren_columns(net.frozen, batch)
    assert barren
    found = expected_counts(net.frozen, batch, barren=barren)
    assert found.log_likelihood == pytest.approx(expected_counts(net.frozen, batch).log_likelihood, rel=1e-12)
    wanted = brute_counts(net, rows)
    for name in net.names:
        counts = found.statistics[CountTable((*net.parents(name), name))].values
        np.testing.assert_allclose(counts, wanted[name], atol=1e-10)


def numbers_with_gaps(rows: int = 400) -> dict[str, np.ndarray[Any, Any]]:
    """a → x → y, a → b; cells of the leaves y and b are missing, and with some of these those of x."""
    chance = np.random.default_rng(6)
    a = chance.integers(0, 2, rows)
    x = chance.normal(2.0 * a, 1.0)
    y = chance.normal(0.5 * x - a, 0.7)
    b = (chance.random(rows) < 0.2 + 0.5 * a).astype(object)
    no_y = chance.random(rows) < 0.85
    y[no_y] = np.nan
    x[no_y & (chance.random(rows) < 0.75)] = np.nan
    b[chance.random(rows) < 0.6] = None
    return {"a": a, "x": x, "y": y, "b": b}


MIXED = "a -> x -> y; a -> y; a -> b"


def test_leaves_and_barren_parts_with_numbers_are_counted_exactly() -> None:
    """Where only barren cells are missing, the best parameters are those of each family's complete rows."""
    data = numbers_with_gaps()
    counted = bayou.Network(MIXED, states={"a": [0, 1]}).fit(data, method="count")
    net = bayou.Network(MIXED, states={"a": [0, 1]}).fit(data)
    assert net.learning.iterations <= 2
    for name in "xy":
        ours, theirs = net.frozen.gaussian(name), counted.frozen.gaussian(name)
        np.testing.assert_allclose(ours.intercept, theirs.intercept, rtol=1e-9)
        np.testing.assert_allclose(ours.coefficients, theirs.coefficients, rtol=1e-9)
        np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-9)
    np.testing.assert_allclose(net.frozen.table("b"), counted.frozen.table("b"), atol=1e-12)


def test_barren_parts_change_no_limit_of_em_and_no_likelihood() -> None:
    data = numbers_with_gaps()
    data["a"] = data["a"].astype(object)
    data["a"][::3] = None
    net = bayou.Network(MIXED, states={"a": [0, 1]}).fit(data, tolerance=1e-8)
    plain = bayou.Network(MIXED, states={"a": [0, 1]})
    plain.fit(data, method="plain-em", tolerance=1e-10, max_iterations=20_000)
    assert net.learning.iterations < plain.learning.iterations / 2
    np.testing.assert_allclose(net.frozen.table("a"), plain.frozen.table("a"), atol=1e-6)
    ours, theirs = net.frozen.gaussian("y"), plain.frozen.gaussian("y")
    np.testing.assert_allclose(ours.coefficients, theirs.coefficients, atol=1e-5)
    assert net.learning.log_likelihood == pytest.approx(net.log_likelihood(data), rel=1e-9)


def test_many_patterns_of_barren_cells_are_filled_in_in_part() -> None:
    from bayou.inference.expectation import barren_moments

    chance = np.random.default_rng(4)
    a = chance.integers(0, 2, 300)
    names = [f"x{k}" for k in range(6)]
    data: dict[str, Any] = {"a": a}
    for name in names:
        column = chance.normal(a, 1.0)
        column[chance.random(300) < 0.6] = np.nan
        data[name] = column
    net = bayou.Network("; ".join(f"a -> {name}" for name in names), states={"a": [0, 1]}).fit(data)
    counted = bayou.Network("; ".join(f"a -> {name}" for name in names), states={"a": [0, 1]})
    counted.fit(data, method="count")
    for name in names:
        np.testing.assert_allclose(
            net.frozen.gaussian(name).intercept, counted.frozen.gaussian(name).intercept, atol=1e-5
        )
    batch = Batch(300, {"a": a.astype(np.uint8)}, {name: data[name] for name in names})
    silent = barren_moments.barren_cells(net.frozen, batch)
    chosen = barren_moments._chosen(net.frozen, silent)
    assert set(silent) == set(names)
    assert 0 < len(chosen) < len(names)
