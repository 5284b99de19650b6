"""Statistics of a whole matrix at once: one pass over it as it lies in memory, not one a column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou._native import class_moments, count_families, encode_integer_matrix
from bayou.estimators.matrix_input import number_matrix
from bayou.estimators.table_input import refuse_infinite
from bayou.estimators.training import Training
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, GroupMoments, Moments, Request, Result, Statistics


def collect(training: Training, requests: Sequence[Request]) -> Statistics:
    """Answer requests about a feature and the class from the matrix, everything else from its columns."""
    answered: dict[Request, Result] = {}
    if training.features.matrix is not None:
        answered |= _moments(training, requests)
        answered |= _counts(training, requests)
    rest = training.source.collect([request for request in requests if request not in answered])
    return Statistics({request: answered.get(request) or rest[request] for request in requests}, rest.rows)


def _moments(training: Training, requests: Sequence[Request]) -> dict[Request, Result]:
    names = training.features.names
    wanted = {name: Moments((name,), (training.target,)) for name in names}
    if training.features.matrix is None or training.features.matrix.dtype.kind != "f":
        return {}
    if not set(wanted.values()) <= set(requests):
        return {}
    matrix = number_matrix(training.features)
    labels = training.labels.column
    classes = Variable(training.target, labels.labels)
    weights = None if training.weights is None else training.weights.astype(np.float64)
    codes = labels.codes.astype(np.uint32)
    n, mean, scatter = class_moments(matrix, codes, classes.cardinality, weights)
    if not np.isfinite(scatter).all():
        refuse_infinite(matrix)
    return {
        wanted[name]: GroupMoments((name,), (classes,), n[:, k], mean[:, k, None], scatter[:, k, None, None])
        for k, name in enumerate(names)
    }


def _counts(training: Training, requests: Sequence[Request]) -> dict[Request, Result]:
    names = training.features.names
    wanted = {name: CountTable((training.target, name)) for name in names}
    matrix = training.features.matrix
    if matrix is None or matrix.dtype.kind not in "iu" or not set(wanted.values()) <= set(requests):
        return {}
    codes, values = encode_integer_matrix(matrix)
    labels = training.labels.column
    classes = Variable(training.target, labels.labels)
    tables = count_families(
        [labels.codes, *codes],
        [classes.cardinality, *map(len, values)],
        [[0, 1 + k] for k in range(len(names))],
        training.weights,
    )
    return {
        wanted[name]: Counts((classes, Variable(name, values[k].tolist())), tables[k])
        for k, name in enumerate(names)
    }
