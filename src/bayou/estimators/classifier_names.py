"""Classifiers by the short names of the command line."""

from __future__ import annotations

import importlib
from typing import Any

from bayou.errors import BadQuestion, listed

CLASSIFIERS = {
    "nb": ("bayou.estimators.naive_bayes.naive_bayes", "NaiveBayes"),
    "tan": ("bayou.estimators.networks.tree_classifiers", "TAN"),
    "aode": ("bayou.estimators.networks.aode", "AODE"),
    "kdb": ("bayou.estimators.networks.tree_classifiers", "KDependence"),
    "chow-liu": ("bayou.estimators.networks.tree_classifiers", "ChowLiuClassifier"),
    "ensemble": ("bayou.estimators.pooled.bayes_ensemble", "BayesEnsemble"),
    "gaussian": ("bayou.estimators.gaussian.gaussian_bayes", "GaussianBayes"),
    "text": ("bayou.estimators.text.text_naive_bayes", "TextNaiveBayes"),
    "network": ("bayou.estimators.networks.network_classifier", "NetworkClassifier"),
}
"""Short name → module and class of the classifier, which is imported on first use."""


def classifier_class(word: str) -> type[Any]:
    """Return the class for a short name or the name of a class.

    >>> classifier_class("tan").__name__, classifier_class("NaiveBayes").__name__
    ('TAN', 'NaiveBayes')
    """
    folded = word.strip().lower()
    for short, (module, name) in CLASSIFIERS.items():
        if folded in (short, name.lower()):
            found: type[Any] = getattr(importlib.import_module(module), name)
            return found
    raise BadQuestion(f"There is no classifier {word!r}; use one of {listed(CLASSIFIERS)}.")
