"""``auto``: the model of a numeric feature that predicts the class best on held-out values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bayou._native import held_out_losses
from bayou.distributions import DistributionKind, Family, Laplace, Prior
from bayou.errors import warn_user
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.evidence_weight import joint_log_loss
from bayou.estimators.naive_bayes.feature_kinds import EstimationInput, PreparedFeature, density_of
from bayou.estimators.naive_bayes.number_kinds import (
    Maker,
    RangesOfValues,
    discretised_of,
    gaussian_of,
    kernel_of,
    poisson_of,
    value_table,
)
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.tables.columns import NumberColumn
from bayou.statistics import Statistics, ValueCounts, ValueHistogram
from bayou.typing import FloatArray, Name

MAKERS: dict[str, Maker] = {
    "table": value_table,
    "gaussian": gaussian_of,
    "discretised": discretised_of,
    "kernel": kernel_of,
    "poisson": poisson_of,
}
"""The models that numbers can have, the simplest first, in the order of the kernel's losses."""
FOLDS = 5
MOST_UNITS = 5000
"""At most about this many values are used for the choice: of more, every second, third, … is taken."""
FEW_VALUES = 12
"""Whole numbers with at most this many different values may be states."""
LARGEST = 1e150
"""The squares of larger numbers may overflow: a column that has them gets ranges."""
SMALLEST = 1e-145
"""The squares of smaller differences may underflow: a column whose numbers differ by less gets ranges."""


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

    def settled(self, answer: ValueCounts, family: Family, known: EstimationInput) -> PreparedFeature:
        """Choose among the candidates, which are all estimated from the values by class."""
        choice = (known.decided or {}).get(answer.variable)
        if choice is None:
            choice = choose(answer, candidates(answer, self.whole), known)
        if known.choices is not None:
            known.choices[answer.variable] = choice
            _tell_of_ranges(answer)
        return MAKERS[choice.kind](answer, known)


def decisions(
    kinds: Mapping[Name, DistributionKind],
    statistics: Statistics,
    classes: Variable,
    priors: Callable[[Name], Prior],
    var_smoothing: float,
) -> dict[Name, Choice]:
    """Return what :func:`choose` decides, for all automatic columns in one kernel call.

    The kernel smooths tables by adding a number to each count (``Laplace``); columns with another prior, and
    those with too few records for a choice, are not in the result.
    """
    smoothed: dict[Name, tuple[bool, float]] = {}
    for name, kind in kinds.items():
        if isinstance(kind, AutoFeature) and type(prior := priors(name)) is Laplace:
            smoothed[name] = kind.whole, prior.strength
    counted = [statistics[ValueHistogram(name, (classes.name,))].aligned([classes]) for name in smoothed]
    if not counted:
        return {}
    values = np.concatenate([each.values for each in counted])
    if not np.isfinite(values).all():
        return {}
    near = {name for name, each in zip(smoothed, counted, strict=True) if _squares_underflow(each.values)}
    losses = held_out_losses(
        values,
        np.concatenate([each.codes for each in counted]).astype(np.uint32),
        np.concatenate([each.weights for each in counted]),
        np.cumsum([0, *(len(each.values) for each in counted)]),
        np.array([whole for whole, _ in smoothed.values()], dtype=np.uint8),
        np.array([strength for _, strength in smoothed.values()]),
        classes.cardinality,
        var_smoothing,
    )
    return {
        name: choice
        for name, row in zip(smoothed, losses.tolist(), strict=True)
        if name not in near and (choice := _smallest_loss(row)) is not None
    }


def _squares_underflow(values: FloatArray) -> bool:
    """Whether the numbers differ, but so little that their variance is no number."""
    if not len(values):
        return False
    least, most = float(values.min()), float(values.max())
    return least < most and most - least < SMALLEST  # of floats, which become inf without a warning


def _squares_overflow(values: FloatArray) -> bool:
    return bool(len(values)) and float(np.abs(values).max()) > LARGEST


def _tell_of_ranges(counted: ValueCounts) -> None:
    """Warn that a column has ranges because its numbers have no variance in floating point."""
    values = counted.values
    far = _squares_overflow(values) and values.min() < values.max()
    if far or _squares_underflow(values):
        why = f"numbers beyond {LARGEST:g}" if far else f"numbers that differ by less than {SMALLEST:g}"
        warn_user(
            f"{counted.variable!r} has {why}, whose squares are no floats: ranges are learned of it, and no "
            "density. Use another unit, or look for numbers that stand for a missing value."
        )


def _smallest_loss(row: Sequence[float]) -> Choice | None:
    """The choice by the losses of all models, NaN for those that are no candidates; None without a choice."""
    losses = {kind: loss for kind, loss in zip(MAKERS, row, strict=True) if loss == loss}
    # A kernel density is a candidate wherever a Gaussian is; without a loss its bandwidth is unusable.
    if not losses or ("gaussian" in losses and "kernel" not in losses):
        return None
    return Choice(min(losses, key=losses.__getitem__), losses)


def candidates(counted: ValueCounts, whole: bool) -> dict[str, Maker]:
    """Return the models that suit these values, the simplest first.

    A column with a single value gets a table, in which it does not change the posterior.
    """
    distinct = len(np.unique(counted.values))
    if distinct == 1:
        suitable = {"table" if whole else "discretised"}
    elif _squares_overflow(counted.values) or _squares_underflow(counted.values):
        suitable = {"discretised"}
    else:
        suitable = {"gaussian", "discretised", "kernel"}
        if whole and distinct:
            suitable |= {"table"} if distinct <= FEW_VALUES else set()
            suitable |= {"poisson"} if counted.values.min() >= 0 else set()
    return {kind: maker for kind, maker in MAKERS.items() if kind in suitable}


def choose(counted: ValueCounts, makers: dict[str, Maker], known: EstimationInput) -> Choice:
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


def _held_out(maker: Maker, counted: ValueCounts, folds: FloatArray, known: EstimationInput) -> float:
    """The mean log-loss over all folds, each predicted by the model of the others."""
    table = FeatureTable(
        Columns(
            [counted.variable],
            [NumberColumn(counted.values, bool(np.all(counted.values % 1 == 0)), "float")],
            len(counted.values),
        )
    )
    settings = replace(known, unknown="missing", choices=None, decided=None)
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
        total += joint_log_loss(joint[test], counted.codes[test], fold[test]) * float(fold.sum())
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
