"""Models of P(feature | class) for ``NaiveBayes(features=…)``, which also takes words such as "gaussian".

>>> import bayou
>>> bayou.NaiveBayes(features={"visits": bayou.features.PoissonFeature()}).features["visits"].word
'poisson'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.distributions import KernelFeature as KernelFeature
    from bayou.distributions import PoissonFeature as PoissonFeature
    from bayou.estimators.naive_bayes.feature_kinds import GaussianFeature as GaussianFeature
    from bayou.estimators.naive_bayes.feature_kinds import TableFeature as TableFeature
    from bayou.estimators.naive_bayes.feature_kinds import WordsFeature as WordsFeature
    from bayou.estimators.naive_bayes.number_kinds import BernoulliFeature as BernoulliFeature
    from bayou.estimators.naive_bayes.number_kinds import DiscretisedFeature as DiscretisedFeature

_WHERE = {
    "BernoulliFeature": "bayou.estimators.naive_bayes.number_kinds",
    "DiscretisedFeature": "bayou.estimators.naive_bayes.number_kinds",
    "GaussianFeature": "bayou.estimators.naive_bayes.feature_kinds",
    "KernelFeature": "bayou.distributions",
    "PoissonFeature": "bayou.distributions",
    "TableFeature": "bayou.estimators.naive_bayes.feature_kinds",
    "WordsFeature": "bayou.estimators.naive_bayes.feature_kinds",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
