"""Kernel emissions: fixed bumps whose weights EM learns, against a log-space oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.sequences.chain_oracle import Oracle, log_sum, normalised

import bayou
from bayou.distributions.kernel.bump_mixture import BumpMixture, bumps_for
from bayou.errors import BadData, BadFile, BadQuestion


class BumpOracle(Oracle):
    """Weights [state, bump] of normal densities, all sums in logarithms."""

    weights: np.ndarray
    centres: np.ndarray
    widths: np.ndarray

    def joint(self, x: np.ndarray) -> np.ndarray:
        """log w + log N, [row, state, bump]."""
        away = (x[:, None] - self.centres) / self.widths
        logs = -0.5 * away**2 - np.log(self.widths * np.sqrt(2 * np.pi))
        with np.errstate(divide="ignore"):
            return np.log(self.weights)[None] + logs[:, None, :]

    def emission_logs(self, sequence: dict[str, Any]) -> np.ndarray:
        x = np.asarray(sequence["x"], dtype=float)
        return np.where(np.isnan(x)[:, None], 0.0, log_sum(self.joint(np.nan_to_num(x))))


def series(seed: int, gaps: float = 0.0) -> list[np.ndarray]:
    """Sequences whose first state has two humps around the one of the second."""
    chance = np.random.default_rng(seed)
    found = []
    for size in (60, 45, 1, 80):
        state = np.cumsum(chance.random(size) < 0.1) % 2
        humps = np.where(chance.random(size) < 0.5, -3.0, 3.0)
        x = np.where(state == 0, humps, 0.0) + 0.5 * chance.normal(size=size)
        found.append(np.where(chance.random(size) < gaps, np.nan, x))
    return found


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.filterwarnings("ignore:Learning stopped")
@pytest.mark.usefixtures("few_starts")
def test_twenty_steps_are_those_of_the_oracle(gaps: float) -> None:
    data = series(1, gaps)
    model = bayou.HMM(2, {"x": "kernel"}).fit(data, max_iterations=1, method="baum-welch", seed=2)
    node = model.emission("x")
    assert isinstance(node, BumpMixture)
    for _ in range(20):
        node = model.emission("x")
        oracle = BumpOracle(model.start, model.transition)
        oracle.weights, oracle.centres, oracle.widths = node.weights, node.centres, node.widths
        total, first, moves, counts = 0.0, np.zeros(2), np.zeros((2, 2)), np.zeros(node.weights.shape)
        for x in data:
            log, states, own = oracle.messages({"x": x})
            total, first, moves = total + log, first + states[0], moves + own
            seen = ~np.isnan(x)
            joint = oracle.joint(x[seen])
            inside = np.exp(joint - log_sum(joint)[..., None])
            counts += (states[seen][:, :, None] * inside).sum(axis=0)
        assert model.log_likelihood(data) == pytest.approx(total, rel=1e-9)
        before = model.log_likelihood(data)
        model = model.fit(data, start="present", method="baum-welch", max_iterations=1)
        assert model.log_likelihood(data) >= before - 1e-9 * abs(before)
        assert np.allclose(model.emission("x").weights, normalised(counts), rtol=1e-9, atol=1e-12)
        assert np.allclose(model.transition, normalised(moves), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_humps_that_no_gaussian_has_are_found_and_the_likelihood_never_falls() -> None:
    data = series(3)
    for method in ("em", "baum-welch", "viterbi"):
        found = bayou.HMM(2, "kernel").fit(data, method=method, seed=1)
        gains = np.diff(found.learning.objectives)
        assert (gains >= -1e-9 * abs(found.learning.objectives[-1])).all()
    found = bayou.HMM(2, "kernel").fit(data, restarts=3)
    density = np.exp(found.emission("x").log_density_by_group(np.array([-3.0, 0.0, 3.0])))
    middle = int(density[1].argmax())
    assert density[1, middle] > 5 * density[1, 1 - middle]
    assert (density[[0, 2], 1 - middle] > 5 * density[[0, 2], middle]).all()
    assert found.log_likelihood(data) > bayou.HMM(2).fit(data, restarts=3).log_likelihood(data)


def test_the_number_of_bumps_is_bounded_and_they_cover_the_values() -> None:
    x = np.random.default_rng(0).standard_t(1.5, size=5000)
    made = bumps_for(x, np.ones(5000))
    assert len(made.centres) <= 64
    assert (made.centres[0], made.centres[-1]) == (x.min(), x.max())
    gaps = np.diff(made.centres) / 2
    assert (np.array(made.widths[1:]) + np.array(made.widths[:-1]) >= gaps).all()
    few = bumps_for(np.array([1.0, 2.0, 2.0]), np.ones(3))
    assert few.centres == (1.0, 2.0)
    with pytest.raises(BadData, match="'x' does not vary"):
        bayou.HMM(2, {"x": "kernel"}).fit([1.0, 1.0, 1.0])


@pytest.mark.usefixtures("few_starts")
def test_a_density_integrates_to_one_and_is_finite_far_away() -> None:
    node = bayou.HMM(2, "kernel").fit(series(5)).emission("x")
    grid = np.linspace(-30, 30, 20001)
    density = np.exp(node.log_density_by_group(grid))
    assert np.allclose(np.trapezoid(density, grid, axis=0), 1, atol=1e-6)
    assert np.isfinite(node.log_density_by_group(np.array([1e6, -1e9]))).all()
    assert (node.log_density_by_group(np.array([np.nan])) == 0).all()


@pytest.mark.usefixtures("few_starts")
def test_files_forecasts_draws_and_other_columns(tmp_path: Path) -> None:
    data = [{"x": x, "y": (x > 0).astype(int), "z": 2 * x} for x in series(7)]
    model = bayou.HMM(2, {"x": "kernel", "y": "table", "z": "gaussian"}).fit(data)
    model.save(tmp_path / "m.bayou")
    again = bayou.load(tmp_path / "m.bayou")
    assert again.same_as(model)
    assert again.log_likelihood(data) == model.log_likelihood(data)
    drawn = np.array(model.sample(20_000, seed=1)["x"])
    shares = model.stationary
    assert drawn.mean() == pytest.approx(float(shares @ model.emission("x").means), abs=0.15)
    ahead = model.forecast(data[0], steps=200)
    assert ahead.means["x"][-1] == pytest.approx(float(shares @ model.emission("x").means), abs=1e-3)
    assert again.partial_fit(data[1]).learning.method == "stepwise"
    state = model.state()
    damaged = BumpMixture(np.array([[0.5, 0.5]]), np.zeros(2), np.ones(2)).state()
    for part, bad in (("weights", np.array([[0.7, 0.7]])), ("widths", np.zeros(2)), ("centres", np.zeros(3))):
        with pytest.raises(BadFile):
            BumpMixture.from_state({**damaged, part: bad})
    assert state["columns"]


@pytest.mark.filterwarnings("ignore:Learning stopped")
@pytest.mark.usefixtures("few_starts")
def test_a_file_and_rows_in_memory_have_the_same_bumps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayou.sources.files import file_source

    x = np.concatenate(series(9))
    path = tmp_path / "x.csv"
    path.write_text("t,x\n" + "".join(f"{t},{value!r}\n" for t, value in enumerate(x.tolist())))
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 50)
    found = bayou.HMM(2, {"x": "kernel"}).fit(path, time="t", max_iterations=5)
    rows = {"t": list(range(len(x))), "x": x}
    assert found.same_as(bayou.HMM(2, {"x": "kernel"}).fit(rows, time="t", max_iterations=5))


def test_kernels_need_numbers() -> None:
    with pytest.raises(BadData, match="no numbers"):
        bayou.HMM(2, {"x": "kernel"}).fit({"x": ["a", "b", "a"]})
    with pytest.raises(BadQuestion, match="is not a kind"):
        bayou.HMM(2, {"x": "kernels"})
