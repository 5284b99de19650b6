"""bayou: Bayesian learning, exact and explained.

>>> import bayou
>>> net = bayou.Network("Rain -> Wet").fit({"Rain": ["yes", "no", "no"], "Wet": ["yes", "no", "yes"]})
>>> print(net.query("Rain", given={"Wet": "yes"}))
P(Rain | Wet=yes)
Rain  P
no    0.5294  █████▎
yes   0.4706  ████▊

Names load on first use, so that importing the package takes almost no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use
from bayou.version import __version__

if TYPE_CHECKING:
    from bayou import bandwidths as bandwidths
    from bayou import decisions as decisions
    from bayou import errors as errors
    from bayou import examples as examples
    from bayou import features as features
    from bayou import plots as plots
    from bayou import results as results
    from bayou import sources as sources
    from bayou import spark as spark
    from bayou import statistics as statistics
    from bayou import testing as testing
    from bayou.counting.count import count as count
    from bayou.data_checks import check as check
    from bayou.decisions import decide as decide
    from bayou.distributions import BDeu as BDeu
    from bayou.distributions import Dirichlet as Dirichlet
    from bayou.distributions import Laplace as Laplace
    from bayou.distributions import MEstimate as MEstimate
    from bayou.errors import BayouError as BayouError
    from bayou.errors import BayouWarning as BayouWarning
    from bayou.estimators.choosing.fit import fit as fit
    from bayou.estimators.ensemble.bayes_optimal import BayesOptimal as BayesOptimal
    from bayou.estimators.evaluation.evaluate import evaluate as evaluate
    from bayou.estimators.gaussian.gaussian_bayes import GaussianBayes as GaussianBayes
    from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes as NaiveBayes
    from bayou.estimators.networks.aode import AODE as AODE
    from bayou.estimators.networks.backoff_prior import BackOff as BackOff
    from bayou.estimators.networks.generative import GenerativeClassifier as GenerativeClassifier
    from bayou.estimators.networks.network_classifier import NetworkClassifier as NetworkClassifier
    from bayou.estimators.networks.tree_classifiers import TAN as TAN
    from bayou.estimators.networks.tree_classifiers import ChowLiuClassifier as ChowLiuClassifier
    from bayou.estimators.networks.tree_classifiers import KDependence as KDependence
    from bayou.estimators.pooled.bayes_ensemble import BayesEnsemble as BayesEnsemble
    from bayou.estimators.preparation.feature_selection import FeatureSelector as FeatureSelector
    from bayou.estimators.preparation.mdl_discretizer import MDLDiscretizer as MDLDiscretizer
    from bayou.estimators.sequences.hidden_markov import HiddenMarkov as HiddenMarkov
    from bayou.estimators.sequences.sequence_classifier import SequenceClassifier as SequenceClassifier
    from bayou.estimators.text.text_naive_bayes import TextNaiveBayes as TextNaiveBayes
    from bayou.fitting.independence_test import independence_test as independence_test
    from bayou.graphs import Dag as Dag
    from bayou.graphs import PartlyDirected as PartlyDirected
    from bayou.learning.scores.scores import AIC as AIC
    from bayou.learning.scores.scores import BIC as BIC
    from bayou.learning.scores.scores import BDs as BDs
    from bayou.learning.scores.scores import LogLikelihood as LogLikelihood
    from bayou.loading import load as load
    from bayou.memory import limits as limits
    from bayou.models.answers.posterior import Posterior as Posterior
    from bayou.models.cases.case import Case as Case
    from bayou.models.cases.case_files import read_cases as read_cases
    from bayou.models.cases.case_files import write_cases as write_cases
    from bayou.models.dynamic.dynamic_network import DynamicNetwork as DynamicNetwork
    from bayou.models.dynamic.dynamic_structure import learn_dynamic_structure as learn_dynamic_structure
    from bayou.models.network import Network as Network
    from bayou.models.nodes.deterministic_node import Deterministic as Deterministic
    from bayou.models.nodes.noisy_nodes import NoisyAnd as NoisyAnd
    from bayou.models.nodes.noisy_nodes import NoisyMax as NoisyMax
    from bayou.models.nodes.noisy_nodes import NoisyOr as NoisyOr
    from bayou.models.particles.particle_filter import ParticleFilter as ParticleFilter
    from bayou.models.random_networks import random_network as random_network
    from bayou.models.sequences.hidden_markov.hmm import HMM as HMM
    from bayou.models.sequences.kalman.kalman_model import KalmanModel as KalmanModel
    from bayou.models.sequences.state_choice import choose_states as choose_states
    from bayou.models.set_findings import Not as Not
    from bayou.models.structures.arc_strength import arc_strength as arc_strength
    from bayou.models.structures.cross_validation import cross_validate as cross_validate
    from bayou.models.structures.structure_learning import learn_structure as learn_structure
    from bayou.probability.bayes_rule import bayes_rule as bayes_rule
    from bayou.probability.probability_table import ProbabilityTable as ProbabilityTable
    from bayou.progress import show_progress as show_progress
    from bayou.schema import Cuts as Cuts
    from bayou.schema import Interval as Interval
    from bayou.schema import Schema as Schema
    from bayou.schema import Variable as Variable
    from bayou.sources.databases.from_sql import from_sql as from_sql
    from bayou.sources.files.from_file import from_file as from_file
    from bayou.sources.streams.batch_source import from_batches as from_batches
    from bayou.temporal.particles.linear_series import LinearSeries as LinearSeries
    from bayou.temporal.particles.particle_model import ParticleModel as ParticleModel
    from bayou.temporal.particles.volatility_series import StochasticVolatility as StochasticVolatility
    from bayou.thread_count import threads as threads

_WHERE = {
    "AIC": "bayou.learning.scores.scores",
    "AODE": "bayou.estimators.networks.aode",
    "BDeu": "bayou.distributions",
    "BDs": "bayou.learning.scores.scores",
    "BIC": "bayou.learning.scores.scores",
    "BackOff": "bayou.estimators.networks.backoff_prior",
    "BayesEnsemble": "bayou.estimators.pooled.bayes_ensemble",
    "BayesOptimal": "bayou.estimators.ensemble.bayes_optimal",
    "BayouError": "bayou.errors",
    "BayouWarning": "bayou.errors",
    "Case": "bayou.models.cases.case",
    "ChowLiuClassifier": "bayou.estimators.networks.tree_classifiers",
    "Cuts": "bayou.schema",
    "Dag": "bayou.graphs",
    "Deterministic": "bayou.models.nodes.deterministic_node",
    "Dirichlet": "bayou.distributions",
    "DynamicNetwork": "bayou.models.dynamic.dynamic_network",
    "FeatureSelector": "bayou.estimators.preparation.feature_selection",
    "GaussianBayes": "bayou.estimators.gaussian.gaussian_bayes",
    "GenerativeClassifier": "bayou.estimators.networks.generative",
    "HMM": "bayou.models.sequences.hidden_markov.hmm",
    "HiddenMarkov": "bayou.estimators.sequences.hidden_markov",
    "Interval": "bayou.schema",
    "KDependence": "bayou.estimators.networks.tree_classifiers",
    "KalmanModel": "bayou.models.sequences.kalman.kalman_model",
    "Laplace": "bayou.distributions",
    "LinearSeries": "bayou.temporal.particles.linear_series",
    "LogLikelihood": "bayou.learning.scores.scores",
    "MDLDiscretizer": "bayou.estimators.preparation.mdl_discretizer",
    "MEstimate": "bayou.distributions",
    "NaiveBayes": "bayou.estimators.naive_bayes.naive_bayes",
    "Network": "bayou.models.network",
    "NetworkClassifier": "bayou.estimators.networks.network_classifier",
    "NoisyAnd": "bayou.models.nodes.noisy_nodes",
    "NoisyMax": "bayou.models.nodes.noisy_nodes",
    "NoisyOr": "bayou.models.nodes.noisy_nodes",
    "Not": "bayou.models.set_findings",
    "ParticleFilter": "bayou.models.particles.particle_filter",
    "ParticleModel": "bayou.temporal.particles.particle_model",
    "PartlyDirected": "bayou.graphs",
    "Posterior": "bayou.models.answers.posterior",
    "ProbabilityTable": "bayou.probability.probability_table",
    "Schema": "bayou.schema",
    "SequenceClassifier": "bayou.estimators.sequences.sequence_classifier",
    "StochasticVolatility": "bayou.temporal.particles.volatility_series",
    "TAN": "bayou.estimators.networks.tree_classifiers",
    "TextNaiveBayes": "bayou.estimators.text.text_naive_bayes",
    "Variable": "bayou.schema",
    "arc_strength": "bayou.models.structures.arc_strength",
    "bandwidths": "bayou.bandwidths",
    "bayes_rule": "bayou.probability.bayes_rule",
    "check": "bayou.data_checks",
    "choose_states": "bayou.models.sequences.state_choice",
    "count": "bayou.counting.count",
    "cross_validate": "bayou.models.structures.cross_validation",
    "decide": "bayou.decisions",
    "decisions": "bayou.decisions",
    "errors": "bayou.errors",
    "evaluate": "bayou.estimators.evaluation.evaluate",
    "examples": "bayou.examples",
    "features": "bayou.features",
    "fit": "bayou.estimators.choosing.fit",
    "from_batches": "bayou.sources.streams.batch_source",
    "from_file": "bayou.sources.files.from_file",
    "from_sql": "bayou.sources.databases.from_sql",
    "independence_test": "bayou.fitting.independence_test",
    "learn_dynamic_structure": "bayou.models.dynamic.dynamic_structure",
    "learn_structure": "bayou.models.structures.structure_learning",
    "limits": "bayou.memory",
    "load": "bayou.loading",
    "plots": "bayou.plots",
    "random_network": "bayou.models.random_networks",
    "read_cases": "bayou.models.cases.case_files",
    "results": "bayou.results",
    "show_progress": "bayou.progress",
    "sources": "bayou.sources",
    "spark": "bayou.spark",
    "statistics": "bayou.statistics",
    "testing": "bayou.testing",
    "threads": "bayou.thread_count",
    "write_cases": "bayou.models.cases.case_files",
}
"""Public name → its module. The block above repeats this for type checkers; a test compares the two."""

__all__ = ["__version__", *_WHERE]
__getattr__, __dir__ = on_first_use(__name__, _WHERE, elsewhere=("bayou.errors",))
