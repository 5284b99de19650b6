"""bayou: Bayesian learning, exact and explained.

>>> import bayou
>>> net = bayou.Network("Rain -> Wet").fit({"Rain": ["yes", "no", "no"], "Wet": ["yes", "no", "yes"]})
>>> print(net.query("Rain", given={"Wet": "yes"}))
P(Rain | Wet=yes)
Rain  P
no    0.5294  █████▎
yes   0.4706  ████▊

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bayou.version import __version__

if TYPE_CHECKING:
    from bayou import decisions, examples, plots
    from bayou.data_checks import check
    from bayou.decisions import BayesError, GaussianClasses, decide
    from bayou.distributions import BDeu, Dirichlet, Fixed, HeldOut, Laplace, MEstimate, Scott, Silverman
    from bayou.errors import BayouError, BayouWarning
    from bayou.estimators.aode import AODE
    from bayou.estimators.augmented import TAN, ChowLiuClassifier, KDependence
    from bayou.estimators.backing_off import BackOff
    from bayou.estimators.evaluation import evaluate
    from bayou.estimators.evaluation_result import Evaluation
    from bayou.estimators.feature_kinds import (
        GaussianFeature,
        PoissonFeature,
        TableFeature,
        WordsFeature,
    )
    from bayou.estimators.gaussian import GaussianBayes
    from bayou.estimators.generative import GenerativeClassifier
    from bayou.estimators.mdl_discretizer import MDLDiscretizer
    from bayou.estimators.naive import NaiveBayes
    from bayou.estimators.network_classifier import NetworkClassifier
    from bayou.estimators.number_kinds import BernoulliFeature, DiscretisedFeature, KernelFeature
    from bayou.estimators.optimal import BayesOptimal
    from bayou.estimators.selection import FeatureSelector
    from bayou.estimators.text import TextNaiveBayes
    from bayou.graphs import Dag, PartlyDirected
    from bayou.inference.limits import limits
    from bayou.learning.scores import AIC, BIC, BDs, LogLikelihood
    from bayou.learning.structure_report import StructureReport
    from bayou.loading import load
    from bayou.models.arc_strength import arc_strength
    from bayou.models.arc_strengths import ArcStrengths
    from bayou.models.comparison import Comparison
    from bayou.models.cross_validation import CrossValidation, cross_validate
    from bayou.models.data_independence import independence_test
    from bayou.models.joint_continuous import JointContinuousPosterior
    from bayou.models.learning_trace import LearningTrace
    from bayou.models.network import Network
    from bayou.models.node_input import Deterministic, NoisyAnd, NoisyMax, NoisyOr
    from bayou.models.posterior import ContinuousPosterior, Posterior
    from bayou.models.random_networks import random_network
    from bayou.models.structure_learning import learn_structure
    from bayou.probability.bayes_rule import BayesResult, bayes_rule
    from bayou.probability.probability_table import ProbabilityTable
    from bayou.progress import reporting_to
    from bayou.schema import Cuts, Interval, Schema, Variable

_WHERE = {
    "AIC": "bayou.learning.scores",
    "AODE": "bayou.estimators.aode",
    "ArcStrengths": "bayou.models.arc_strengths",
    "BDeu": "bayou.distributions",
    "BDs": "bayou.learning.scores",
    "BIC": "bayou.learning.scores",
    "BackOff": "bayou.estimators.backing_off",
    "BayesError": "bayou.decisions",
    "BayesOptimal": "bayou.estimators.optimal",
    "BayesResult": "bayou.probability.bayes_rule",
    "BayouError": "bayou.errors",
    "BayouWarning": "bayou.errors",
    "BernoulliFeature": "bayou.estimators.number_kinds",
    "ChowLiuClassifier": "bayou.estimators.augmented",
    "Comparison": "bayou.models.comparison",
    "ContinuousPosterior": "bayou.models.posterior",
    "CrossValidation": "bayou.models.cross_validation",
    "Cuts": "bayou.schema",
    "Dag": "bayou.graphs",
    "Deterministic": "bayou.models.node_input",
    "Dirichlet": "bayou.distributions",
    "DiscretisedFeature": "bayou.estimators.number_kinds",
    "Evaluation": "bayou.estimators.evaluation_result",
    "FeatureSelector": "bayou.estimators.selection",
    "Fixed": "bayou.distributions",
    "GaussianBayes": "bayou.estimators.gaussian",
    "GaussianClasses": "bayou.decisions",
    "GaussianFeature": "bayou.estimators.feature_kinds",
    "GenerativeClassifier": "bayou.estimators.generative",
    "HeldOut": "bayou.distributions",
    "Interval": "bayou.schema",
    "JointContinuousPosterior": "bayou.models.joint_continuous",
    "KDependence": "bayou.estimators.augmented",
    "KernelFeature": "bayou.estimators.number_kinds",
    "Laplace": "bayou.distributions",
    "LearningTrace": "bayou.models.learning_trace",
    "LogLikelihood": "bayou.learning.scores",
    "MDLDiscretizer": "bayou.estimators.mdl_discretizer",
    "MEstimate": "bayou.distributions",
    "NaiveBayes": "bayou.estimators.naive",
    "Network": "bayou.models.network",
    "NetworkClassifier": "bayou.estimators.network_classifier",
    "NoisyAnd": "bayou.models.node_input",
    "NoisyMax": "bayou.models.node_input",
    "NoisyOr": "bayou.models.node_input",
    "PartlyDirected": "bayou.graphs",
    "PoissonFeature": "bayou.estimators.feature_kinds",
    "Posterior": "bayou.models.posterior",
    "ProbabilityTable": "bayou.probability.probability_table",
    "Schema": "bayou.schema",
    "Scott": "bayou.distributions",
    "Silverman": "bayou.distributions",
    "StructureReport": "bayou.learning.structure_report",
    "TAN": "bayou.estimators.augmented",
    "TableFeature": "bayou.estimators.feature_kinds",
    "TextNaiveBayes": "bayou.estimators.text",
    "Variable": "bayou.schema",
    "WordsFeature": "bayou.estimators.feature_kinds",
    "arc_strength": "bayou.models.arc_strength",
    "bayes_rule": "bayou.probability.bayes_rule",
    "check": "bayou.data_checks",
    "cross_validate": "bayou.models.cross_validation",
    "decide": "bayou.decisions",
    "decisions": "bayou.decisions",
    "evaluate": "bayou.estimators.evaluation",
    "examples": "bayou.examples",
    "independence_test": "bayou.models.data_independence",
    "learn_structure": "bayou.models.structure_learning",
    "limits": "bayou.inference.limits",
    "load": "bayou.loading",
    "plots": "bayou.plots",
    "random_network": "bayou.models.random_networks",
    "reporting_to": "bayou.progress",
}

__all__ = [
    "AIC",
    "AODE",
    "BIC",
    "TAN",
    "ArcStrengths",
    "BDeu",
    "BDs",
    "BackOff",
    "BayesError",
    "BayesOptimal",
    "BayesResult",
    "BayouError",
    "BayouWarning",
    "BernoulliFeature",
    "ChowLiuClassifier",
    "Comparison",
    "ContinuousPosterior",
    "CrossValidation",
    "Cuts",
    "Dag",
    "Deterministic",
    "Dirichlet",
    "DiscretisedFeature",
    "Evaluation",
    "FeatureSelector",
    "Fixed",
    "GaussianBayes",
    "GaussianClasses",
    "GaussianFeature",
    "GenerativeClassifier",
    "HeldOut",
    "Interval",
    "JointContinuousPosterior",
    "KDependence",
    "KernelFeature",
    "Laplace",
    "LearningTrace",
    "LogLikelihood",
    "MDLDiscretizer",
    "MEstimate",
    "NaiveBayes",
    "Network",
    "NetworkClassifier",
    "NoisyAnd",
    "NoisyMax",
    "NoisyOr",
    "PartlyDirected",
    "PoissonFeature",
    "Posterior",
    "ProbabilityTable",
    "Schema",
    "Scott",
    "Silverman",
    "StructureReport",
    "TableFeature",
    "TextNaiveBayes",
    "Variable",
    "WordsFeature",
    "__version__",
    "arc_strength",
    "bayes_rule",
    "check",
    "cross_validate",
    "decide",
    "decisions",
    "evaluate",
    "examples",
    "independence_test",
    "learn_structure",
    "limits",
    "load",
    "plots",
    "random_network",
    "reporting_to",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'bayou' has no attribute {name!r}")
    module = importlib.import_module(_WHERE[name])
    value = module if _WHERE[name] == f"bayou.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
