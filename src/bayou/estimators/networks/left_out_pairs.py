"""Rows of a sample, each scored by AODE without it: its own count is taken off all tables of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bayou.distributions import Prior
from bayou.estimators.naive_bayes.evidence_weight import ClassRecords, LeftOutRows, left_out_prior
from bayou.estimators.networks.family_scores import SMALLEST
from bayou.estimators.networks.left_out_tables import sampled_codes
from bayou.schema import Variable
from bayou.special_functions import log_sum_exp
from bayou.statistics import CountTable, SampledRows, Statistics
from bayou.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from bayou.estimators.networks.aode import AODEModel

MOST_PAIRS = 1e7
"""Rows × pairs of features that are looked up; of more rows only the first (by hash) are used."""


def left_out_rows(
    model: AODEModel, sample: SampledRows, statistics: Statistics, prior: Prior, least: float
) -> tuple[LeftOutRows, ClassRecords]:
    """Return the rows of the sample without themselves, and the records of the classes.

    A value that no other row has is no parent. The weights of the parents stay as they are.
    """
    classes = _class_records(model, statistics, prior)
    rows = min(len(sample.weights), int(MOST_PAIRS / max(1, len(model.variables) ** 2)))
    own: IntArray = sampled_codes(sample, model.classes).astype(np.int64)[:rows]
    codes = np.array([sampled_codes(sample, variable)[:rows] for variable in model.variables])
    codes = codes.reshape(len(model.variables), rows)
    one = np.minimum(sample.weights[:rows], 1.0)  # of a row that stands for several, one is left out
    singles = _Singles.of(model, statistics, prior)
    others = replace(model, own=model.own + singles.shifts()[:, None])
    joint = others.joint_log_of(codes, singles.frequent_without(least))
    terms = singles.left_out(codes, own, one)
    parts = _parent_logs(model, statistics, prior, codes, own, one) + terms
    taking_part = singles.parents(codes, one, least)
    prior_logs = left_out_prior(model.log_prior, classes, own, one)
    at = np.arange(rows)
    joint[at, own] = _mean(model, parts, taking_part, terms, prior_logs[at, own])
    evidence = joint - np.maximum(prior_logs, -1e300)
    return LeftOutRows(prior_logs, evidence, own, sample.weights[:rows]), classes


def _mean(
    model: AODEModel, parts: FloatArray, taking_part: BoolArray, terms: FloatArray, prior: FloatArray
) -> FloatArray:
    """The log of the weighted mean over the parents; naive Bayes for rows without any."""
    weights = np.ones(len(parts)) if model.weights is None else model.weights
    used = np.where(taking_part, weights[:, None], 0.0)
    total = used.sum(axis=0)
    used = np.where(total > 0, used, 1.0)
    with np.errstate(divide="ignore"):
        mean = log_sum_exp((parts + np.log(used)).T)[:, 0] - np.log(used.sum(axis=0))
    naive = prior + np.where(terms != 0, terms - prior, 0.0).sum(axis=0)
    result: FloatArray = np.where(total > 0, mean, naive)
    return result


def _class_records(model: AODEModel, statistics: Statistics, prior: Prior) -> ClassRecords:
    counted = statistics[CountTable((model.classes.name,))].aligned([model.classes]).values
    rows = np.asarray(counted, dtype=np.float64)
    return ClassRecords(rows, rows + np.broadcast_to(prior.pseudocounts(model.classes, []), rows.shape))


class _Singles:
    """The counts of each feature by class, [class, state], and with virtual records."""

    def __init__(self, counts: Sequence[FloatArray], records: Sequence[FloatArray]) -> None:
        self.counts, self.records = counts, records

    @classmethod
    def of(cls, model: AODEModel, statistics: Statistics, prior: Prior) -> _Singles:
        classes = model.classes
        counts = [
            statistics[CountTable((classes.name, v.name))].aligned([classes, v]).values
            for v in model.variables
        ]
        records = [
            own + np.broadcast_to(prior.pseudocounts(v, [classes]), own.shape)
            for own, v in zip(counts, model.variables, strict=True)
        ]
        return cls(counts, records)

    def shifts(self) -> FloatArray:
        """What one row fewer adds to log P(class, x) of the other classes, by state."""
        shift = [np.full(own.shape[1], -np.log1p(-1 / max(own.sum(), 2.0))) for own in self.records]
        return np.concatenate([np.zeros(0), *shift])

    def frequent_without(self, least: float) -> npt.NDArray[np.uint8]:
        """Which states may be parents of a row that has them, without the row."""
        seen = np.concatenate([np.zeros(0), *(own.sum(axis=0) for own in self.counts)])
        return (seen - 1 >= max(least, 1e-9)).astype(np.uint8)

    def parents(self, codes: IntArray, weights: FloatArray, least: float) -> BoolArray:
        """Which features are parents of each row, [feature, row]."""
        found = np.zeros(codes.shape, dtype=bool)
        for k, own in enumerate(self.counts):
            seen = np.append(own.sum(axis=0), 0.0)
            found[k] = seen[np.minimum(codes[k], own.shape[1])] - 1 >= max(least, 1e-9)
        return found

    def left_out(self, codes: IntArray, own: IntArray, weights: FloatArray) -> FloatArray:
        """log P(own class, x) of each feature without the row, [feature, row]; 0 for a gap."""
        logs = np.zeros(codes.shape)
        for k, records in enumerate(self.records):
            known = codes[k] < records.shape[1]
            here = records[own, np.where(known, codes[k], 0)] - weights
            share = here / np.maximum(records.sum() - weights, SMALLEST)
            logs[k] = np.where(known, np.log(np.maximum(share, SMALLEST)), 0.0)
        return logs


def _parent_logs(
    model: AODEModel,
    statistics: Statistics,
    prior: Prior,
    codes: IntArray,
    own: IntArray,
    weights: FloatArray,
) -> FloatArray:
    """Σ log P(x_j | own class, x_i) over the other features j without the row, [feature i, row]."""
    total = np.zeros(codes.shape)
    for i, parent in enumerate(model.variables):
        for j in range(i + 1, len(model.variables)):
            child = model.variables[j]
            known = (codes[i] < parent.cardinality) & (codes[j] < child.cardinality)
            place = own, np.where(known, codes[i], 0), np.where(known, codes[j], 0)
            cube = model.pair_counts(statistics, parent, child)
            total[i] += np.where(known, _share(cube, place, child, parent, model, prior, weights), 0.0)
            swapped = cube.transpose(0, 2, 1)
            place = place[0], place[2], place[1]
            total[j] += np.where(known, _share(swapped, place, parent, child, model, prior, weights), 0.0)
    return total


def _share(
    cube: FloatArray,
    place: tuple[IntArray, IntArray, IntArray],
    child: Variable,
    parent: Variable,
    model: AODEModel,
    prior: Prior,
    weights: FloatArray,
) -> FloatArray:
    """log P(child | class, parent) at these cells of [class, parent, child], without the row."""
    records = cube + np.broadcast_to(prior.pseudocounts(child, [model.classes, parent]), cube.shape)
    total = records.sum(axis=2)[place[0], place[1]] - weights
    share = (records[place] - weights) / np.where(total > SMALLEST, total, 1.0)
    share = np.where(total > SMALLEST, share, 1 / child.cardinality)
    result: FloatArray = np.log(np.maximum(share, SMALLEST))
    return result
