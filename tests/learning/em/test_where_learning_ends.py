"""Near-exact lines, failing line searches, vanishing variances: the best is kept, the verdict is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize

import bayou
from bayou.errors import BadData, BayouWarning, NoConvergence
from bayou.learning.em.trace import COLLAPSED, CONVERGED
from bayou.learning.em.training_rows import TrainingRows

GAPS = {
    "A": ["x", "x", "y", None, "y", "x", None, "y"] * 5,
    "B": [0, 1, 1, 1, None, 0, None, 1] * 5,
    "C": ["u", None, "v", "v", "u", None, "u", "v"] * 5,
}


def numbers(seed: int, noise: float) -> dict[str, Any]:
    """Two lines, and a fifth of all cells missing."""
    chance = np.random.default_rng(seed)
    x = 3415 * chance.normal(size=55)
    y = 2 * x + noise * chance.normal(size=55)
    columns = {"x": x, "y": y, "Größe z": y - x + noise * chance.normal(size=55)}
    return {name: np.where(chance.random(55) < 0.2, np.nan, column) for name, column in columns.items()}


@pytest.mark.parametrize("seed", range(6))
def test_a_fall_within_rounding_ends_as_converged_with_the_better_tables(seed: int) -> None:
    net = bayou.Network({"x": [], "y": ["x"], "Größe z": ["x", "y"]}).fit(numbers(seed, 1e-3))
    assert net.learning.converged
    assert np.all(np.diff(net.learning.objectives) >= 0)
    assert net.learning.iterations == len(net.learning.objectives) - 1
    rows = net.log_probability(numbers(seed, 1e-3))
    assert float(np.sum(rows)) == pytest.approx(net.learning.log_likelihood, rel=1e-6)


def test_points_without_a_likelihood_are_stepped_back_from(monkeypatch: pytest.MonkeyPatch) -> None:
    right, calls = TrainingRows.expect, 0

    def expect(rows: TrainingRows, network: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in (3, 6):
            raise BadData("A Gaussian has collapsed.")
        return right(rows, network)

    whole = bayou.Network("A -> B -> C").fit(GAPS, method="gradient")
    monkeypatch.setattr(TrainingRows, "expect", expect)
    net = bayou.Network("A -> B -> C").fit(GAPS, method="gradient")
    assert calls > 6
    assert net.learning.converged
    assert net.learning.objective == pytest.approx(whole.learning.objective, rel=1e-6)


def test_a_spread_that_vanishes_is_no_convergence_and_no_crash() -> None:
    data = {
        "K": ["p", None, "q", "q", "p", None, "q", "p"],
        "x": [1.0, 1.5, None, 4.5, 0.5, 4.0, 5.5, 1.2],
        "y": [2.0, 2.5, 9.0, None, 1.5, 8.0, 9.5, None],
    }
    net = bayou.Network("K -> x, y; x -> y")
    with pytest.warns(BayouWarning, match=r"likelihood is unbounded|max_iterations"):
        net.fit(data, method="gradient", max_iterations=200)
    assert not net.learning.converged
    assert np.isfinite(net.learning.objective)


@pytest.mark.parametrize(
    ("status", "verdict"), [(1, "stopped at the limit of tries"), (2, "stalled before it settled")]
)
def test_what_scipy_says_of_the_end_is_the_verdict(
    status: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = optimize.minimize

    def cut_short(loss: Any, start: Any, **how: Any) -> Any:
        how["options"] = {**how["options"], "maxiter": 2}
        ended = right(loss, start, **how)
        ended.status = status
        return ended

    monkeypatch.setattr(optimize, "minimize", cut_short)
    net = bayou.Network("A -> B -> C")
    with pytest.warns(BayouWarning, match=verdict):
        net.fit(GAPS, method="gradient", tolerance=1e-12)
    assert net.learning.verdict == verdict


def test_a_start_where_a_spread_vanishes_is_passed_over_by_gradient_ascent_too() -> None:
    chance = np.random.default_rng(1)
    kind = chance.integers(0, 2, 60)
    points = np.where(kind == 0, chance.normal(size=60), 0.7 * chance.normal(size=60) + 4)
    data = {"x": [*points, 9.0, 9.0, 9.0]}
    net = bayou.Network("K -> x", states={"K": [0, 1, 2]}, continuous=["x"])
    net.fit(data, method="gradient", restarts=3, seed=3)
    verdicts = {one.verdict: one.objective for one in net.learning.starts}
    assert verdicts[COLLAPSED] > verdicts[CONVERGED]
    assert net.learning.converged
    assert net.frozen.gaussian("x").variance.min() > 1e-3
    only = bayou.Network("K -> x", states={"K": [0, 1]}, continuous=["x"])
    with pytest.warns(BayouWarning, match="likelihood is unbounded"):
        only.fit({"x": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]}, method="gradient")
    assert not only.learning.converged


def test_creeping_along_a_ridge_without_end_is_no_convergence() -> None:
    """Two complete rows: any spread around the line through them can be halved, and the rest adapts."""
    data = {"x": [1.0, 2.0, *[None] * 6], "y": [2.0, 4.0, 1.0, 3.0, -2.0, 0.5, 2.5, -1.0]}
    net = bayou.Network("x -> y", continuous=["x", "y"])
    with pytest.warns(BayouWarning, match="stalled|stopped"):
        net.fit(data, method="gradient")
    assert not net.learning.converged
    with pytest.raises(NoConvergence, match="likelihood is unbounded"):
        net.fit(data, method="em", max_iterations=5000)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_gradient_ascent_makes_no_more_iterations_than_it_may(steps: int) -> None:
    net = bayou.Network("A -> B -> C")
    with pytest.warns(BayouWarning, match=f"max_iterations={steps} "):
        net.fit(GAPS, method="gradient", tolerance=0.0, max_iterations=steps)
    assert net.learning.iterations == steps
    assert len(net.learning.objectives) == steps + 1


def test_without_a_tolerance_gradient_ascent_settles_at_the_top() -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS, method="gradient", tolerance=0.0)
    assert net.learning.converged


def nearly_one_line(seed: int) -> tuple[str, dict[str, Any]]:
    """Four numbers of any size that hardly differ from lines of each other, a state, and gaps in all."""
    chance = np.random.default_rng(seed)
    rows = int(chance.integers(15, 80))
    unit, offset = 10.0 ** chance.integers(-8, 9, 4), chance.choice([0, 1, 1e3, 1e6], 4)
    noise = 10.0 ** chance.integers(-9, 1, 3)
    k = chance.integers(0, 2, rows)
    x = chance.normal(size=rows) + 3 * k
    y = 2 * x + noise[0] * chance.normal(size=rows)
    z = x - y + noise[1] * chance.normal(size=rows)
    w = noise[2] * chance.normal(size=rows) + z * (k - 0.5)
    data: dict[str, Any] = {}
    for place, (name, column) in enumerate(zip("xyzw", (x, y, z, w), strict=True)):
        gone = [chance.random() < 0.25 for _ in range(rows)]
        data[name] = np.where(gone, np.nan, (column + offset[place]) * unit[place])
    data["k"] = [None if chance.random() < 0.3 else int(state) for state in k]
    arcs = ("k -> x; x -> y; x, y -> z", "x -> y; y -> z; k, z -> w", "k -> x, w; x, w -> y; y -> z")
    return arcs[seed % 3], data


def fitted(seed: int, method: str) -> bayou.Network:
    arcs, data = nearly_one_line(seed)
    names = [name for name in "xyzw" if name in arcs]
    net = bayou.Network(arcs, states={"k": [0, 1]}, continuous=names)
    return net.fit({name: data[name] for name in (*names, "k")}, method=method, max_iterations=60)


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize(
    ("seed", "method"), [(90, "em"), (33, "gradient"), (90, "gradient"), (114, "gradient")]
)
def test_lines_between_parents_that_hardly_differ_never_lose(seed: int, method: str) -> None:
    assert np.all(np.diff(fitted(seed, method).learning.objectives) >= 0)


@pytest.mark.parametrize("seed", [99, 114])
def test_lines_without_a_spread_are_said_to_be_that_and_no_fall(seed: int) -> None:
    with pytest.raises(NoConvergence, match="likelihood is unbounded"):
        fitted(seed, "em")
