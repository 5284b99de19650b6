"""Votes weighted by posterior probability: the Bayes optimal class of a finite space of hypotheses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, listed
from bayou.probability.bayes_rule import BayesResult
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Variable, natural_order, plain, state_key
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, State


def weighted_vote(
    posteriors: Mapping[Any, float] | BayesResult | ProbabilityTable, votes: Mapping[Any, Any]
) -> ProbabilityTable:
    """P(class) = Σ P(class | h) P(h | data) over all hypotheses h.

    ``votes`` gives for each hypothesis the class that it predicts, or its probabilities of the classes.

    >>> print(weighted_vote({"h1": .4, "h2": .3, "h3": .3}, {"h1": "+", "h2": "-", "h3": "-"}))
    P(class)
    class  P
    +      0.4000  ████
    -      0.6000  ██████
    """
    if isinstance(posteriors, BayesResult):
        weights: Any = posteriors.posterior
    else:
        weights = posteriors.to_dict() if isinstance(posteriors, ProbabilityTable) else posteriors
    table = ProbabilityTable.distribution("hypothesis", weights)
    hypotheses = table.variables[0]
    given = {state_key(plain(name)): vote for name, vote in votes.items()}
    for name in votes:
        hypotheses.code(name)
    absent = [name for name in hypotheses.states if state_key(name) not in given]
    if absent:
        raise BadQuestion(f"votes= has no entry for {listed(absent)}; give the class that each predicts.")
    shares = {name: _shares(given[state_key(name)], name) for name in hypotheses.states}
    classes = Variable(
        "class",
        natural_order({key: state for s in shares.values() for key, (state, _) in s.items()}.values()),
    )
    totals = np.zeros(classes.cardinality)
    for name, share in shares.items():
        for state, value in share.values():
            totals[classes.code(state)] += table[name] * value
    return ProbabilityTable([classes], totals, normalise=True)


def _shares(vote: Any, name: State) -> dict[Any, tuple[State, float]]:
    """Return a vote as probabilities of classes; a single class has probability 1."""
    if not isinstance(vote, Mapping | ProbabilityTable):
        return {state_key(plain(vote)): (plain(vote), 1.0)}
    table = vote if isinstance(vote, ProbabilityTable) else ProbabilityTable.distribution(name, vote)
    return {state_key(state): (state, value) for state, value in table.to_dict().items()}


def log_posteriors(log_prior: FloatArray, log_likelihood: FloatArray) -> FloatArray:
    """log P(h | data) of each hypothesis, by log-sum-exp.

    >>> np.exp(log_posteriors(np.log([0.5, 0.5]), np.array([-900.0, -900.0 - np.log(3)]))).round(9).tolist()
    [0.75, 0.25]
    """
    joint = np.where(np.isneginf(log_prior), -np.inf, log_prior + log_likelihood)
    if not np.isfinite(joint.max()):
        raise ImpossibleEvidence(
            "Every hypothesis gives the data probability 0 (or NaN), so there is no posterior."
        )
    return joint - log_sum_exp(joint)
