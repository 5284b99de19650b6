"""Numpy reference of the kernel that judges models of numeric features by held-out values."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from bayou._native.reference.density import kernel_log_density, mdl_cuts, value_counts
from bayou.typing import FloatArray, IntArray

Codes = npt.NDArray[np.uint32]
_FOLDS, _MOST_RECORDS, _FEW_VALUES = 5, 5000, 12
_VIRTUAL_RECORDS, _POOLED_RECORDS, _LARGEST = 1.0, 2.0, 1e150
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def values_by_class(
    columns: list[FloatArray],
    classes: Codes | None,
    n_classes: int,
    weights: FloatArray | None = None,
    threads: int = 0,
) -> tuple[FloatArray, Codes, FloatArray, IntArray]:
    """(values, classes, weights, starts): each distinct value and class of every column once, ascending.

    >>> values_by_class([np.array([2.0, 1.0, 2.0])], None, 1)[0].tolist()
    [1.0, 2.0]
    """
    found = [value_counts(np.ascontiguousarray(column), classes, n_classes, weights) for column in columns]
    starts = np.cumsum([0, *(len(values) for values, _, _ in found)])
    nothing = (np.zeros(0), np.zeros(0, dtype=np.uint32), np.zeros(0))
    values, codes, sums = (np.concatenate(part) for part in zip(nothing, *found, strict=True))
    return values, codes, sums, starts


def held_out_losses(
    values: FloatArray,
    classes: Codes,
    weights: FloatArray,
    starts: IntArray,
    whole: npt.NDArray[np.uint8],
    strength: FloatArray,
    n_classes: int,
    least_spread: float = 0.0,
    threads: int = 0,
) -> FloatArray:
    """The held-out loss by table, gaussian, discretised, kernel and poisson, [feature, model].

    The loss is the mean of -log P(class | value). Records go to five folds in turn by ascending value.
    NaN: the model does not suit the values.
    """
    losses = np.full((len(starts) - 1, 5), np.nan)
    for k in range(len(losses)):
        own = slice(starts[k], starts[k + 1])
        folds = _dealt(weights[own])
        if folds.sum() < 2 * _FOLDS:
            continue
        for place, model in enumerate(_suitable(values[own], bool(whole[k]))):
            if model is not None:
                estimate = partial(model, n_classes, float(strength[k]), least_spread)
                losses[k, place] = _loss(estimate, values[own], classes[own].astype(int), folds, n_classes)
    return losses


def _dealt(weights: FloatArray) -> FloatArray:
    """The number of records of each entry in each fold."""
    entry = np.repeat(np.arange(len(weights)), np.maximum(np.round(weights), 1).astype(int))
    taken = entry[:: max(1, -(-len(entry) // _MOST_RECORDS))]
    folds = np.zeros((_FOLDS, len(weights)))
    np.add.at(folds, (np.arange(len(taken)) % _FOLDS, taken), 1)
    return folds


def _suitable(values: FloatArray, whole: bool) -> list[Callable[..., FloatArray] | None]:
    """The models in the order of the losses; None for those that do not suit the values."""
    distinct = len(np.unique(values))
    if distinct == 1:
        return [_table if whole else None, None, None if whole else _discretised, None, None]
    if len(values) and np.abs(values).max() > _LARGEST:
        return [None, None, _discretised, None, None]
    table = _table if whole and distinct <= _FEW_VALUES else None
    return [table, _gaussian, _discretised, _kernel, _poisson if whole and values.min() >= 0 else None]


def _loss(
    estimate: Callable[..., FloatArray],
    values: FloatArray,
    codes: IntArray,
    folds: FloatArray,
    n_classes: int,
) -> float:
    """The mean of -log P(own class | value), each fold predicted by the model of the others."""
    total = 0.0
    for fold in folds:
        rest, test = folds.sum(axis=0) - fold, fold > 0
        if not test.any():
            continue
        per_class = np.bincount(codes, rest, n_classes) + 1
        kept = rest > 0
        logs = estimate(values[kept], codes[kept], rest[kept], values[test])
        if np.isnan(logs).any():
            return math.nan
        joint = np.log(per_class / per_class.sum()) + logs
        own = joint[np.arange(test.sum()), codes[test]]
        if not np.isfinite(own).all():
            return math.inf
        total += float(fold[test] @ (np.logaddexp.reduce(joint, axis=1) - own))
    return total / float(folds.sum())


def _moments(
    size: int, x: FloatArray, codes: IntArray, w: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The number, mean and scatter of each class; the mean of all records for a class without any."""
    n: FloatArray = np.bincount(codes, w, size).astype(np.float64)
    overall = float(np.average(x, weights=w))
    mean = np.where(n > 0, np.bincount(codes, w * x, size) / np.maximum(n, 1e-300), overall)
    scatter: FloatArray = np.bincount(codes, w * (x - mean[codes]) ** 2, size).astype(np.float64)
    return n, mean, scatter


def _gaussian(
    size: int, strength: float, least: float, x: FloatArray, codes: IntArray, w: FloatArray, asked: FloatArray
) -> FloatArray:
    """Variances of classes are drawn to the pooled one, and that one to the variance of all records."""
    n, mean, scatter = _moments(size, x, codes, w)
    spread = float(np.average((x - np.average(x, weights=w)) ** 2, weights=w))
    freedoms, few = np.maximum(n - 1, 0.0), _POOLED_RECORDS
    pooled = (scatter.sum() + few * spread) / (freedoms.sum() + few)
    variance = (scatter + few * pooled) / (freedoms + few) + least * spread
    deviation = np.sqrt(np.where(variance > 0, variance, np.finfo(float).tiny))
    with np.errstate(over="ignore"):
        logs: FloatArray = -0.5 * ((asked[:, None] - mean) / deviation) ** 2
    return logs - np.log(deviation) - _HALF_LOG_TWO_PI


def _poisson(
    size: int, strength: float, least: float, x: FloatArray, codes: IntArray, w: FloatArray, asked: FloatArray
) -> FloatArray:
    n, mean, _ = _moments(size, x, codes, w)
    overall = np.average(x, weights=w)
    rate = np.maximum((n * mean + _VIRTUAL_RECORDS * overall) / (n + _VIRTUAL_RECORDS), 1e-300)
    factorials = np.array([math.lgamma(value + 1) for value in asked])
    logs: FloatArray = asked[:, None] * np.log(rate) - rate - factorials[:, None]
    return logs


def _table_logs(
    size: int, strength: float, states: int, places: tuple[IntArray, IntArray], codes: IntArray, w: FloatArray
) -> FloatArray:
    """log P(state | class) at the second places, from records at the first ones; 0 beyond all states."""
    cells = np.bincount(places[0] * size + codes, w, states * size).reshape(states, size) + strength
    totals = cells.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(totals > 0, cells / totals, 1 / states))
    found: FloatArray = np.vstack([logs, np.zeros(size)])[np.minimum(places[1], states)]
    return found


def _table(
    size: int, strength: float, least: float, x: FloatArray, codes: IntArray, w: FloatArray, asked: FloatArray
) -> FloatArray:
    states = np.unique(x)
    at = np.minimum(np.searchsorted(states, asked), len(states) - 1)
    places = np.searchsorted(states, x), np.where(states[at] == asked, at, len(states))
    return _table_logs(size, strength, len(states), places, codes, w)


def _discretised(
    size: int, strength: float, least: float, x: FloatArray, codes: IntArray, w: FloatArray, asked: FloatArray
) -> FloatArray:
    cuts = mdl_cuts([x], codes.astype(np.uint32), size, w)[0]
    places = np.searchsorted(cuts, x), np.searchsorted(cuts, asked)
    return _table_logs(size, strength, len(cuts) + 1, places, codes, w)


def _kernel(
    size: int, strength: float, least: float, x: FloatArray, codes: IntArray, w: FloatArray, asked: FloatArray
) -> FloatArray:
    """Kernels with Silverman's bandwidth; virtual records have a wide kernel in the middle of all values."""
    everything = value_counts(x, None, 1, w)[::2]
    groups = [(x[codes == c], w[codes == c]) for c in range(size)]
    groups = [group if len(group[0]) else everything for group in groups]
    otherwise = _deviation(*everything) or 1.0
    widths = [_bandwidth(*group, otherwise) for group in groups]
    with np.errstate(divide="ignore", over="ignore"):
        if not np.isfinite(1 / np.array(widths)).all() or not np.isfinite(widths).all():
            return np.full((len(asked), size), np.nan)
    logs = kernel_log_density([own for own, _ in groups], [own for _, own in groups], widths, asked)
    n, centre = np.array([own.sum() for _, own in groups]), np.average(x, weights=w)
    width = 3.0 * math.sqrt(np.average((x - centre) ** 2, weights=w)) or 1.0
    wide = -0.5 * ((asked[:, None] - centre) / width) ** 2 - _HALF_LOG_TWO_PI - math.log(width)
    records = math.log(_VIRTUAL_RECORDS)
    both: FloatArray = np.logaddexp(logs + np.log(n), records + wide) - np.log(n + _VIRTUAL_RECORDS)
    return both


def _deviation(x: FloatArray, w: FloatArray) -> float:
    n = float(w.sum())
    scatter = float(w @ (x - w @ x / n) ** 2)
    return math.sqrt(scatter / (n - 1 if n > 1 else n)) if len(x) > 1 else 0.0


def _bandwidth(x: FloatArray, w: FloatArray, otherwise: float) -> float:
    records = np.repeat(x, w.astype(int))
    quartiles = np.quantile(records, [0.25, 0.75])
    spreads = (_deviation(x, w), float(quartiles[1] - quartiles[0]) / 1.34)
    spread = min((spread for spread in spreads if spread > 0), default=otherwise)
    return 0.9 * spread * math.pow(float(w.sum()), -0.2)
