"""A normal distribution for each class, its covariance drawn to the shared one and to its diagonal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.feature_codes import Codes
from bayou.estimators.pooled.hidden_features import HiddenFeatures
from bayou.estimators.pooled.members.dependence_member import left_out_shares, log_class_shares
from bayou.estimators.pooled.members.gaussian_features import GaussianFeatures, gaussian_features
from bayou.estimators.pooled.prepared_columns import PreparedColumns, sampled
from bayou.estimators.pooled.saved_arrays import reals
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.special_functions import log_sum_exp
from bayou.statistics.rows.row_sample import sums_by_place
from bayou.typing import BoolArray, FloatArray, IntArray

SHRINKAGES = ((1.0, 0.02), (1.0, 0.3), (0.5, 0.05), (0.5, 0.4), (0.1, 0.05), (0.1, 0.4))
"""How much of the shared covariance, and then of the diagonal, there may be in that of a class."""
FOLDS = 5
MOST_FEATURES = 150
MOST_ENTRIES = 4e6
"""Classes × features² at most."""
MOST_ROWS = 100_000
"""Moments are those of so many rows, those with the smallest hashes."""
LEAST_VARIANCE = 1e-4


@dataclass(frozen=True, eq=False)
class ClassNormals:
    """log P(class) and a normal density for each class: mean, precision, and log of its constant."""

    log_prior: FloatArray
    means: FloatArray
    precisions: FloatArray
    constants: FloatArray

    def joint(self, matrix: FloatArray, hidden: HiddenFeatures) -> FloatArray:
        """log P(class, known features of the row), [row, class]."""
        joint = np.empty((len(matrix), len(self.means)))
        for k, (mean, precision) in enumerate(zip(self.means, self.precisions, strict=True)):
            away = matrix - mean
            constants = self.constants[k] - hidden.fill(away, precision)
            joint[:, k] = constants - 0.5 * np.einsum("rj,rj->r", away @ precision, away)
        return self.log_prior + joint

    def parts(self, row: FloatArray, is_hidden: BoolArray, k: int) -> tuple[float, FloatArray]:
        """log P(class, known features of one row), split: what no feature says, and each feature's part."""
        away = (row - self.means[k])[None]
        constant = self.constants[k] - HiddenFeatures.of(is_hidden[None]).fill(away, self.precisions[k])[0]
        parts = -0.5 * away[0] * (self.precisions[k] @ away[0])
        return float(self.log_prior[k] + constant), np.where(is_hidden, 0.0, parts)

    def state(self) -> dict[str, Any]:
        """Plain data for a file; a precision that all classes share is written once."""
        shared = all(np.array_equal(self.precisions[0], one) for one in self.precisions[1:])
        precisions = self.precisions[:1] if shared else self.precisions
        named = {"log_prior": self.log_prior, "means": self.means, "constants": self.constants}
        return {**named, "precisions": np.ascontiguousarray(precisions)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], size: int, classes: int) -> ClassNormals:
        """Read :meth:`state`: a mean and a precision of each class."""
        means = reals(state, "means", (classes, size))
        precisions = reals(state, "precisions", (None, size, size))
        if len(precisions) == 1:
            precisions = np.broadcast_to(precisions[0], (classes, size, size))
        elif len(precisions) != classes:
            raise BadFile("a Gaussian member does not have one precision for each class.")
        constants = reals(state, "constants", (classes,))
        return cls(reals(state, "log_prior", (classes,)), means, precisions, constants)


@dataclass(frozen=True, eq=False)
class Moments:
    """Weights, sums and products of the rows of each class."""

    weights: FloatArray
    sums: FloatArray
    products: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray, own: IntArray, weights: FloatArray, classes: int) -> Moments:
        """Count the rows of every class."""
        size = matrix.shape[1]
        sums, products = np.zeros((classes, size)), np.zeros((classes, size, size))
        for k in range(classes):
            of_class = own == k
            part, weight = matrix[of_class], weights[of_class]
            sums[k] = weight @ part
            products[k] = part.T @ (part * weight[:, None])
        return cls(sums_by_place(own, weights, classes), sums, products)

    def less(self, other: Moments) -> Moments:
        """The moments without those of some rows."""
        return Moments(self.weights - other.weights, self.sums - other.sums, self.products - other.products)

    def spread(self) -> Spread:
        """Where the classes are, and how far they scatter; a class without rows has the shared mean."""
        weights = np.maximum(self.weights, 0.0)
        total = max(float(weights.sum()), 1.0)
        middle = self.sums.sum(axis=0) / total
        means = (self.sums + middle) / (weights + 1)[:, None]
        crossed = means[:, :, None] * self.sums[:, None, :]
        squares = weights[:, None, None] * (means[:, :, None] * means[:, None, :])
        scatters = self.products - crossed - crossed.transpose(0, 2, 1) + squares
        return Spread(weights, means, scatters, scatters.sum(axis=0) / total)


@dataclass(frozen=True, eq=False)
class Spread:
    """The weight, mean and scatter matrix of each class, and the covariance that all of them share."""

    weights: FloatArray
    means: FloatArray
    scatters: FloatArray
    pooled: FloatArray

    def normals(self, shrinkage: tuple[float, float], log_prior: FloatArray) -> ClassNormals:
        """The densities of all classes; a class without rows has the shared covariance."""
        shared, diagonal = shrinkage
        weights, pooled, size = self.weights, self.pooled, self.means.shape[1]
        if shared == 1.0:  # one covariance for all classes
            covariances = pooled[None].copy()
        else:  # the shared covariance counts as some rows more, so that small classes lean on it
            own = (self.scatters + (size + 2) * pooled) / (weights + size + 2)[:, None, None]
            covariances = shared * pooled + (1 - shared) * own
        variances = np.maximum(np.diagonal(covariances, axis1=1, axis2=2), LEAST_VARIANCE)
        covariances *= 1 - diagonal
        covariances[:, np.arange(size), np.arange(size)] = variances
        roots = np.linalg.cholesky(covariances)
        inverses = np.linalg.solve(roots, np.eye(size)[None])
        precisions = np.broadcast_to(inverses.transpose(0, 2, 1) @ inverses, self.scatters.shape)
        constants = -np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
        constants = np.broadcast_to(constants, weights.shape)
        return ClassNormals(log_prior, self.means, precisions, constants)


@dataclass(frozen=True, eq=False)
class GaussianMember:
    """Normal classes of the features of a row; ``shrinkage`` is the setting that folds chose."""

    features: GaussianFeatures
    normals: ClassNormals
    shrinkage: tuple[float, float]

    def log_proba(self, rows: FeatureTable, fine: Codes) -> FloatArray:
        """log P(class | row), [row, class]."""
        hidden = HiddenFeatures.of(self.features.hidden(fine))
        joint = self.normals.joint(self.features.matrix(rows, fine), hidden)
        return joint - log_sum_exp(joint)

    def shares(self, rows: FeatureTable, fine: Codes, of: int, against: int) -> AddedShares:
        """The log-odds of one row, split among the columns of the features."""
        row, is_hidden = self.features.matrix(rows, fine)[0], self.features.hidden(fine)[0]
        rest, parts = self.normals.parts(row, is_hidden, of)
        other_rest, other_parts = self.normals.parts(row, is_hidden, against)
        columns = sums_by_place(self.features.column_of, parts - other_parts, len(self.features.columns))
        return AddedShares(rest - other_rest, columns)

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        chosen = np.array(self.shrinkage)
        return {"features": self.features.state(), "normals": self.normals.state(), "shrinkage": chosen}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], prepared: PreparedColumns, classes: int) -> GaussianMember:
        """Read :meth:`state`: features of these columns, and a density for each class."""
        features = GaussianFeatures.from_state(state["features"], prepared.columns)
        shared, diagonal = reals(state, "shrinkage", (2,)).tolist()
        normals = ClassNormals.from_state(state["normals"], features.size, classes)
        return cls(features, normals, (shared, diagonal))


def grown_gaussian(
    prepared: PreparedColumns, fine: Codes, rows: TrainingRows, kept: IntArray, scored: bool
) -> tuple[GaussianMember, FloatArray] | None:
    """Return a member and log P(class | row) of the kept rows, each from the moments of the other folds.

    None without any feature.
    """
    most = int(min(MOST_FEATURES, np.sqrt(MOST_ENTRIES / rows.classes)))
    features = gaussian_features(prepared.columns, rows, fine, scored, most)
    if not features.size:
        return None
    used = np.union1d(sampled(rows.hashes, MOST_ROWS), kept)
    matrix = features.matrix(FeatureTable(rows.columns), fine)[used]
    is_hidden = features.hidden(fine[:, kept])
    own, weights = rows.own[used].astype(np.int64), rows.weights[used]
    fold = ((rows.hashes[used] >> np.uint64(17)) % np.uint64(FOLDS)).astype(np.int64)
    of_folds = [
        Moments.of(matrix[fold == f], own[fold == f], weights[fold == f], rows.classes) for f in range(FOLDS)
    ]
    total = of_folds[0]
    for part in of_folds[1:]:
        total = Moments(total.weights + part.weights, total.sums + part.sums, total.products + part.products)
    place = np.searchsorted(used, kept)
    shares = left_out_shares(rows.class_weights, rows.own[kept], rows.parts[kept])
    joint = np.empty((len(SHRINKAGES), len(kept), rows.classes))
    for f in range(FOLDS):
        inside = fold[place] == f
        if inside.any():
            judged, hidden = matrix[place[inside]], HiddenFeatures.of(is_hidden[inside])
            spread = total.less(of_folds[f]).spread()
            for number, shrinkage in enumerate(SHRINKAGES):
                normals = spread.normals(shrinkage, np.zeros(rows.classes))
                joint[number, inside] = normals.joint(judged, hidden)
    joint += shares
    held_out = [one - log_sum_exp(one) for one in joint]
    losses = [
        -float(rows.weights[kept] @ np.maximum(found[np.arange(len(kept)), rows.own[kept]], np.log(1e-5)))
        for found in held_out
    ]
    best = int(np.argmin(losses))
    normals = total.spread().normals(SHRINKAGES[best], log_class_shares(rows.class_weights))
    return GaussianMember(features, normals, SHRINKAGES[best]), held_out[best]
