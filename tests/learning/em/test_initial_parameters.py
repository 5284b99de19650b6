"""Starting parameters: few complete rows, tables with zeros, functions learned again from the rows."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import BadData

INPUTS = ("x0", "x1", "x2", "x3", "x4")
METHODS = ["em", "gradient"]


def regression(rows: int, seed: int) -> dict[str, np.ndarray]:
    """Five inputs, one output, four cells of ten missing: hardly a row is complete."""
    chance = np.random.default_rng(seed)
    inputs = chance.normal(size=(rows, len(INPUTS)))
    output = inputs @ [1.0, 2.0, -1.0, 0.5, 0.3] + 0.5 * chance.normal(size=rows)
    table = np.column_stack([inputs, output])
    table[chance.random(table.shape) < 0.4] = np.nan
    return dict(zip((*INPUTS, "y"), table.T, strict=True))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_fewer_complete_rows_than_parameters_are_no_obstacle(seed: int, method: str) -> None:
    data = regression(100, seed)
    complete = ~np.isnan(np.column_stack(list(data.values()))).any(axis=1)
    assert complete.sum() < len(INPUTS) + 2
    net = bayou.Network(f"{', '.join(INPUTS)} -> y", continuous=list(data)).fit(data, method=method)
    assert net.learning.converged
    found = net.frozen.gaussian("y")
    assert np.allclose(found.coefficients, [1.0, 2.0, -1.0, 0.5, 0.3], atol=0.6)
    assert 0.01 < found.variance < 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_child_that_varies_only_in_incomplete_rows(method: str) -> None:
    data = {"x": [1.0, 2.0, 3.0, 4.0, *[None] * 6], "y": [2.0] * 4 + [1.0, 3.0, 0.5, 4.0, 2.5, 1.5]}
    net = bayou.Network("x -> y", continuous=["x", "y"]).fit(data, method=method)
    assert net.learning.converged
    line, mean = net.frozen.gaussian("y"), net.frozen.gaussian("x").intercept
    assert np.isclose(line.intercept + line.coefficients[0] * mean, np.mean(data["y"]), atol=0.2)
    assert 0.1 < line.variance < 2.0


def test_two_equal_labelled_rows_are_no_obstacle() -> None:
    chance = np.random.default_rng(1)
    x = [*chance.normal(size=6), 8.0, 8.0, *(8 + chance.normal(size=20))]
    net = bayou.Network("K -> x", continuous=["x"]).fit({"K": ["a"] * 6 + ["b"] * 2 + [None] * 20, "x": x})
    assert net.learning.converged
    assert np.allclose(net.frozen.gaussian("x").intercept, [np.mean(x[:6]), np.mean(x[6:])], atol=0.1)


def test_what_has_no_density_is_named_with_the_remedy() -> None:
    net = bayou.Network("K -> x", states={"K": [0, 1]}, continuous=["x"])
    with pytest.raises(BadData, match=r"'x' does not vary .*states="):
        net.fit({"x": [3.0, 3.0, None, 3.0], "K": [None, 0, 1, 1]})
    with pytest.raises(BadData, match="too large to square"):
        net.fit({"x": [1e200, -1e200, 2e200, None, 3e200], "K": [0, 1, 0, 1, None]})


@pytest.mark.parametrize("method", METHODS)
def test_what_was_never_seen_before_may_be_learned_on(method: str) -> None:
    """Tables counted without a prior have zeros: states that were not observed, but are possible."""
    net = bayou.Network("A -> B").fit({"A": ["x", "y", "x", "y"], "B": [0, 1, 0, 1]}, prior=0)
    net.partial_fit({"A": ["x", None], "B": [1, 0]}, method=method)
    assert net.learning.converged
    # Three rows of x, of which one is 1, and the row without A.
    assert net.cpt("B")["x", 1] == pytest.approx(0.25, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_functions_grow_with_rows_that_are_learned_on(method: str) -> None:
    net = bayou.Network("A -> B", states={"A": ["x", "y", "z"]}, nodes={"B": bayou.Deterministic})
    with pytest.warns(bayou.BayouWarning, match="never occur"):
        net.fit({"A": ["x", "y", None, "y"], "B": [0, 1, 1, None]}, method=method)
    net.partial_fit({"A": ["x", None, "z"], "B": [0, 0, 1]}, method=method)
    assert net.cpt("B")["z", 1] == 1.0


def test_a_function_that_rows_contradict_is_learned_anew_from_present_tables() -> None:
    net = bayou.Network("A -> B", states={"A": ["x", "y"], "B": [0, 1]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", bayou.Deterministic({"x": 0, "y": 1}))
    net.fit({"A": ["x", "y", None, "y"], "B": [1, 0, 1, None]}, start="present")
    assert net.cpt("B")["x", 1] == net.cpt("B")["y", 0] == 1.0
