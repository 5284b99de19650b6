"""The types of results that bayou returns, for annotations and ``isinstance``; not meant to be constructed.

>>> import bayou
>>> posterior = bayou.examples.rain_and_wet_grass().query("Rain")
>>> isinstance(posterior, bayou.results.Posterior)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.estimators.choosing.model_choice import ModelChoice as ModelChoice
    from bayou.estimators.evaluation.evaluation_result import Evaluation as Evaluation
    from bayou.estimators.explain.model_summary import ModelSummary as ModelSummary
    from bayou.fitting.learning_trace import LearningTrace as LearningTrace
    from bayou.inference.sampling.estimate import Estimate as Estimate
    from bayou.learning.search.structure_report import StructureReport as StructureReport
    from bayou.models.answers.answer_explanation import AnswerExplanation as AnswerExplanation
    from bayou.models.answers.continuous_posterior import ContinuousPosterior as ContinuousPosterior
    from bayou.models.answers.findings.finding_conflict import FindingConflict as FindingConflict
    from bayou.models.answers.findings.nearest_findings import NearestFindings as NearestFindings
    from bayou.models.answers.findings.next_findings import NextFindings as NextFindings
    from bayou.models.answers.findings.outcomes import Outcomes as Outcomes
    from bayou.models.answers.joint_continuous import JointContinuousPosterior as JointContinuousPosterior
    from bayou.models.answers.posterior import Posterior as Posterior
    from bayou.models.answers.sensitivity.arc_information import ArcInformation as ArcInformation
    from bayou.models.answers.sensitivity.tornado import Tornado as Tornado
    from bayou.models.particles.filtered_particles import FilteredParticles as FilteredParticles
    from bayou.models.particles.online_particles import OnlineParticles as OnlineParticles
    from bayou.models.particles.smoothed_paths import SmoothedPaths as SmoothedPaths
    from bayou.models.structures.arc_strength_result import ArcStrengths as ArcStrengths
    from bayou.models.structures.comparison import Comparison as Comparison
    from bayou.models.structures.cross_validation import CrossValidation as CrossValidation
    from bayou.models.verbs.summary import NetworkSummary as NetworkSummary
    from bayou.networks.appearance import Appearance as Appearance
    from bayou.probability.bayes_rule import BayesResult as BayesResult

_WHERE = {
    "AnswerExplanation": "bayou.models.answers.answer_explanation",
    "ArcInformation": "bayou.models.answers.sensitivity.arc_information",
    "Appearance": "bayou.networks.appearance",
    "ArcStrengths": "bayou.models.structures.arc_strength_result",
    "BayesResult": "bayou.probability.bayes_rule",
    "Comparison": "bayou.models.structures.comparison",
    "ContinuousPosterior": "bayou.models.answers.continuous_posterior",
    "CrossValidation": "bayou.models.structures.cross_validation",
    "Estimate": "bayou.inference.sampling.estimate",
    "Evaluation": "bayou.estimators.evaluation.evaluation_result",
    "FilteredParticles": "bayou.models.particles.filtered_particles",
    "FindingConflict": "bayou.models.answers.findings.finding_conflict",
    "JointContinuousPosterior": "bayou.models.answers.joint_continuous",
    "LearningTrace": "bayou.fitting.learning_trace",
    "ModelChoice": "bayou.estimators.choosing.model_choice",
    "ModelSummary": "bayou.estimators.explain.model_summary",
    "NearestFindings": "bayou.models.answers.findings.nearest_findings",
    "NetworkSummary": "bayou.models.verbs.summary",
    "NextFindings": "bayou.models.answers.findings.next_findings",
    "OnlineParticles": "bayou.models.particles.online_particles",
    "Outcomes": "bayou.models.answers.findings.outcomes",
    "Posterior": "bayou.models.answers.posterior",
    "SmoothedPaths": "bayou.models.particles.smoothed_paths",
    "StructureReport": "bayou.learning.search.structure_report",
    "Tornado": "bayou.models.answers.sensitivity.tornado",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
