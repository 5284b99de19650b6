"""Which class one probability per row is of, and what is told where it seems to be the other one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import bayou
from bayou import decisions
from bayou.errors import BadQuestion, BayouWarning


@pytest.fixture(scope="module")
def frauds() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    chance = random.beta(1, 6, 500)
    return np.where(random.random(500) < chance, "fraud", "ok"), chance


def test_the_class_of_the_probabilities_can_be_said(frauds: Any) -> None:
    labels, chance = frauds
    truth = (labels == "fraud").astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = decisions.reliability(labels, chance, positive="fraud")
        assert str(named).startswith("Reliability of P(fraud)")
        assert named.ece == decisions.reliability(truth, chance).ece
        for score in (
            decisions.expected_calibration_error,
            lambda *a, **k: decisions.brier(*a, **k).value,
            decisions.log_loss,
            lambda *a, **k: decisions.roc_curve(*a, **k).area,
            lambda *a, **k: decisions.precision_recall_curve(*a, **k).share,
            lambda *a, **k: decisions.confusion(*a, **k).true_positive,
            lambda *a, **k: decisions.best_threshold(*a, false_negative=9, **k).threshold,
            lambda *a, **k: decisions.cost_curve(*a, **k).area,
        ):
            assert score(labels, chance, positive="fraud") == score(truth, chance)


def test_probabilities_that_fit_the_other_class_are_told_with_a_remedy_that_works(frauds: Any) -> None:
    labels, chance = frauds
    with pytest.warns(BayouWarning, match=r"say so: classes=\['ok', 'fraud'\]"):
        upside_down = decisions.expected_calibration_error(labels, chance)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = decisions.expected_calibration_error(labels, chance, classes=["ok", "fraud"])
        decisions.expected_calibration_error(labels, 1 - chance)
        decisions.expected_calibration_error(labels, np.full(500, 0.5))
        decisions.expected_calibration_error(labels[:19], chance[:19])
    assert right < 0.1 < upside_down


def test_a_positive_class_that_does_not_fit_is_refused(frauds: Any) -> None:
    labels, chance = frauds
    with pytest.raises(BadQuestion, match="positive='froud' is not one of the classes"):
        decisions.brier(labels, chance, positive="froud")
    with pytest.raises(BadQuestion, match="here each class has its own column"):
        decisions.brier(labels, np.column_stack([chance, 1 - chance]), positive="fraud")
    assert bayou.decisions is decisions
