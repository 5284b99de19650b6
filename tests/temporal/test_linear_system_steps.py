"""Steps of EM for linear Gaussian systems against an oracle that conditions the joint normal distribution of
each whole series.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.models.sequences.kalman.random_models import conditioned, joint_normal, random_model, random_values

import bayou
from bayou.temporal.kalman.linear_system import COVARIANCES, MATRICES, PARTS, LinearSystem, ObservedSeries
from bayou.temporal.kalman.system_problem import FULL, SystemProblem

STEPS = 20


def regression(rows: list[tuple[np.ndarray, np.ndarray, float]], known: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and noise of the last entries on the first ``known`` ones, from (mean, covariance, weight)
    of each row.
    """
    second = sum(weight * (spread + np.outer(mean, mean)) for mean, spread, weight in rows)
    total = sum(weight for _, _, weight in rows)
    slopes = np.linalg.solve(second[:known, :known], second[:known, known:]).T
    return slopes, (second[known:, known:] - slopes @ second[:known, known:]) / total


def row(
    mean: np.ndarray, covariance: np.ndarray, places: list[int], inputs: np.ndarray, at: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """(mean, covariance, weight) of some entries, with known inputs before entry ``at`` of them."""
    centre = np.concatenate([mean[places[:at]], inputs, mean[places[at:]]])
    own = np.concatenate([np.arange(at), np.arange(at + len(inputs), len(centre))])
    spread = np.zeros((len(centre), len(centre)))
    spread[np.ix_(own, own)] = covariance[np.ix_(places, places)]
    return centre, spread, 1.0


def oracle_step(
    model: bayou.KalmanModel, series: list[np.ndarray], controls: list[np.ndarray]
) -> tuple[dict, float]:
    """All parts after one step of EM, and the log-likelihood before it."""
    n, m = len(model.states), len(model.columns)
    first, moves, seen, total = [], [], [], 0.0
    for values, inputs in zip(series, controls, strict=True):
        steps = len(values)
        mean, covariance = joint_normal(model, inputs)
        cells = np.concatenate([np.full(n * steps, np.nan), values.ravel()])
        mean, covariance, log = conditioned(mean, covariance, cells)
        total += log
        states = [np.arange(n * t, n * (t + 1)) for t in range(steps)]
        columns = [n * steps + np.arange(m * t, m * (t + 1)) for t in range(steps)]
        first.append((mean[states[0]], covariance[np.ix_(states[0], states[0])]))
        for t in range(steps):
            if t:
                moves.append(row(mean, covariance, [*states[t - 1], *states[t]], inputs[t], n))
            if not np.isnan(values[t]).all():
                seen.append(row(mean, covariance, [*states[t], *columns[t]], inputs[t], n))
    k = len(model.inputs)
    move, noise = regression(moves, n + k)
    look, error = regression(seen, n + k)
    centre = np.mean([mean for mean, _ in first], axis=0)
    spread = np.mean([cov + np.outer(mean - centre, mean - centre) for mean, cov in first], axis=0)
    parts = (move[:, :n], move[:, n:], noise, look[:, :n], look[:, n:], error, centre, spread)
    return dict(zip(PARTS, parts, strict=True)), total


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("inputs", [False, True])
def test_steps_are_those_of_the_oracle(gaps: float, inputs: bool) -> None:
    model = random_model(11, inputs)
    series = [random_values(model, steps, steps, gaps) for steps in (12, 9, 15)]
    chance = np.random.default_rng(0)
    controls = [chance.normal(size=(len(one), len(model.inputs))) for one in series]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in series])]).astype(np.int64)
    data = ObservedSeries(np.vstack(series), np.vstack(controls), starts)
    system = start = LinearSystem(**{part: np.ascontiguousarray(getattr(model, part)) for part in PARTS})
    free = {part: np.ones(getattr(start, part).shape, bool) for part in MATRICES}
    problem = SystemProblem(start, free, dict.fromkeys(COVARIANCES, FULL))
    for _ in range(STEPS):
        expected, log = oracle_step(model, series, controls)
        found = system.expected(data, start)
        assert found.log_likelihood == pytest.approx(log, abs=1e-9)
        system = problem.maximised(system, found)
        for part, value in expected.items():
            np.testing.assert_allclose(getattr(system, part), value, atol=1e-9, err_msg=part)
        model = bayou.KalmanModel(**expected)
