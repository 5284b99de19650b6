"""States and continuations drawn given series, against the smoother, the forecast and the unrolled joint."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion

DRAWS = 20_000


def test_paths_have_the_joint_moments_of_the_posterior() -> None:
    model = bayou.KalmanModel(
        [[0.9, 0.3], [0.0, 0.7]],
        [[1.0, 0.0]],
        transition_noise=[[0.5, 0.2], [0.2, 0.4]],
        observation_noise=0.3,
        start_mean=[1.0, -1.0],
        start_covariance=2.0,
    )
    seen = [0.5, None, 2.0]
    drawn = model.sample(0, given=seen, sequences=DRAWS, seed=1)
    paths = np.array([[one[f"x{k}"] for k in range(2)] for one in drawn]).swapaxes(1, 2).reshape(DRAWS, 6)
    # The joint Gaussian of all states and observations, conditioned by hand.
    a, c, q = model.transition, model.observation, model.transition_noise
    mean, spread = np.zeros(6), np.zeros((6, 6))
    mean[:2], spread[:2, :2] = model.start_mean, model.start_covariance
    for step in (1, 2):
        now, before = slice(2 * step, 2 * step + 2), slice(2 * step - 2, 2 * step)
        mean[now] = a @ mean[before]
        spread[now, : 2 * step] = a @ spread[before, : 2 * step]
        spread[: 2 * step, now] = spread[now, : 2 * step].T
        spread[now, now] = a @ spread[before, before] @ a.T + q
    look = np.zeros((2, 6))
    look[0, :2], look[1, 4:] = c, c
    gain = spread @ look.T @ np.linalg.inv(look @ spread @ look.T + 0.3 * np.eye(2))
    centre = mean + gain @ (np.array([0.5, 2.0]) - look @ mean)
    posterior = spread - gain @ look @ spread
    np.testing.assert_allclose(paths.mean(axis=0), centre, atol=0.03)
    np.testing.assert_allclose(np.cov(paths.T), posterior, atol=0.04)
    smoothed = model.smooth(seen)
    np.testing.assert_allclose(smoothed.means.ravel(), centre, rtol=1e-9)
    assert [drawn[0]["y"][step] for step in (0, 2)] == [0.5, 2.0]
    filled = np.array([one["y"][1] for one in drawn])
    assert filled.mean() == pytest.approx(centre[2], abs=0.03)
    assert filled.var() == pytest.approx(posterior[2, 2] + 0.3, rel=0.03)


def test_the_continuation_is_that_of_the_forecast() -> None:
    level = bayou.KalmanModel.local_trend(0.4, 0.1, 0.8, start_variance=4)
    seen = [1.0, 2.0, 2.5, None, 4.0]
    drawn = level.sample(3, given=seen, sequences=DRAWS, seed=2)
    ahead = level.forecast(seen, 3)
    values = np.array([one["y"][5:] for one in drawn])
    np.testing.assert_allclose(values.mean(axis=0), ahead.means[:, 0], atol=0.1)
    np.testing.assert_allclose(values.std(axis=0), ahead.deviations[:, 0], rtol=0.03)
    lasts = np.array([one["level"][4] for one in drawn])
    both = np.corrcoef(lasts, values[:, 0])[0, 1]
    assert both > 0.4


def test_states_without_noise_inputs_and_several_series() -> None:
    memory = bayou.KalmanModel.autoregression([0.6, 0.2], noise=1.0, observation_noise=0.0, mean=0)
    drawn = memory.sample(1, given=[1.0, 2.0, None, 0.5], sequences=50, seed=3)
    for one in drawn:
        states = np.array([one["deviation"], one["deviation 1 ago"]])
        np.testing.assert_allclose(states[1, 1:], states[0, :-1], atol=1e-6)
        np.testing.assert_allclose(states[0, [0, 1, 3]], [1.0, 2.0, 0.5], atol=1e-6)
    tank = bayou.KalmanModel(
        [[0.9]], [[1.0]], transition_noise=0.1, observation_noise=0.5, control=[[1.0]], inputs=["inflow"]
    )
    seen = {"y": [0.4, 1.5], "inflow": [0.0, 1.0]}
    one = tank.sample(1, given=seen, future=[1.0], seed=4)
    assert one["inflow"] == [0.0, 1.0, 1.0]
    assert len(one["x"]) == 3
    assert one == tank.sample(1, given=seen, future=[1.0], seed=4)
    both = tank.sample(0, given=[[0.4, 1.5], [2.0]], controls=[[0.0, 1.0], [1.0]], sequences=2)
    assert [len(draws) for draws in both] == [2, 2]
    assert len(both[1][0]["x"]) == 1
    with pytest.raises(BadQuestion, match="give future="):
        tank.sample(1, given=seen)
    with pytest.raises(BadQuestion, match="given= is read"):
        tank.sample(3, controls=[0, 0, 0], time="t")


def test_draws_do_not_depend_on_the_units_of_states() -> None:
    moves, noise = np.array([[0.9, 0.3], [-0.2, 0.7]]), np.array([[0.5, 0.2], [0.2, 0.4]])
    sizes = np.array([2.0**20, 2.0**-20])  # powers of 2 change no digit
    seen = [0.5, None, 2.0, 1.0]
    drawn = []
    for unit in (np.ones(2), sizes):
        model = bayou.KalmanModel(
            moves * unit[:, None] / unit,
            [1.0 / unit],
            transition_noise=noise * np.outer(unit, unit),
            observation_noise=0.3,
            start_mean=np.zeros(2),
            start_covariance=2 * np.diag(unit**2),
        )
        paths = model.sample(2, given=seen, sequences=200, seed=1)
        drawn.append(np.array([[one["x0"], one["x1"]] for one in paths]) / unit[:, None])
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=1e-6, atol=1e-6)


def test_a_small_state_beside_a_large_one_keeps_its_memory() -> None:
    model = bayou.KalmanModel(
        np.diag([0.5, 0.9]),
        [[1.0, 0.0]],
        transition_noise=np.diag([1e10, 1e-10]),
        observation_noise=1e8,
        start_mean=np.zeros(2),
        start_covariance=np.diag([1e10, 1e-10 / (1 - 0.81)]),
    )
    drawn = model.sample(0, given=[1e5, 2e5, 0.0], sequences=DRAWS, seed=1)
    small = np.array([one["x1"] for one in drawn])  # nothing is seen of it
    assert np.corrcoef(small[:, 0], small[:, 1])[0, 1] == pytest.approx(0.9, abs=0.01)


def test_gaps_are_drawn_given_the_rest_of_their_row() -> None:
    noise = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.2], [0.3, 0.2, 0.5]])
    model = bayou.KalmanModel(
        [[0.7]], [[1.0], [2.0], [-1.0]], transition_noise=0.5, observation_noise=noise, start_covariance=1.0
    )
    seen = np.array([[1.0, 2.0, 0.5], [2.0, np.nan, np.nan], [np.nan, 0.5, 1.0]])
    drawn = model.sample(0, given=seen, sequences=DRAWS, seed=2)
    columns = list(model.columns)
    values = np.array([[one[name] for name in columns] for one in drawn]).swapaxes(1, 2)
    assert np.array_equal(values[5][~np.isnan(seen)], seen[~np.isnan(seen)])
    # The joint Gaussian of all nine numbers, conditioned by hand.
    start = float(model.start_covariance[0, 0])
    states = np.zeros((3, 3))
    variances = [start]
    for _ in range(2):
        variances.append(0.49 * variances[-1] + 0.5)
    for i in range(3):
        for j in range(3):
            states[i, j] = 0.7 ** abs(i - j) * variances[min(i, j)]
    look = model.observation[:, 0]
    joint = np.kron(states, np.outer(look, look)) + np.kron(np.eye(3), noise)
    lost = np.isnan(seen).ravel()
    centre = np.kron(0.7 ** np.arange(3) * model.start_mean[0], look)
    gain = joint[np.ix_(lost, ~lost)] @ np.linalg.inv(joint[np.ix_(~lost, ~lost)])
    mean = centre[lost] + gain @ (seen.ravel()[~lost] - centre[~lost])
    spread = joint[np.ix_(lost, lost)] - gain @ joint[np.ix_(~lost, lost)]
    found = values.reshape(DRAWS, 9)[:, lost]
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=0.04)
    np.testing.assert_allclose(np.cov(found.T), spread, atol=0.05)
