"""``auto``: the model of a numeric feature that predicts the class best on held-out values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bayou.distributions import Family
from bayou.estimators.input.table_input import FeatureTable
from bayou.estimators.naive_bayes.evidence_weight import log_loss
from bayou.estimators.naive_bayes.feature_kinds import Estimation, Settled, density_of
from bayou.estimators.naive_bayes.number_kinds import (
    Maker,
    RangesOfValues,
    discretised_of,
    gaussian_of,
    kernel_of,
    poisson_of,
    value_table,
)
from bayou.sources import Columns
from bayou.sources.tables.columns import NumberColumn
from bayou.statistics import ValueCounts
from bayou.typing import FloatArray

FOLDS = 5
MOST_UNITS = 5000
"""At most about this many values are used for the choice: of more, every second, third, … is taken."""
FEW_VALUES = 12
"""Whole numbers with at most this many different values may be states."""


@dataclass(frozen=True)
class Choice:
    """The chosen model, and for each candidate the held-out log-loss of the class given this feature only."""

    kind: str
    losses: dict[str, float]

    def __str__(self) -> str:
        losses = ", ".join(
            f"{kind} {loss:.4f}" for kind, loss in sorted(self.losses.items(), key=lambda p: p[1])
        )
        return f"{self.kind} (held-out log-loss of the class: {losses})"


@dataclass(frozen=True)
class AutoFeature(RangesOfValues):
    """The best of several models of a numeric feature; ``whole`` says that it has whole numbers only."""

    word: ClassVar[str] = "auto"
    whole: bool = False

    def settled(self, answer: ValueCounts, family: Family, known: Estimation) -> Settled:
        """Choose among the candidates, which are all estimated from the values by class."""
        makers = candidates(answer, self.whole)
        choice = choose(answer, makers, known)
        if known.choices is not None:
            known.choices[answer.variable] = choice
        return makers[choice.kind](answer, known)


def candidates(counted: ValueCounts, whole: bool) -> dict[str, Maker]:
    """Return the models that suit these values, the simplest first.

    A column with a single value gets a table, in which it does not change the posterior.
    """
    if len(np.unique(counted.values)) == 1:
        return {"table": value_table} if whole else {"discretised": discretised_of}
    makers: dict[str, Maker] = {"gaussian": gaussian_of, "discretised": discretised_of, "kernel": kernel_of}
    if whole and len(counted.values):
        if len(np.unique(counted.values)) <= FEW_VALUES:
            makers = {"table": value_table, **makers}
        if counted.values.min() >= 0:
            makers["poisson"] = poisson_of
    return makers


def choose(counted: ValueCounts, makers: dict[str, Maker], known: Estimation) -> Choice:
    """Cross-validate every candidate; the smallest loss wins, of ties the simpler model."""
    folds = fold_weights(counted.weights)
    if folds.sum() < 2 * FOLDS:
        return Choice(next(iter(makers)), {})
    total = folds.sum(axis=0)
    used, sample = folds[:, total > 0], _weighed(counted, total)
    losses = {kind: _held_out(maker, sample, used, known) for kind, maker in makers.items()}
    return Choice(min(losses, key=lambda kind: losses[kind]), losses)


def fold_weights(weights: FloatArray) -> FloatArray:
    """Return the weight of each entry in each fold: records go to the folds in turn, by ascending value."""
    ends = np.cumsum(np.maximum(np.round(weights), 1)).astype(np.int64)
    result = np.zeros((FOLDS, len(weights)))
    if not len(ends):
        return result
    records = np.arange(0, int(ends[-1]), max(1, -(-int(ends[-1]) // MOST_UNITS)))
    entries = np.searchsorted(ends, records, side="right")
    np.add.at(result, (np.arange(len(records)) % FOLDS, entries), 1)
    return result


def _held_out(maker: Maker, counted: ValueCounts, folds: FloatArray, known: Estimation) -> float:
    """The mean log-loss over all folds, each predicted by the model of the others."""
    table = FeatureTable(
        Columns(
            [counted.variable],
            [NumberColumn(counted.values, bool(np.all(counted.values % 1 == 0)), "float")],
            len(counted.values),
        )
    )
    settings = replace(known, unknown="missing", choices=None)
    total = 0.0
    for fold in folds:
        if not fold.any():
            continue
        density = density_of(maker(_weighed(counted, counted.weights - fold), settings), settings)
        per_class = (
            np.bincount(counted.codes, weights=counted.weights - fold, minlength=known.classes.cardinality)
            + 1
        )
        test = fold > 0
        joint = np.log(per_class / per_class.sum()) + density.log_density(table)
        total += log_loss(joint[test], counted.codes[test], fold[test]) * float(fold.sum())
    return total / float(folds.sum())


def _weighed(counted: ValueCounts, weights: FloatArray) -> ValueCounts:
    """The same values with other weights; values of weight 0 are dropped."""
    kept = weights > 0
    return ValueCounts(
        counted.variable,
        counted.groups,
        counted.values[kept],
        counted.codes[kept],
        weights[kept],
        counted.bin_width,
    )
