"""Hypotheses by name, and their prior probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, listed
from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.estimators.networks.tree_classifiers import TAN
from bayou.probability.probability_table import ProbabilityTable
from bayou.typing import FloatArray


def named_hypotheses(given: Any) -> dict[Any, Any]:
    """The hypotheses by name; items of a list are named by their class, with a prime if it is taken."""
    if given is None:
        return {"naive Bayes": NaiveBayes(), "TAN": TAN()}
    if isinstance(given, Mapping):
        named = dict(given)
    else:
        named = {}
        for item in given:
            name, hypothesis = item if isinstance(item, tuple) else (type(item).__name__, item)
            while name in named:
                name = f"{name}'"
            named[name] = hypothesis
    if not named:
        raise BadQuestion("hypotheses= is empty: give at least one classifier.")
    return named


def hypothesis_log_prior(given: Any, names: tuple[Any, ...]) -> FloatArray:
    """log P(h) from None (uniform), a mapping name → probability, or numbers in the hypotheses' order."""
    if given is None:
        return np.full(len(names), -np.log(len(names)))
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise BadQuestion(f"prior= has {len(given)} numbers; there are {len(names)} hypotheses.")
        given = dict(zip(names, given, strict=True))
    if set(given) != set(names):
        raise BadQuestion(f"prior= names {listed(given)}; the hypotheses are {listed(names)}.")
    table = ProbabilityTable.distribution("hypothesis", given)
    with np.errstate(divide="ignore"):
        result: FloatArray = np.log([table[name] for name in names])
    return result
