"""P(feature | class): a distribution, and the conversion of a column to the values that it scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou._native import digitise
from bayou.distributions import CODES, TEXTS, CodedTexts, Distribution, Family, FamilyRows, Prior
from bayou.errors import BadData, warn_user
from bayou.estimators.input.code_positions import position, state_positions
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.pooled_variances import PooledVariances
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.discretising import discretised
from bayou.sources.tables.columns import NumberColumn
from bayou.typing import CodeArray, FloatArray, IntArray, Name


@dataclass(frozen=True, eq=False)
class FeatureDensity:
    """The distribution of one feature given the class, with the statistic and prior it was estimated from.

    A value that is not among the states is ignored unless ``unknown`` is "smooth".
    """

    family: Family
    distribution: Distribution
    answer: Any
    prior: Prior
    unknown: str = "missing"
    variances: PooledVariances | None = None
    """How the variances of a Gaussian were drawn to the pooled one, where they were."""

    @property
    def variable(self) -> Variable:
        """The feature, with its states if it has any."""
        return self.family.child

    def values(self, rows: FeatureTable) -> Any:
        """The column as the distribution reads it: codes of states, numbers or texts."""
        if self.distribution.values_are == CODES:
            return self.codes(rows)[0]
        if self.distribution.values_are == TEXTS:
            return _coded_texts(rows, self.variable.name)
        return self._numbers(rows)

    def _numbers(self, rows: FeatureTable) -> FloatArray:
        """The numbers of the rows; texts that are no numbers are refused, or ignored with a warning."""
        name, unseen = self.variable.name, 0
        if self.unknown == "error":
            numbers = rows.numbers(name)
        else:
            numbers, unseen = rows.seen_numbers(name)
        warn_of_never_seen([(name, unseen)] if unseen else [])
        if self.unknown == "error":
            refuse_below(name, numbers, self.distribution.smallest)
        return numbers

    def codes(self, rows: FeatureTable) -> tuple[CodeArray, int]:
        """The states of the rows as codes, and the number of unseen values.

        The code ``cardinality`` means 'missing', ``cardinality + 1`` 'never seen in training'.
        """
        name = self.variable.name
        in_matrix = rows.matrix is not None and rows.place(name) is not None
        if not (in_matrix or rows.has(name)) or not self.variable.cardinality:
            return np.full(rows.rows, self.variable.cardinality, dtype=np.uint32), 0
        if (cells := rows.only_row) is not None:
            code = position(self.variable, cells[name], self.unknown)
            if code is not None:
                return np.array([code], dtype=np.uint32), int(code > self.variable.cardinality)
        if self.variable.cuts is not None and (ranges := self._ranges(rows)) is not None:
            return ranges, 0
        columns = rows.columns
        if self.variable.cuts is not None:
            columns = discretised(Columns([name], [columns[name]], rows.rows), [self.variable])
        return state_positions(self.variable, columns.coded(name), self.unknown)

    def _ranges(self, rows: FeatureTable) -> CodeArray | None:
        """The ranges of a column of numbers; None for other columns, and where the ranges have an end."""
        cuts = self.variable.cuts
        if cuts is None or cuts.low != -np.inf or cuts.high != np.inf:
            return None
        numbers = rows.column_of_matrix(self.variable.name)
        if numbers is None:
            column = rows.columns[self.variable.name]
            if not isinstance(column, NumberColumn):
                return None
            numbers = np.ascontiguousarray(column.values, dtype=np.float64)
        ranges: CodeArray = digitise(numbers, np.array(cuts.points, dtype=np.float64))
        return np.minimum(ranges, self.variable.cardinality)  # the largest code means missing

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """Return log P(x | class) for every row and class; 0 where x is missing."""
        values = self.values(rows)
        logs = self.distribution.log_density_by_group(values)
        self.add_unseen(values, logs)
        if self.distribution.smallest > -np.inf:  # no class can have produced a number below it
            logs[values < self.distribution.smallest] = -np.inf
        return logs

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """Return log P(x | own class) of training rows, each estimated without the row itself."""
        if self.variances is not None:
            return self.variances.left_out(self.values(rows), classes, weights)
        own = FamilyRows(rows.rows, [classes], np.zeros((rows.rows, 0)), self.values(rows))
        return self.distribution.left_out(own, weights, self.answer, self.family, self.prior)

    def add_unseen(self, values: Any, logs: FloatArray, weight: float = 1.0) -> None:
        """Add log P of unseen values, times a weight, to ``logs`` in place, if ``unknown`` is "smooth"."""
        if self.unknown == "smooth" and self.distribution.values_are == CODES:
            logs[values == self.variable.cardinality + 1] += weight * self.unseen

    @cached_property
    def unseen(self) -> FloatArray:
        """log P(unseen value | class), smoothed as one more state; 0 if unseen values are ignored."""
        logs = np.zeros(self.family.groups)
        for k in range(len(logs)) if self.unknown == "smooth" else ():
            counts = self.counts_behind(self.variable.cardinality, k)
            if counts is not None and counts[1] + counts[3] > 0:
                with np.errstate(divide="ignore"):
                    logs[k] = np.log(counts[2] / (counts[1] + counts[3]))
        return logs

    def counts_behind(self, code: int, group: int) -> tuple[float, float, float, float] | None:
        """Return the count, the total, and the pseudocount of each; for an unseen value, of one more state.

        None if the distribution is not made of counts.
        """
        states = self.variable.cardinality
        if not states:
            return 0.0, 0.0, 0.0, 0.0
        known = self.answer, self.family, self.prior
        if code < states:
            return self.distribution.counts_behind(code, group, *known)
        first = self.distribution.counts_behind(0, group, *known)
        if first is None:
            return None
        extra = first[3] / states
        return 0.0, first[1], extra, first[3] + extra


def _coded_texts(rows: FeatureTable, name: Name) -> CodedTexts:
    if not rows.has(name):
        return CodedTexts(np.zeros(rows.rows, dtype=np.uint8), ())
    column = rows.columns.coded(name)
    return CodedTexts(column.codes, tuple(map(str, column.labels)))


def warn_of_never_seen(
    lost: Sequence[tuple[Name, int]], choices: str = "'error', 'missing' or 'smooth'"
) -> None:
    """Warn once of unseen values, with their number per column."""
    if lost:
        told = ", ".join(f"{count} in {name!r}" for name, count in lost)
        warn_user(
            f"Values that were not in the training rows are ignored: {told}. Choose with unknown={choices}."
        )


def refuse_below(name: Name, values: FloatArray, smallest: float, first: int = 0) -> None:
    """Refuse numbers below the smallest that a distribution can produce, such as negative counts."""
    if smallest == -np.inf:
        return
    below = np.flatnonzero(values < smallest)
    if len(below):
        what = "negative" if smallest == 0 else f"below {smallest:g}"
        where = f"in row {first + below[0]} (counting from 0)"
        raise BadData(f"Column {name!r} is {what} {where}: it cannot be a count.")
