"""Models of P(feature | class) for ``NaiveBayes(features=…)``, which also takes words such as "gaussian".

>>> import bayou
>>> bayou.NaiveBayes(features={"visits": bayou.features.PoissonFeature()}).features["visits"].word
'poisson'
"""

from __future__ import annotations

from bayou.distributions import KernelFeature, PoissonFeature
from bayou.estimators.naive_bayes.feature_kinds import GaussianFeature, TableFeature, WordsFeature
from bayou.estimators.naive_bayes.number_kinds import BernoulliFeature, DiscretisedFeature

__all__ = [
    "BernoulliFeature",
    "DiscretisedFeature",
    "GaussianFeature",
    "KernelFeature",
    "PoissonFeature",
    "TableFeature",
    "WordsFeature",
]
