"""The types of results that bayou returns, for annotations and ``isinstance``; not meant to be constructed.

>>> import bayou
>>> posterior = bayou.examples.rain_and_wet_grass().query("Rain")
>>> isinstance(posterior, bayou.results.Posterior)
True
"""

from __future__ import annotations

from bayou.estimators.evaluation.evaluation_result import Evaluation
from bayou.fitting.learning_trace import LearningTrace
from bayou.learning.search.structure_report import StructureReport
from bayou.models.joint_continuous import JointContinuousPosterior
from bayou.models.posterior import ContinuousPosterior, Posterior
from bayou.models.structures.arc_strengths import ArcStrengths
from bayou.models.structures.comparison import Comparison
from bayou.models.structures.cross_validation import CrossValidation
from bayou.probability.bayes_rule import BayesResult

__all__ = [
    "ArcStrengths",
    "BayesResult",
    "Comparison",
    "ContinuousPosterior",
    "CrossValidation",
    "Evaluation",
    "JointContinuousPosterior",
    "LearningTrace",
    "Posterior",
    "StructureReport",
]
