"""Floor 8: from probabilities to decisions: utilities, costs, calibration and the Bayes error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.decisions.bayes_error import BayesError as BayesError
    from bayou.decisions.bayes_error import Regret as Regret
    from bayou.decisions.calibration import Brier as Brier
    from bayou.decisions.calibration import Reliability as Reliability
    from bayou.decisions.calibration import brier as brier
    from bayou.decisions.calibration import expected_calibration_error as expected_calibration_error
    from bayou.decisions.calibration import log_loss as log_loss
    from bayou.decisions.calibration import reliability as reliability
    from bayou.decisions.costs import BinaryConfusion as BinaryConfusion
    from bayou.decisions.costs import CostCurve as CostCurve
    from bayou.decisions.costs import best_threshold as best_threshold
    from bayou.decisions.costs import confusion as confusion
    from bayou.decisions.costs import cost_curve as cost_curve
    from bayou.decisions.costs import threshold_for as threshold_for
    from bayou.decisions.gaussian_classes import GaussianClasses as GaussianClasses
    from bayou.decisions.learning_curves import LearningCurve as LearningCurve
    from bayou.decisions.learning_curves import learning_curve as learning_curve
    from bayou.decisions.prior_shift import PriorShift as PriorShift
    from bayou.decisions.prior_shift import estimate_priors as estimate_priors
    from bayou.decisions.prior_shift import shift_priors as shift_priors
    from bayou.decisions.ranking_curves import PrecisionRecallCurve as PrecisionRecallCurve
    from bayou.decisions.ranking_curves import RocCurve as RocCurve
    from bayou.decisions.ranking_curves import precision_recall_curve as precision_recall_curve
    from bayou.decisions.ranking_curves import roc_curve as roc_curve
    from bayou.decisions.recalibration import Isotonic as Isotonic
    from bayou.decisions.recalibration import Recalibration as Recalibration
    from bayou.decisions.recalibration import Temperature as Temperature
    from bayou.decisions.recalibration import recalibrate as recalibrate
    from bayou.decisions.utilities import Decision as Decision
    from bayou.decisions.utilities import Decisions as Decisions
    from bayou.decisions.utilities import decide as decide

_WHERE = {
    "BayesError": "bayou.decisions.bayes_error",
    "BinaryConfusion": "bayou.decisions.costs",
    "Brier": "bayou.decisions.calibration",
    "CostCurve": "bayou.decisions.costs",
    "Decision": "bayou.decisions.utilities",
    "Decisions": "bayou.decisions.utilities",
    "GaussianClasses": "bayou.decisions.gaussian_classes",
    "Isotonic": "bayou.decisions.recalibration",
    "LearningCurve": "bayou.decisions.learning_curves",
    "PrecisionRecallCurve": "bayou.decisions.ranking_curves",
    "PriorShift": "bayou.decisions.prior_shift",
    "Recalibration": "bayou.decisions.recalibration",
    "Regret": "bayou.decisions.bayes_error",
    "Reliability": "bayou.decisions.calibration",
    "RocCurve": "bayou.decisions.ranking_curves",
    "Temperature": "bayou.decisions.recalibration",
    "best_threshold": "bayou.decisions.costs",
    "brier": "bayou.decisions.calibration",
    "confusion": "bayou.decisions.costs",
    "cost_curve": "bayou.decisions.costs",
    "decide": "bayou.decisions.utilities",
    "estimate_priors": "bayou.decisions.prior_shift",
    "expected_calibration_error": "bayou.decisions.calibration",
    "learning_curve": "bayou.decisions.learning_curves",
    "log_loss": "bayou.decisions.calibration",
    "precision_recall_curve": "bayou.decisions.ranking_curves",
    "recalibrate": "bayou.decisions.recalibration",
    "reliability": "bayou.decisions.calibration",
    "roc_curve": "bayou.decisions.ranking_curves",
    "shift_priors": "bayou.decisions.prior_shift",
    "threshold_for": "bayou.decisions.costs",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
