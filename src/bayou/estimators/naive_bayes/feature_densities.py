"""P(feature | class): a distribution, and how a column of a table becomes the values that it scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou.distributions import CODES, TEXTS, CodedTexts, Distribution, Family, FamilyRows, Prior
from bayou.errors import BadData, warn_user
from bayou.estimators.input.code_positions import positions
from bayou.estimators.input.table_input import FeatureTable
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.discretising import discretised
from bayou.typing import CodeArray, FloatArray, IntArray, Name


@dataclass(frozen=True, eq=False)
class FeatureDensity:
    """The distribution of one feature given the class, with the statistic and the prior that it came from.

    ``unknown`` says what a value counts that is not among the states: nothing, unless it is "smooth".
    """

    family: Family
    distribution: Distribution
    answer: Any
    prior: Prior
    unknown: str = "missing"

    @property
    def variable(self) -> Variable:
        """The feature, with its states where it has some."""
        return self.family.child

    def values(self, rows: FeatureTable) -> Any:
        """The column as the distribution reads it: codes of states, numbers or texts."""
        if self.distribution.values_are == CODES:
            return self.codes(rows)[0]
        if self.distribution.values_are == TEXTS:
            return _coded_texts(rows, self.variable.name)
        numbers = rows.numbers(self.variable.name)
        refuse_below(self.variable.name, numbers, self.distribution.smallest)
        return numbers

    def codes(self, rows: FeatureTable) -> tuple[CodeArray, int]:
        """The rows' states as codes (then 'missing', then 'never seen'), and how many were never seen."""
        name = self.variable.name
        if not rows.has(name) or not self.variable.cardinality:
            return np.full(rows.rows, self.variable.cardinality, dtype=np.uint32), 0
        columns = rows.columns
        if self.variable.cuts is not None:
            columns = discretised(Columns([name], [columns[name]], rows.rows), [self.variable])
        return positions(self.variable, columns.coded(name), self.unknown)

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """log P(x | class) for every row and class; 0 where x is missing."""
        values = self.values(rows)
        logs = self.distribution.log_density_by_group(values)
        self.add_unseen(values, logs)
        return logs

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """log P(x | own class) of rows that were learned from, as if each had not been."""
        own = FamilyRows(rows.rows, [classes], np.zeros((rows.rows, 0)), self.values(rows))
        return self.distribution.left_out(own, weights, self.answer, self.family, self.prior)

    def add_unseen(self, values: Any, logs: FloatArray) -> None:
        """Add what a value counts that was never seen, where it counts anything."""
        if self.unknown == "smooth" and self.distribution.values_are == CODES:
            logs[values == self.variable.cardinality + 1] += self.unseen

    @cached_property
    def unseen(self) -> FloatArray:
        """log P(a value never seen | class): as if there were one more state; 0 where it is left out."""
        logs = np.zeros(self.family.groups)
        for k in range(len(logs)) if self.unknown == "smooth" else ():
            counts = self.counts_behind(self.variable.cardinality, k)
            if counts is not None and counts[1] + counts[3] > 0:
                with np.errstate(divide="ignore"):
                    logs[k] = np.log(counts[2] / (counts[1] + counts[3]))
        return logs

    def counts_behind(self, code: int, group: int) -> tuple[float, float, float, float] | None:
        """Count, total and what the prior adds to each; those of one more state for a value never seen."""
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
    """One warning that counts the values that were never seen."""
    if lost:
        told = ", ".join(f"{count} in {name!r}" for name, count in lost)
        warn_user(
            f"Values that the classifier has never seen are left out: {told}. Choose with unknown={choices}."
        )


def refuse_below(name: Name, values: FloatArray, smallest: float, first: int = 0) -> None:
    """Refuse numbers that a distribution can not give: events that are counted come 0 times or more."""
    if smallest == -np.inf:
        return
    below = np.flatnonzero(values < smallest)
    if len(below):
        what = "negative" if smallest == 0 else f"below {smallest:g}"
        where = f"in row {first + below[0]} (counting from 0)"
        raise BadData(f"Column {name!r} is {what} {where}: it can not be a count.")
