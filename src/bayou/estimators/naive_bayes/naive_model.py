"""A fitted naive Bayes: the class prior and one density per feature; their logarithms are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import encode_integer_matrix
from bayou.distributions import CODES, SCORERS, Table
from bayou.estimators.input.code_positions import position
from bayou.estimators.input.feature_table import FeatureTable, number_matrix
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity, warn_of_never_seen
from bayou.estimators.naive_bayes.sparse_presence import PresenceScores
from bayou.schema import Variable
from bayou.sources import count_missing
from bayou.sources.tables.columns import LARGEST_EXACT
from bayou.sources.tables.whole_numbers import is_exact
from bayou.typing import CodeArray, FloatArray, Name

TABLES = Table.scorer


@dataclass(frozen=True, eq=False)
class NaiveModel:
    """log P(class) + w · Σ log P(feature | class); w = 1 is the textbook's naive Bayes.

    Redundant features count the same evidence several times; a ``weight`` w below 1 corrects for that.
    """

    classes: Variable
    log_prior: FloatArray
    densities: Sequence[FeatureDensity]
    weight: float = 1.0
    presence: PresenceScores | None = None
    """The scores of all features at once, for sparse matrices."""
    column_weights: FloatArray | None = None
    """A weight for each feature, in place of the common one; None: all have that."""

    @property
    def weights(self) -> FloatArray:
        """The weight of each feature."""
        if self.column_weights is None:
            return np.full(len(self.densities), self.weight)
        return self.column_weights

    def with_log_prior(self, log_prior: FloatArray) -> NaiveModel:
        """The same densities with other class probabilities."""
        return replace(self, log_prior=log_prior)

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row) for every row and class."""
        if self.column_weights is not None:
            return self._weighed_scores(rows, self.column_weights)
        if self.weight == 1.0:
            return self._scores(rows, self.log_prior)
        return self.log_prior + self.weight * self.evidence(rows)

    def evidence(self, rows: FeatureTable) -> FloatArray:
        """Return Σ log P(feature | class) for every row and class."""
        return self._scores(rows, np.zeros(self.classes.cardinality))

    def _scores(self, rows: FeatureTable, start: FloatArray) -> FloatArray:
        """``start`` + Σ log P(feature | class): columns with a common scorer at once, others one by one."""
        total: FloatArray | None = None
        if self.presence is not None and rows.sparse is not None and rows.names == self.presence.names:
            total = self.presence.scores(rows.sparse, start)
            if total is not None:
                return total
        for group in self._groups:
            added = group.scores(rows, start if total is None else np.zeros_like(start))
            total = added if total is None else total + added
        if total is None:
            total = np.tile(start, (rows.rows, 1))
        for density in self._alone:
            total += density.log_density(rows)
        return total

    def _weighed_scores(self, rows: FeatureTable, weights: FloatArray) -> FloatArray:
        """log P(class) + Σ w · log P(feature | class), with a weight for each feature."""
        group = self._weighed_tables
        prior = self.log_prior
        total = np.tile(prior, (rows.rows, 1)) if group is None else group.scores(rows, prior)
        for density, weight in zip(self.densities, weights.tolist(), strict=True):
            if group is None or density.distribution.scorer != TABLES:
                total += weight * density.log_density(rows)
        return total

    @cached_property
    def _weighed_tables(self) -> FeatureGroup | None:
        """All tables, raised to their weights, as one group."""
        tables = [k for k, density in enumerate(self.densities) if density.distribution.scorer == TABLES]
        if not tables:
            return None
        return FeatureGroup(TABLES, [self.densities[k] for k in tables], self.weights[tables])

    @cached_property
    def _groups(self) -> list[FeatureGroup]:
        """The features that are scored together; those with states first."""
        together: dict[str, list[FeatureDensity]] = {}
        for density in sorted(self.densities, key=lambda d: d.distribution.values_are != CODES):
            together.setdefault(density.distribution.scorer, []).append(density)
        return [FeatureGroup(scorer, group) for scorer, group in together.items() if scorer]

    @cached_property
    def _alone(self) -> list[FeatureDensity]:
        """The features that are scored one by one."""
        return [density for density in self.densities if not density.distribution.scorer]

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles need; what was computed from it is computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class FeatureGroup:
    """Features that are scored at once; what does not depend on the rows is computed here, once."""

    def __init__(
        self, scorer: str, densities: Sequence[FeatureDensity], weights: FloatArray | None = None
    ) -> None:
        self.densities = densities
        self.weights = np.ones(len(densities)) if weights is None else weights
        distributions = [density.distribution for density in densities]
        if weights is not None:
            distributions = [_powered(one, w) for one, w in zip(distributions, weights, strict=True)]
        self.score = SCORERS.find(scorer)(distributions)
        self._score_one: Callable[[Sequence[int], FloatArray], FloatArray] | None = getattr(
            self.score, "of_one_row", None
        )
        self._has_states = densities[0].distribution.values_are == CODES
        self._names = tuple([density.variable.name for density in densities])
        self._numbers = _sorted_whole_numbers(densities) if self._has_states else {}

    def scores(self, rows: FeatureTable, start: FloatArray) -> FloatArray:
        """``start`` + Σ log P(feature | class) of the features of this group, [row, class]."""
        codes = self._codes_of_one(rows)
        if codes is not None and self._score_one is not None:
            return self._score_one(codes, start)
        columns = self.columns(rows)
        added = self.score(columns, start, rows.rows)
        for density, column, weight in zip(self.densities, columns, self.weights, strict=False):
            density.add_unseen(column, added, weight)
        return added

    def _codes_of_one(self, rows: FeatureTable) -> list[int] | None:
        """The codes of a single row of plain values; None if it needs the general code below."""
        cells = rows.only_row if self._has_states else None
        if cells is None:
            return None
        codes: list[int] = []
        for density in self.densities:
            variable = density.variable
            code = position(variable, cells.get(variable.name), density.unknown)
            if code is None or code > variable.cardinality:
                return None  # a value never seen needs a warning, or counts something
            codes.append(code)
        return codes

    def columns(self, rows: FeatureTable) -> Any:
        """The columns as the scorer reads them; the matrix itself if they are all its columns."""
        if self._has_states:
            return self._coded_columns(rows)
        if rows.matrix is not None and rows.names == self._names:
            return number_matrix(rows)
        return [density.values(rows) for density in self.densities]

    def _coded_columns(self, rows: FeatureTable) -> list[CodeArray]:
        """The columns as codes; one warning names the number of unseen values."""
        unseen: list[tuple[Name, int]] = []
        columns: list[CodeArray] = []
        coded = self._matrix_codes(rows)
        for k, density in enumerate(self.densities):
            codes, never_seen = coded[k] if k in coded else density.codes(rows)
            columns.append(codes)
            if never_seen and density.unknown == "missing":
                unseen.append((density.variable.name, never_seen))
        warn_of_never_seen(unseen)
        return columns

    def _matrix_codes(self, rows: FeatureTable) -> dict[int, tuple[CodeArray, int]]:
        """The codes of columns of a matrix of whole numbers, in one pass, by position in the group."""
        matrix = rows.matrix
        if not self._numbers or matrix is None or matrix.dtype.kind not in "iu" or rows.rows == 1:
            return {}
        if len(self._numbers) < matrix.shape[1]:
            matrix = matrix[
                :, [place for k in self._numbers if (place := rows.place(self._names[k])) is not None]
            ]
        codes, _ = encode_integer_matrix(matrix, list(self._numbers.values()))
        return {k: (column, count_missing(column)) for k, column in zip(self._numbers, codes, strict=True)}


def _powered(table: Any, weight: float) -> Table:
    """A table whose logs are those of another times a weight: its rows do not sum to 1."""
    values = table.values
    return Table(np.where(values > 0, np.maximum(values, 1e-300) ** weight, 0.0))


def _sorted_whole_numbers(densities: Sequence[FeatureDensity]) -> dict[int, npt.NDArray[Any]]:
    """The states of features whose states are ascending whole numbers that floats hold, by position."""
    found: dict[int, npt.NDArray[Any]] = {}
    for k, density in enumerate(densities):
        states = density.variable.states
        if density.variable.cuts is not None or density.unknown != "missing" or not states:
            continue
        if all(type(state) is int for state in states):
            numbers = np.array(states)
            exact = numbers.dtype.kind in "iu" and is_exact(numbers, LARGEST_EXACT)
            if exact and not np.any(numbers[1:] < numbers[:-1]):
                found[k] = numbers
    return found
