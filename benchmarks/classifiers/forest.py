"""A random forest whose votes are calibrated by one temperature from its out-of-bag votes."""

from __future__ import annotations

from typing import Any

import numpy as np


class TemperedForest:
    """A pipeline that ends in a forest; its votes are raised to the power that out-of-bag rows like best."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def fit(self, features: Any, target: np.ndarray) -> TemperedForest:
        from scipy.optimize import minimize_scalar

        trees = self.pipeline[-1].set_params(oob_score=True)
        self.pipeline.fit(features, target)
        self.classes_ = trees.classes_
        self.floor = 0.5 / trees.n_estimators
        votes = trees.oob_decision_function_
        voted = np.isfinite(votes).all(axis=1)
        votes, own = votes[voted], np.searchsorted(self.classes_, target[voted])

        def loss(log_power: float) -> float:
            calibrated = self._raised(votes, np.exp(log_power))
            return float(-np.log(calibrated[np.arange(len(own)), own]).mean())

        self.power = float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))
        return self

    def predict_proba(self, features: Any) -> np.ndarray:
        return self._raised(np.asarray(self.pipeline.predict_proba(features)), self.power)

    def _raised(self, votes: np.ndarray, power: float) -> np.ndarray:
        """No vote at all counts as half a vote of one tree: zero has no power."""
        found: np.ndarray = np.maximum(votes, self.floor) ** power
        return found / found.sum(axis=1, keepdims=True)
