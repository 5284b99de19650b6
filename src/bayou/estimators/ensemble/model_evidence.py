"""The evidence for a classifier as a hypothesis h: log P(data | h), exactly; its log P(class | row)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayou.distributions import DistributionKind, Prior, prior_from
from bayou.errors import BadQuestion
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.feature_kinds import needed
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.networks.backoff_prior import BackOff
from bayou.estimators.networks.network_model import NetworkModel
from bayou.estimators.networks.tree_classifiers import AugmentedClassifier
from bayou.learning.scores.marginal_likelihood import log_marginal_likelihood
from bayou.schema import Variable, state_key
from bayou.statistics import CountTable, Statistics
from bayou.typing import FloatArray

FamilyEvidence = tuple[tuple[Variable, ...], Variable, Prior]
_THE_CLASS = ("class",)
"""Stands for the class variable, whose name may differ between hypotheses; no feature has this name."""


def marginal_evidence(classifier: Any) -> tuple[frozenset[Any], float] | None:
    """Return the domain and log P(rows and classes | classifier), parameters integrated out; None if inexact.

    It is exact for classifiers made of tables whose prior was not chosen by the data, on rows without gaps:
    the product over families of Dirichlet-multinomial terms (Heckerman, Geiger and Chickering 1995). The
    domain is the set of (name, states); evidence can be compared only within one domain.
    """
    found = _families(classifier)
    if found is None:
        return None
    families, statistics = found
    total, domain = 0.0, set()
    for parents, child, prior in families:
        axes = (*parents, child)
        counts = statistics[CountTable(tuple(axis.name for axis in axes))].aligned(axes)
        if counts.total != statistics.rows:
            return None
        shape = np.broadcast_to(prior.pseudocounts(child, parents), counts.values.shape)
        if np.any((shape <= 0) & (counts.values > 0)):
            return None
        total += log_marginal_likelihood(counts.values, shape)
        name = _THE_CLASS if child.name == classifier.target_ else child.name
        domain.add((name, frozenset(map(state_key, child.states))))
    return frozenset(domain), total


def _families(classifier: Any) -> tuple[list[FamilyEvidence], Statistics] | None:
    """The families (parents, child, prior) of a classifier made of tables, and the counts; else None."""
    if isinstance(classifier, AugmentedClassifier):
        if isinstance(classifier.prior, BackOff) or classifier.prior == "back-off":
            return None
        model = classifier._fitted_model()
        assert isinstance(model, NetworkModel)
        network, priors = model.network, model.learned.priors
        return [
            (tuple(network.parents(v.name)), v, priors.of(v.name, (v.name,))) for v in network.schema
        ], model.learned.statistics
    if type(classifier) is NaiveBayes:
        return _naive_families(classifier)
    return None


def _naive_families(classifier: NaiveBayes) -> tuple[list[FamilyEvidence], Statistics] | None:
    """The families of a naive Bayes whose features are all tables of counts; else None."""
    weight = classifier.evidence_weight
    if isinstance(weight, str) or weight != 1 or classifier.class_prior is not None:
        return None
    model = classifier._fitted_model()
    assert isinstance(model, NaiveModel)
    kinds = classifier.feature_kinds_
    if isinstance(classifier.prior, dict) or not all(
        _is_table(kinds[density.variable.name], density) for density in model.densities
    ):
        return None
    prior, statistics = prior_from(classifier.prior), classifier.statistics_
    classes = classifier._class_variable
    children = [density.variable for density in model.densities]
    return [((), classes, prior), *(((classes,), child, prior) for child in children)], statistics


def _is_table(kind: DistributionKind, density: FeatureDensity) -> bool:
    """Whether P(feature | class) is made of smoothed counts of states that the data did not choose.

    Ranges of numbers are counted too, but where they are cut is learned, so they need other statistics.
    """
    (classes,) = density.family.parents
    counts_states = isinstance(needed(kind, density.variable.name, classes), CountTable)
    return counts_states and density.counts_behind(0, 0) is not None


def log_votes(classifier: Any, X: Any) -> FloatArray:
    """Return log P(class | row) from ``predict_log_proba`` or, without it, ``predict_proba``."""
    with np.errstate(divide="ignore"):
        if hasattr(classifier, "predict_log_proba"):
            return np.asarray(classifier.predict_log_proba(X), dtype=np.float64)
        if hasattr(classifier, "predict_proba"):
            return np.log(np.asarray(classifier.predict_proba(X), dtype=np.float64))
    raise BadQuestion(
        f"{type(classifier).__name__} has no predict_proba: a hypothesis must give class probabilities."
    )


def log_vote_blocks(classifier: Any, X: Any) -> Iterator[FloatArray]:
    """The same, some rows at a time where a classifier of bayou reads them so."""
    if hasattr(classifier, "_log_probability_blocks"):
        yield from classifier._log_probability_blocks(X)
    else:
        yield log_votes(classifier, X)
