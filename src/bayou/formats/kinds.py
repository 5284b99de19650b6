"""What model files may hold: the kinds of models, and the classes that read their states.

Each class has ``state()``, and a class method ``from_state(state)`` that makes the model again.
"""

from __future__ import annotations

from typing import Any, Protocol

from bayou.registry import Registry


class Model(Protocol):
    """What a file can hold."""

    def state(self) -> dict[str, Any]:
        """The model as plain values and arrays."""

    @classmethod
    def from_state(cls, state: Any) -> Any:
        """The model that :meth:`state` described."""


MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "network": "bayou.models.network:Network",
        "classifier": "bayou.estimators.base:BayesClassifier",
        "hypotheses": "bayou.estimators.optimal:BayesOptimal",
    },
)
"""The kind that a file states → its class. Classes from elsewhere are added with ``MODELS.add``."""

CLASSIFIERS: Registry[type[Model]] = Registry(
    "classifier",
    {
        "AODE": "bayou.estimators.aode:AODE",
        "ChowLiuClassifier": "bayou.estimators.augmented:ChowLiuClassifier",
        "GaussianBayes": "bayou.estimators.gaussian:GaussianBayes",
        "GenerativeClassifier": "bayou.estimators.generative:GenerativeClassifier",
        "KDependence": "bayou.estimators.augmented:KDependence",
        "NaiveBayes": "bayou.estimators.naive:NaiveBayes",
        "NetworkClassifier": "bayou.estimators.network_classifier:NetworkClassifier",
        "TAN": "bayou.estimators.augmented:TAN",
        "TextNaiveBayes": "bayou.estimators.text:TextNaiveBayes",
    },
)
"""The class that the state of a classifier names → where it lives."""
