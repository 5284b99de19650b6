"""EM of linear Gaussian models: it never falls, reaches what a general optimiser reaches, and keeps what is
fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from tests.models.sequences.kalman.random_models import random_model, random_values

import bayou
from bayou.temporal.kalman.linear_system import PARTS


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from(["em", "plain-em"]))
@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
def test_the_likelihood_never_falls(seed: int, inputs: bool, flat: bool, method: str) -> None:
    model = random_model(seed, inputs, flat)
    parts = [random_values(model, steps, seed + steps) for steps in (9, 1, 14)]
    controls = [np.random.default_rng(len(part)).normal(size=(len(part), 2)) for part in parts]
    how = {"controls": controls} if inputs else {}
    before = model.log_likelihood(parts, **how)
    model.fit(parts, max_iterations=15, method=method, **how)
    steps = np.array(model.learning.objectives)
    assert steps[0] >= before - 1e-9 * abs(before)
    assert (np.diff(steps) >= -1e-9 * np.abs(steps[1:])).all()
    assert model.log_likelihood(parts, **how) == pytest.approx(steps[-1], rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["diagonal", "scaled", "full"]), st.data())
@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
def test_fixed_parts_entries_and_shapes_are_kept(seed: int, shape: str, data: st.DataObject) -> None:
    base = random_model(seed, inputs=True)
    chance = np.random.default_rng(seed)
    masks = {part: chance.random(getattr(base, part).shape) < 0.5 for part in ("transition", "observation")}
    noise = {part: getattr(base, part) for part in ("transition_noise", "observation_noise")}
    if shape == "diagonal":
        noise = {part: np.diag(np.diagonal(value)) for part, value in noise.items()}
    given_ = {part: getattr(base, part) for part in PARTS} | noise
    model = bayou.KalmanModel(**given_, fixed={**masks, "direct": True}, shapes=dict.fromkeys(noise, shape))
    values = [random_values(base, steps, seed + steps) for steps in (12, 10)]
    controls = [chance.normal(size=(len(part), 2)) for part in values]
    keep = data.draw(st.sampled_from([(), ("observation_noise",), ("start_mean", "control")]))
    model.fit(values, controls=controls, keep=keep, max_iterations=8)
    steps = np.array(model.learning.objectives)
    assert (np.diff(steps) >= -1e-9 * np.abs(steps[1:])).all()
    for part, mask in masks.items():
        assert np.array_equal(getattr(model, part)[mask], given_[part][mask])
    for part in ("direct", *keep):
        assert np.array_equal(getattr(model, part), given_[part])
    for part in set(noise) - set(keep):
        found, start = getattr(model, part), given_[part]
        if shape == "diagonal":
            assert np.array_equal(found, np.diag(np.diagonal(found)))
        elif shape == "scaled":
            np.testing.assert_allclose(found / found[0, 0], start / start[0, 0], atol=1e-9)


def test_em_reaches_the_maximum_that_a_general_optimiser_finds() -> None:
    truth = bayou.KalmanModel.local_trend(0.5, 0.1, 2.0, start_variance=1.0)
    values = np.array(truth.sample(300, seed=1)["y"])
    values[40:60] = np.nan

    def loss(logs: np.ndarray) -> float:
        level, slope, noise = np.exp(logs)
        return -bayou.KalmanModel.local_trend(level, slope, noise, start_variance=1.0).score(values)

    best = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    found = bayou.KalmanModel.local_trend(1.0, 1.0, 1.0, start_variance=1.0)
    found.fit(values, keep=("start_mean",), tolerance=1e-7)
    assert found.learning.converged
    assert found.score(values) == pytest.approx(-best.fun, abs=1e-5)
    noise = [*np.diagonal(found.transition_noise), found.observation_noise.item()]
    np.testing.assert_allclose(noise, np.exp(best.x), rtol=2e-3)


def test_autoregression_without_noise_is_learned_as_a_regression() -> None:
    truth = bayou.KalmanModel.autoregression([0.6, -0.3], noise=2.0)
    values = np.array(truth.sample(500, seed=2)["y"])
    found = bayou.KalmanModel.autoregression([0.1, 0.1]).fit(values, tolerance=1e-9)
    # The states before the first row are hidden, so that the first rows count a little, too.
    lags = np.stack([values[1:-1], values[:-2]], axis=1)
    slopes, *_ = np.linalg.lstsq(lags, values[2:], rcond=None)
    np.testing.assert_allclose(found.transition[0, :2], slopes, atol=0.01)
    assert found.transition_noise[0, 0] == pytest.approx(np.mean((values[2:] - lags @ slopes) ** 2), rel=0.02)
    assert np.array_equal(found.transition[1:], truth.transition[1:])
    assert not found.transition_noise[1:].any()


def test_an_unknown_mean_is_learned() -> None:
    truth = bayou.KalmanModel.autoregression([0.5], noise=2.0, mean=30.0)
    values = np.array(truth.sample(500, seed=2)["y"])
    found = bayou.KalmanModel.autoregression([0.1], mean=None).fit(values)
    centre = found.smooth(values)[0]["mean"]
    gap = values - centre
    assert found.transition[0, 0] == pytest.approx(gap[1:] @ gap[:-1] / (gap[:-1] @ gap[:-1]), abs=0.01)
    assert found.start_mean[1] == pytest.approx(centre, abs=1e-3)
    assert centre == pytest.approx(values.mean(), abs=0.05)
    known = bayou.KalmanModel.autoregression([0.1], mean=30.0).fit(values)
    assert known.start_mean.tolist() == [0.0, 30.0]


def test_a_known_state_is_learned_as_two_regressions() -> None:
    """With the state observed exactly, EM's answer is ordinary least squares."""
    chance = np.random.default_rng(3)
    truth = bayou.KalmanModel(
        [[0.8, 0.2], [-0.1, 0.7]], np.eye(2), observation_noise=1e-10, control=[1.0, -1.0]
    )
    controls = chance.normal(size=(400, 1))
    drawn = truth.sample(400, seed=3, controls=controls)
    values = np.array([drawn["y0"], drawn["y1"]]).T
    start = bayou.KalmanModel(
        np.zeros((2, 2)),
        np.eye(2),
        observation_noise=1e-10,
        control=np.zeros((2, 1)),
        fixed=("observation", "direct", "observation_noise"),
    )
    found = start.fit(values, controls=controls, tolerance=1e-8)
    known = np.hstack([values[:-1], controls[1:]])
    slopes, *_ = np.linalg.lstsq(known, values[1:], rcond=None)
    np.testing.assert_allclose(np.hstack([found.transition, found.control]), slopes.T, atol=1e-6)
    left = values[1:] - known @ slopes
    np.testing.assert_allclose(found.transition_noise, left.T @ left / len(left), atol=1e-6)


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
def test_weights_are_repetitions() -> None:
    model = random_model(6)
    one, two = random_values(model, 20, 1), random_values(model, 15, 2)
    weighted = model.copy().fit([one, two], weights=[2.0, 1.0], max_iterations=10)
    repeated = model.copy().fit([one, two, one], max_iterations=10)
    for part in PARTS:
        np.testing.assert_allclose(getattr(weighted, part), getattr(repeated, part), atol=1e-6)


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
def test_restarts_are_seeded_and_the_best_is_kept() -> None:
    model = random_model(8)
    values = [random_values(model, 40, k) for k in range(3)]
    alone = model.copy().fit(values, max_iterations=40)
    several, again = (model.copy().fit(values, restarts=3, seed=5, max_iterations=40) for _ in range(2))
    assert several.same_as(again)
    assert len(several.learning.starts) == 3
    assert several.learning.objective >= alone.learning.objective
    assert several.learning.objective == max(one.objective for one in several.learning.starts)


def test_numbers_far_from_zero_lose_no_digits() -> None:
    truth = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1.0)
    values = np.array(truth.sample(400, seed=4)["y"])
    near = bayou.KalmanModel.local_level().fit(values, tolerance=1e-7)
    far = bayou.KalmanModel.local_level(start=1e7).fit(values + 1e7, tolerance=1e-7)
    assert far.transition_noise.item() == pytest.approx(near.transition_noise.item(), rel=1e-4)
    assert far.observation_noise.item() == pytest.approx(near.observation_noise.item(), rel=1e-4)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_the_scale_of_the_values_does_not_matter(scale: float) -> None:
    values = np.array(bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1.0).sample(300, seed=4)["y"])
    near = bayou.KalmanModel.local_level(start_variance=1e3).fit(values, tolerance=1e-6)
    other = bayou.KalmanModel.local_level(start_variance=1e3 * scale**2).fit(values * scale, tolerance=1e-6)
    for part in ("transition_noise", "observation_noise"):
        assert getattr(other, part).item() / scale**2 == pytest.approx(getattr(near, part).item(), rel=1e-3)


def test_what_cannot_be_learned_is_refused() -> None:
    level = bayou.KalmanModel.local_level()
    with pytest.raises(bayou.BayouError, match="all values are missing"):
        level.fit([None, None])
    with pytest.raises(bayou.BayouError, match="no row to learn from"):
        level.fit([[], []])
    with pytest.raises(bayou.BayouError, match="'y' does not vary"):
        level.fit([3.0] * 20)
    with pytest.raises(bayou.BayouError, match="explains the values exactly"):
        bayou.KalmanModel.local_trend().fit(np.arange(20.0))
    with pytest.raises(bayou.BayouError, match="method"):
        level.fit([1.0, 2.0], method="gradient")
    with pytest.raises(bayou.BayouError, match=r"keep=.A. is unknown"):
        level.fit([1.0, 2.0], keep=["A"])
    with pytest.raises(bayou.BayouError, match="not learned"):
        level.learning  # noqa: B018
