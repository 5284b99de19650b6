"""The gradient of the objective equals finite differences, for every kind of node."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.learning import PriorChoice
from bayou.learning.em.free_parameters import FreeParameters
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.training_rows import TrainingRows
from bayou.sources import open_source


def compared(net: bayou.Network, data: Any, prior: Any = 1.0) -> tuple[np.ndarray[Any, Any], Any]:
    """The gradient away from the start, exactly and by differences."""
    problem = LearningProblem(
        net.structure, {v.name: v for v in net.variables}, PriorChoice.from_user(prior, ())
    )
    rows = TrainingRows(open_source(data, variables=list(net.variables)), list(net.variables))

    def objective(network: Any) -> float:
        return rows.expect(network).log_likelihood + problem.log_prior(network)

    free = FreeParameters(problem, net.frozen, rows.expect(net.frozen))
    at = free.start + np.random.default_rng(0).normal(scale=0.3, size=free.start.shape)
    exact = free.gradient(at, rows.expect(free.network(at)))
    step = 1e-5
    differences = [
        (objective(free.network(at + step * axis)) - objective(free.network(at - step * axis))) / (2 * step)
        for axis in np.eye(len(at))
    ]
    return exact, np.array(differences)


GAPS = {
    "A": ["x", "x", "y", None, "y", None],
    "B": [0, 1, None, 1, 2, None],
    "C": ["u", None, "v", "v", "u", "u"],
}


@pytest.mark.parametrize("prior", [0, 1, bayou.BDeu(3)])
def test_tables(prior: Any) -> None:
    net = bayou.Network("A -> B -> C; A -> C").fit(GAPS, method="count")
    exact, differences = compared(net, GAPS, prior)
    np.testing.assert_allclose(exact, differences, rtol=1e-5, atol=1e-6)


def test_shared_tables() -> None:
    data = {"G": ["d", "c", None, "c"], "R1": [1, 2, 2, None], "R2": [2, None, 1, 1]}
    net = bayou.Network("R1 <- G -> R2", share={"p": ["R1", "R2"]}).fit(data, method="count")
    exact, differences = compared(net, data)
    assert len(exact) == 2 + 4
    np.testing.assert_allclose(exact, differences, rtol=1e-5, atol=1e-6)


def test_noisy_nodes() -> None:
    data = {"a": [0, 1, None, 1, 0, 1], "b": [1, None, 0, 1, 0, 0], "c": [1, 1, None, 1, 0, 0]}
    net = bayou.Network("a, b -> c", nodes={"c": bayou.NoisyOr}).fit(data, method="count")
    exact, differences = compared(net, data)
    np.testing.assert_allclose(exact, differences, rtol=1e-5, atol=1e-6)


def test_gaussians_with_slopes_in_very_different_units() -> None:
    chance = np.random.default_rng(3)
    x = 1000 + 50 * chance.normal(size=12)
    y = 0.001 * x + 0.02 * chance.normal(size=12)
    data = {"K": ["p", "q"] * 6, "x": x, "y": y}
    net = bayou.Network("K -> x, y; x -> y").fit(data)
    gaps = {
        "K": [None, "q", "p", None, *data["K"][4:]],
        "x": [np.nan, x[1], x[2], x[3], np.nan, *x[5:]],
        "y": [y[0], np.nan, y[2], y[3], np.nan, *y[5:]],
    }
    exact, differences = compared(net, gaps)
    np.testing.assert_allclose(exact, differences, rtol=1e-4, atol=1e-5)


def test_gradient_ascent_and_em_meet() -> None:
    data = {name: column * 10 for name, column in GAPS.items()}
    by_em = bayou.Network("A -> B -> C").fit(data, tolerance=1e-12, max_iterations=20_000)
    by_gradient = bayou.Network("A -> B -> C").fit(data, method="gradient")
    assert by_gradient.learning.objective == pytest.approx(by_em.learning.objective, rel=1e-9)
    assert by_gradient.learning.method == "gradient"
    for name in "ABC":
        np.testing.assert_allclose(by_gradient.frozen.table(name), by_em.frozen.table(name), atol=1e-3)


def test_a_group_of_one_row_keeps_its_spread_as_in_em() -> None:
    chance = np.random.default_rng(0)
    rows = {
        "g": ["a"] * 20 + ["b", "a"],
        "x": [*chance.normal(size=20), 5.0, 1.0],
        "y": [None if k % 4 == 0 else "u" if k % 3 else "v" for k in range(22)],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_slope, by_em = (bayou.Network("g -> x; g -> y").fit(rows, method=m) for m in ("gradient", "em"))
    assert by_slope.learning is not None
    assert by_slope.learning.verdict == "converged"
    ours, theirs = (net.frozen.gaussian("x").variance for net in (by_slope, by_em))
    assert np.allclose(ours, theirs)
