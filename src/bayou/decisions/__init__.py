"""Floor 8: from probabilities to decisions: utilities, costs, calibration and the Bayes error."""

from __future__ import annotations

from bayou.decisions.bayes_error import BayesError, Regret
from bayou.decisions.calibration import (
    Brier,
    Reliability,
    brier,
    expected_calibration_error,
    log_loss,
    reliability,
)
from bayou.decisions.costs import (
    BinaryConfusion,
    CostCurve,
    best_threshold,
    confusion,
    cost_curve,
    threshold_for,
)
from bayou.decisions.curves import LearningCurve, learning_curve
from bayou.decisions.gaussian_classes import GaussianClasses
from bayou.decisions.prior_shift import PriorShift, estimate_priors, shift_priors
from bayou.decisions.recalibration import Isotonic, Recalibration, Temperature, recalibrate
from bayou.decisions.utilities import Decision, Decisions, decide

__all__ = [
    "BayesError",
    "BinaryConfusion",
    "Brier",
    "CostCurve",
    "Decision",
    "Decisions",
    "GaussianClasses",
    "Isotonic",
    "LearningCurve",
    "PriorShift",
    "Recalibration",
    "Regret",
    "Reliability",
    "Temperature",
    "best_threshold",
    "brier",
    "confusion",
    "cost_curve",
    "decide",
    "estimate_priors",
    "expected_calibration_error",
    "learning_curve",
    "log_loss",
    "recalibrate",
    "reliability",
    "shift_priors",
    "threshold_for",
]
