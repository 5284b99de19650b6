"""A fitted naive Bayes: the class prior and one density per feature; their logarithms are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou._native import encode_integer_matrix
from bayou.distributions import CODES, SCORERS
from bayou.estimators.input.table_input import FeatureTable, number_matrix
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity, warn_of_never_seen
from bayou.schema import Variable
from bayou.sources import count_missing
from bayou.typing import CodeArray, FloatArray, Name


@dataclass(frozen=True, eq=False)
class NaiveModel:
    """log P(class) + w · Σ log P(feature | class); w = 1 is the textbook's naive Bayes.

    Redundant features count the same evidence several times; a ``weight`` w below 1 corrects for that.
    """

    classes: Variable
    log_prior: FloatArray
    densities: tuple[FeatureDensity, ...]
    weight: float = 1.0

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row) for every row and class."""
        if self.weight == 1.0:
            return self._scores(rows, self.log_prior)
        return self.log_prior + self.weight * self.evidence(rows)

    def evidence(self, rows: FeatureTable) -> FloatArray:
        """Return Σ log P(feature | class) for every row and class."""
        return self._scores(rows, np.zeros(self.classes.cardinality))

    def _scores(self, rows: FeatureTable, start: FloatArray) -> FloatArray:
        """``start`` + Σ log P(feature | class): columns with a common scorer at once, others one by one."""
        together: dict[str, list[FeatureDensity]] = {}
        for density in sorted(self.densities, key=lambda d: d.distribution.values_are != CODES):
            together.setdefault(density.distribution.scorer, []).append(density)
        alone = together.pop("", [])
        total: FloatArray | None = None
        for scorer, group in together.items():
            distributions = [density.distribution for density in group]
            columns = _columns(group, rows)
            begin = start if total is None else np.zeros_like(start)
            added = SCORERS.find(scorer)(distributions, columns, begin, rows.rows)
            for density, column in zip(group, columns, strict=False):
                density.add_unseen(column, added)
            total = added if total is None else total + added
        if total is None:
            total = np.tile(start, (rows.rows, 1))
        for density in alone:
            total += density.log_density(rows)
        return total


def _columns(densities: Sequence[FeatureDensity], rows: FeatureTable) -> Any:
    """The columns of features that are scored together; the matrix itself if they are all its columns."""
    names = [density.variable.name for density in densities]
    if densities[0].distribution.values_are == CODES:
        return _coded_columns(densities, rows)
    if rows.matrix is not None and list(rows.names) == names:
        return number_matrix(rows)
    return [density.values(rows) for density in densities]


def _coded_columns(densities: Sequence[FeatureDensity], rows: FeatureTable) -> list[CodeArray]:
    """The columns as codes; one warning names the number of unseen values."""
    lost: list[tuple[Name, int]] = []
    columns: list[CodeArray] = []
    coded = _matrix_codes(densities, rows)
    for k, density in enumerate(densities):
        codes, never_seen = density.codes(rows) if coded is None else coded[k]
        columns.append(codes)
        if never_seen and density.unknown == "missing":
            lost.append((density.variable.name, never_seen))
    warn_of_never_seen(lost)
    return columns


def _matrix_codes(
    densities: Sequence[FeatureDensity], rows: FeatureTable
) -> list[tuple[CodeArray, int]] | None:
    """The codes of a matrix of whole numbers in one pass; None if this fast path does not apply."""
    matrix = rows.matrix
    if matrix is None or matrix.dtype.kind not in "iu" or len(densities) != matrix.shape[1]:
        return None
    if any(density.variable.cuts is not None or density.unknown != "missing" for density in densities):
        return None
    known = [density.variable.states for density in densities]
    if not all(states and all(type(state) is int for state in states) for states in known):
        return None
    values = [np.array(states) for states in known]
    if any(each.dtype.kind not in "iu" or np.any(each[1:] < each[:-1]) for each in values):
        return None  # beyond 64 bits, or not ascending: the kernel needs sorted numbers
    codes, _ = encode_integer_matrix(matrix, values)
    return [(column, count_missing(column)) for column in codes]
