"""Scores of predicted probabilities, row by row and together."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALLEST = 1e-15
BINS = 10


def judged_rows(target: np.ndarray, proba: np.ndarray, classes: list[Any]) -> dict[str, np.ndarray]:
    """Of each row: −ln P(true class), its Brier score, P of the predicted class and whether that is right."""
    names = [str(name) for name in classes]
    places = {name: place for place, name in enumerate(names)}
    own = np.array([places.get(label, -1) for label in target])
    true = np.where(own >= 0, proba[np.arange(len(own)), own], 0.0)
    squares = (proba.astype(float) ** 2).sum(axis=1)
    return {
        "loss": -np.log(np.maximum(true, SMALLEST)),
        "brier": squares - 2 * true + 1,
        "confidence": proba.max(axis=1).astype(float),
        "right": proba.argmax(axis=1) == own,
    }


def scores(rows: dict[str, Any]) -> dict[str, float]:
    """The means over all rows, and the calibration error of the predicted class in ten bins."""
    return {
        "log_loss": float(rows["loss"].mean()),
        "accuracy": float(rows["right"].mean()),
        "brier": float(rows["brier"].mean()),
        "ece": calibration_error(rows["confidence"], rows["right"]),
    }


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Mean |said − came true| over bins of P(predicted class), each weighted by its rows."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weights=confidence - right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(confidence))


def paired(ours: np.ndarray, theirs: np.ndarray) -> dict[str, float]:
    """The mean difference of two losses of the same rows, and its standard error."""
    difference = ours - theirs
    return {
        "difference": float(difference.mean()),
        "error": float(difference.std(ddof=1) / np.sqrt(len(difference))),
    }
