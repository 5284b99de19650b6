"""The kinds of models in model files, and the classes that read their states.

Each class has ``state()``, and a class method ``from_state(state)`` that restores the model.
"""

from __future__ import annotations

from typing import Any, Protocol

from bayou.registry import Registry


class SavedModel(Protocol):
    """An object that can be saved in a file."""

    def state(self) -> dict[str, Any]:
        """The model as plain values and arrays."""

    @classmethod
    def from_state(cls, state: Any) -> Any:
        """Return the model that :meth:`state` described."""


MODELS: Registry[type[SavedModel]] = Registry(
    "model",
    {
        "network": "bayou.models.network:Network",
        "classifier": "bayou.estimators.bayes_classifier:BayesClassifier",
        "dynamic network": "bayou.models.dynamic.dynamic_network:DynamicNetwork",
        "hmm": "bayou.models.sequences.hidden_markov.hmm:HMM",
        "kalman": "bayou.models.sequences.kalman.kalman_model:KalmanModel",
        "statistics": "bayou.counting.model_statistics:ModelStatistics",
        "hypotheses": "bayou.estimators.ensemble.bayes_optimal:BayesOptimal",
    },
)
"""The kind in a file → its class. Classes defined elsewhere are added with ``MODELS.add``."""

CLASSIFIERS: Registry[type[SavedModel]] = Registry(
    "classifier",
    {
        "AODE": "bayou.estimators.networks.aode:AODE",
        "BayesEnsemble": "bayou.estimators.pooled.bayes_ensemble:BayesEnsemble",
        "ChowLiuClassifier": "bayou.estimators.networks.tree_classifiers:ChowLiuClassifier",
        "GaussianBayes": "bayou.estimators.gaussian.gaussian_bayes:GaussianBayes",
        "GenerativeClassifier": "bayou.estimators.networks.generative:GenerativeClassifier",
        "KDependence": "bayou.estimators.networks.tree_classifiers:KDependence",
        "NaiveBayes": "bayou.estimators.naive_bayes.naive_bayes:NaiveBayes",
        "NetworkClassifier": "bayou.estimators.networks.network_classifier:NetworkClassifier",
        "SequenceClassifier": "bayou.estimators.sequences.sequence_classifier:SequenceClassifier",
        "TAN": "bayou.estimators.networks.tree_classifiers:TAN",
        "TextNaiveBayes": "bayou.estimators.text.text_naive_bayes:TextNaiveBayes",
    },
)
"""The class name in the state of a classifier → its module and class."""
