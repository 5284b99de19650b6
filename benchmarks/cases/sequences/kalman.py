"""A linear Gaussian series of 1,000,000 steps with a state of four dimensions: likelihood and smoothing."""

from __future__ import annotations

import numpy as np

from case import Case, Work

STEPS = 1_000_000
MOVE = np.kron(np.eye(2), [[1.0, 1.0], [0.0, 1.0]])
PUSHES = np.kron(np.eye(2), [[1 / 3, 1 / 2], [1 / 2, 1.0]]) * 0.01
SEEN = np.kron(np.eye(2), [[1.0, 0.0]])


def series(scale: float, gaps: float) -> np.ndarray:
    """Noisy positions of a thing in the plane, some missing."""
    chance = np.random.default_rng(0)
    steps = int(STEPS * scale)
    speed = np.cumsum(chance.normal(size=(steps, 2)) * 0.01, axis=0)
    values = np.cumsum(speed, axis=0) + chance.normal(size=(steps, 2))
    values[chance.random(steps) < gaps] = np.nan
    return values


def _bayou_model() -> object:
    import bayou

    return bayou.KalmanModel.constant_velocity(acceleration=0.01, start_variance=10.0)


def bayou_score(scale: float, gaps: float = 0.0) -> Work:
    """``KalmanModel.score``."""
    model, values = _bayou_model(), series(scale, gaps)
    return Work(lambda: model.score(values), float)


def bayou_smooth(scale: float, gaps: float = 0.0) -> Work:
    """``KalmanModel.smooth``: means and covariances of all steps."""
    model, values = _bayou_model(), series(scale, gaps)
    return Work(lambda: model.smooth(values), lambda found: float(found.means[len(values) // 2, 0]))


def _statsmodels(values: np.ndarray) -> object:
    from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

    peer = KalmanSmoother(k_endog=2, k_states=4)
    peer.bind(values.copy())
    peer["design"], peer["transition"], peer["selection"] = SEEN, MOVE, np.eye(4)
    peer["state_cov"], peer["obs_cov"] = PUSHES, np.eye(2)
    peer.initialize_known(np.zeros(4), np.eye(4) * 10.0)
    return peer


def statsmodels_score(scale: float, gaps: float = 0.0) -> Work:
    """The compiled filter of statsmodels, keeping only the likelihood."""
    from statsmodels.tsa.statespace.kalman_filter import MEMORY_CONSERVE

    peer = _statsmodels(series(scale, gaps))
    peer.set_conserve_memory(MEMORY_CONSERVE)
    return Work(lambda: peer.loglike(), float)


def statsmodels_smooth(scale: float, gaps: float = 0.0) -> Work:
    """The compiled smoother of statsmodels: means and covariances of the state only."""
    from statsmodels.tsa.statespace.kalman_smoother import SMOOTHER_STATE, SMOOTHER_STATE_COV

    values = series(scale, gaps)
    peer = _statsmodels(values)
    peer.set_smoother_output(SMOOTHER_STATE | SMOOTHER_STATE_COV)
    return Work(lambda: peer.smooth(), lambda found: float(found.smoothed_state[0, len(values) // 2]))


CASES = [
    Case(
        "kalman-score",
        "Kalman model of 4 states and 2 columns, 1,000,000 steps: log-likelihood",
        {"bayou": bayou_score, "statsmodels": statsmodels_score},
        tolerance=1e-6,
    ),
    Case(
        "kalman-smooth",
        "Kalman model of 4 states and 2 columns, 1,000,000 steps: smooth (means and covariances)",
        {"bayou": bayou_smooth, "statsmodels": statsmodels_smooth},
        tolerance=1e-6,
    ),
    Case(
        "kalman-score-gaps",
        "Kalman model of 4 states and 2 columns, 1,000,000 steps, a tenth missing: log-likelihood",
        {
            "bayou": lambda scale: bayou_score(scale, 0.1),
            "statsmodels": lambda scale: statsmodels_score(scale, 0.1),
        },
        tolerance=1e-6,
    ),
]
