"""``auto``: each number is modelled in the way that predicts the class best on values held out."""

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
"""So many values are enough to choose by: of more, every second, third, … is taken."""
FEW_VALUES = 12
"""Whole numbers with at most so many different values may be states."""


@dataclass(frozen=True)
class Choice:
    """The held-out log-loss of the class, given this feature alone, in each way of modelling it."""

    kind: str
    losses: dict[str, float]

    def __str__(self) -> str:
        told = ", ".join(
            f"{kind} {loss:.4f}" for kind, loss in sorted(self.losses.items(), key=lambda p: p[1])
        )
        return f"{self.kind} (held-out log-loss of the class: {told})"


@dataclass(frozen=True)
class AutoFeature(RangesOfValues):
    """The best of several ways of modelling a number; ``whole`` says that it holds whole numbers."""

    word: ClassVar[str] = "auto"
    whole: bool = False

    def settled(self, answer: ValueCounts, family: Family, known: Estimation) -> Settled:
        """Choose among the candidates, which are all made from the values by class."""
        makers = candidates(answer, self.whole)
        choice = choose(answer, makers, known)
        if known.choices is not None:
            known.choices[answer.variable] = choice
        return makers[choice.kind](answer, known)


def candidates(counted: ValueCounts, whole: bool) -> dict[str, Maker]:
    """What suits these values, the simplest first; one value for all rows must tell nothing."""
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
    """Cross-validate every candidate; the smallest loss wins, the simpler one in a tie."""
    folds = fold_weights(counted.weights)
    if folds.sum() < 2 * FOLDS:
        return Choice(next(iter(makers)), {})
    everything = folds.sum(axis=0)
    dealt, sample = folds[:, everything > 0], _weighed(counted, everything)
    losses = {kind: _held_out(maker, sample, dealt, known) for kind, maker in makers.items()}
    return Choice(min(losses, key=lambda kind: losses[kind]), losses)


def fold_weights(weights: FloatArray) -> FloatArray:
    """The weight of each entry in each fold: units are dealt out in turn, along the ascending values."""
    ends = np.cumsum(np.maximum(np.round(weights), 1)).astype(np.int64)
    result = np.zeros((FOLDS, len(weights)))
    if not len(ends):
        return result
    dealt = np.arange(0, int(ends[-1]), max(1, -(-int(ends[-1]) // MOST_UNITS)))
    entries = np.searchsorted(ends, dealt, side="right")
    np.add.at(result, (np.arange(len(dealt)) % FOLDS, entries), 1)
    return result


def _held_out(maker: Maker, counted: ValueCounts, folds: FloatArray, known: Estimation) -> float:
    """The mean loss of all folds, each predicted by what the others say."""
    table = FeatureTable(
        Columns(
            [counted.variable],
            [NumberColumn(counted.values, bool(np.all(counted.values % 1 == 0)), "float")],
            len(counted.values),
        )
    )
    quiet = replace(known, unknown="missing", choices=None)
    total = 0.0
    for fold in folds:
        if not fold.any():
            continue
        density = density_of(maker(_weighed(counted, counted.weights - fold), quiet), quiet)
        seen = (
            np.bincount(counted.codes, weights=counted.weights - fold, minlength=known.classes.cardinality)
            + 1
        )
        test = fold > 0
        joint = np.log(seen / seen.sum()) + density.log_density(table)
        total += log_loss(joint[test], counted.codes[test], fold[test]) * float(fold.sum())
    return total / float(folds.sum())


def _weighed(counted: ValueCounts, weights: FloatArray) -> ValueCounts:
    kept = weights > 0
    return ValueCounts(
        counted.variable,
        counted.groups,
        counted.values[kept],
        counted.codes[kept],
        weights[kept],
        counted.bin_width,
    )
