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
    from bayou import bandwidths as bandwidths
    from bayou import decisions as decisions
    from bayou import examples as examples
    from bayou import features as features
    from bayou import plots as plots
    from bayou import results as results
    from bayou.data_checks import check as check
    from bayou.decisions import decide as decide
    from bayou.distributions import BDeu as BDeu
    from bayou.distributions import Dirichlet as Dirichlet
    from bayou.distributions import Laplace as Laplace
    from bayou.distributions import MEstimate as MEstimate
    from bayou.errors import BayouError as BayouError
    from bayou.errors import BayouWarning as BayouWarning
    from bayou.estimators.aode import AODE as AODE
    from bayou.estimators.augmented import TAN as TAN
    from bayou.estimators.augmented import ChowLiuClassifier as ChowLiuClassifier
    from bayou.estimators.augmented import KDependence as KDependence
    from bayou.estimators.backing_off import BackOff as BackOff
    from bayou.estimators.evaluation import evaluate as evaluate
    from bayou.estimators.gaussian import GaussianBayes as GaussianBayes
    from bayou.estimators.generative import GenerativeClassifier as GenerativeClassifier
    from bayou.estimators.mdl_discretizer import MDLDiscretizer as MDLDiscretizer
    from bayou.estimators.naive import NaiveBayes as NaiveBayes
    from bayou.estimators.network_classifier import NetworkClassifier as NetworkClassifier
    from bayou.estimators.optimal import BayesOptimal as BayesOptimal
    from bayou.estimators.selection import FeatureSelector as FeatureSelector
    from bayou.estimators.text import TextNaiveBayes as TextNaiveBayes
    from bayou.fitting.independence_test import independence_test as independence_test
    from bayou.graphs import Dag as Dag
    from bayou.graphs import PartlyDirected as PartlyDirected
    from bayou.inference.limits import limits as limits
    from bayou.learning.scores import AIC as AIC
    from bayou.learning.scores import BIC as BIC
    from bayou.learning.scores import BDs as BDs
    from bayou.learning.scores import LogLikelihood as LogLikelihood
    from bayou.loading import load as load
    from bayou.models.arc_strength import arc_strength as arc_strength
    from bayou.models.cross_validation import cross_validate as cross_validate
    from bayou.models.network import Network as Network
    from bayou.models.node_input import Deterministic as Deterministic
    from bayou.models.node_input import NoisyAnd as NoisyAnd
    from bayou.models.node_input import NoisyMax as NoisyMax
    from bayou.models.node_input import NoisyOr as NoisyOr
    from bayou.models.posterior import Posterior as Posterior
    from bayou.models.random_networks import random_network as random_network
    from bayou.models.structure_learning import learn_structure as learn_structure
    from bayou.probability.bayes_rule import bayes_rule as bayes_rule
    from bayou.probability.probability_table import ProbabilityTable as ProbabilityTable
    from bayou.progress import reporting_to as reporting_to
    from bayou.schema import Cuts as Cuts
    from bayou.schema import Interval as Interval
    from bayou.schema import Schema as Schema
    from bayou.schema import Variable as Variable

_WHERE = {
    "AIC": "bayou.learning.scores",
    "AODE": "bayou.estimators.aode",
    "BDeu": "bayou.distributions",
    "BDs": "bayou.learning.scores",
    "BIC": "bayou.learning.scores",
    "BackOff": "bayou.estimators.backing_off",
    "BayesOptimal": "bayou.estimators.optimal",
    "BayouError": "bayou.errors",
    "BayouWarning": "bayou.errors",
    "ChowLiuClassifier": "bayou.estimators.augmented",
    "Cuts": "bayou.schema",
    "Dag": "bayou.graphs",
    "Deterministic": "bayou.models.node_input",
    "Dirichlet": "bayou.distributions",
    "FeatureSelector": "bayou.estimators.selection",
    "GaussianBayes": "bayou.estimators.gaussian",
    "GenerativeClassifier": "bayou.estimators.generative",
    "Interval": "bayou.schema",
    "KDependence": "bayou.estimators.augmented",
    "Laplace": "bayou.distributions",
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
    "Posterior": "bayou.models.posterior",
    "ProbabilityTable": "bayou.probability.probability_table",
    "Schema": "bayou.schema",
    "TAN": "bayou.estimators.augmented",
    "TextNaiveBayes": "bayou.estimators.text",
    "Variable": "bayou.schema",
    "arc_strength": "bayou.models.arc_strength",
    "bandwidths": "bayou.bandwidths",
    "bayes_rule": "bayou.probability.bayes_rule",
    "check": "bayou.data_checks",
    "cross_validate": "bayou.models.cross_validation",
    "decide": "bayou.decisions",
    "decisions": "bayou.decisions",
    "evaluate": "bayou.estimators.evaluation",
    "examples": "bayou.examples",
    "features": "bayou.features",
    "independence_test": "bayou.fitting.independence_test",
    "learn_structure": "bayou.models.structure_learning",
    "limits": "bayou.inference.limits",
    "load": "bayou.loading",
    "plots": "bayou.plots",
    "random_network": "bayou.models.random_networks",
    "reporting_to": "bayou.progress",
    "results": "bayou.results",
}
"""Public name → the module that has it; the block above says the same to type checkers (a test compares)."""

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'bayou' has no attribute {name!r}")
    module = importlib.import_module(_WHERE[name])
    value = module if _WHERE[name] == f"bayou.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
