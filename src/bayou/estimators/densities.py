"""P(feature | class) in its several shapes: each gives log-densities, a row a record, a column a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import gammaln

from bayou._native import Vocabulary, score_words, word_matrix
from bayou.distributions import Distribution, KernelDensity, LinearGaussian, Prior, Table
from bayou.errors import BadData, warn_user
from bayou.estimators.coding import positions
from bayou.estimators.table_input import FeatureTable
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.discretising import discretised
from bayou.statistics import Counts, GroupMoments, TokenCounts, TokenRules
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name

_LOG_TWO_PI = float(np.log(2 * np.pi))


class Density(Protocol):
    """P(one feature | class), estimated."""

    @property
    def kind(self) -> str:
        """The word for its shape."""

    @property
    def variable(self) -> Variable:
        """The feature, with its states where it has some."""

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """log P(x | class) for every row and class; 0 where x is missing."""

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """log P(x | own class) of rows that were learned from, as if each had not been."""

    def block(self) -> Distribution | None:
        """The same as a network's local distribution given the class, where a network can hold it."""


@dataclass(frozen=True, eq=False)
class TableDensity:
    """A table: how often each class shows each state, smoothed."""

    variable: Variable
    counts: FloatArray
    pseudocounts: FloatArray
    unknown: str = "missing"

    @classmethod
    def estimate(cls, counts: Counts, prior: Prior, unknown: str) -> TableDensity:
        """From class × state counts."""
        classes, variable = counts.axes
        added = np.broadcast_to(
            np.asarray(prior.pseudocounts(variable, [classes]), dtype=np.float64), counts.values.shape
        )
        return cls(variable, counts.values.astype(np.float64), added, unknown)

    @property
    def kind(self) -> str:
        """A table of states, or of ranges of a number."""
        return "table" if self.variable.cuts is None else "discretised"

    @property
    def table(self) -> FloatArray:
        """P(state | class), a row a class; a class without any record is uniform."""
        weighed = self.counts + self.pseudocounts
        totals = weighed.sum(axis=1, keepdims=True)
        uniform = np.full_like(weighed, 1 / max(1, self.variable.cardinality))
        result: FloatArray = np.divide(weighed, totals, out=uniform, where=totals > 0)
        return result

    @property
    def log_table(self) -> FloatArray:
        """log P(state | class) by state, then one row for 'missing' and one for 'never seen'."""
        with np.errstate(divide="ignore"):
            seen = np.log(self.table.T)
        strange = np.zeros(len(self.counts))
        if self.unknown == "smooth":
            extra = self.pseudocounts.mean(axis=1) if self.variable.cardinality else strange
            total = (self.counts + self.pseudocounts).sum(axis=1) + extra
            with np.errstate(divide="ignore", invalid="ignore"):
                strange = np.log(np.where(total > 0, extra / total, 1.0))
        return np.vstack([seen, np.zeros(len(self.counts)), strange])

    def codes(self, rows: FeatureTable) -> tuple[CodeArray, int]:
        """The rows' states as positions in ``log_table``, and how many were never seen."""
        name = self.variable.name
        if not rows.has(name) or not self.variable.cardinality:
            return np.full(rows.rows, self.variable.cardinality, dtype=np.uint32), 0
        columns = rows.columns
        if self.variable.cuts is not None:
            columns = discretised(Columns([name], [columns[name]], rows.rows), [self.variable])
        return positions(self.variable, columns.coded(name), self.unknown)

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """Look the states up."""
        codes, _ = self.codes(rows)
        result: FloatArray = self.log_table[codes]
        return result

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """Each row's own count taken off."""
        codes, _ = self.codes(rows)
        known = codes < self.variable.cardinality
        place = np.where(known, codes, 0).astype(np.int64)
        if not self.variable.cardinality:
            return np.zeros(rows.rows)
        own = self.counts[classes, place] + self.pseudocounts[classes, place] - weights
        total = (self.counts + self.pseudocounts).sum(axis=1)[classes] - weights
        share = np.where(
            total > 1e-12, own / np.where(total > 1e-12, total, 1), 1 / self.variable.cardinality
        )
        return np.where(known, np.log(np.maximum(share, 1e-12)), 0.0)

    def block(self) -> Distribution:
        """The table itself."""
        return Table(self.table)


@dataclass(frozen=True, eq=False)
class GaussianDensity:
    """A normal distribution for each class."""

    kind: ClassVar[str] = "gaussian"
    variable: Variable
    n: FloatArray
    mean: FloatArray
    variance: FloatArray

    @classmethod
    def estimate(cls, moments: GroupMoments, name: Name, ddof: int, floor: float) -> GaussianDensity:
        """From class moments: variance 1/n or 1/(n − 1), plus a tiny share of the widest column's spread."""
        n = moments.n
        scatter = moments.scatter[..., 0, 0]
        whole = moments.marginal([])
        if whole.n <= 0:
            return cls(Variable(name), n, np.zeros_like(n), np.ones_like(n))
        spread = float(whole.scatter[0, 0] / whole.n)
        lonely = n <= ddof  # without two records the spread of all classes together is the best guess
        variance = np.where(lonely, spread, scatter / np.where(lonely, 1, n - ddof)) + floor
        mean = np.where(n > 0, moments.mean[..., 0], whole.mean[0])
        return cls(Variable(name), n, mean, np.where(variance > 0, variance, np.finfo(float).tiny))

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """−½ log 2πσ² − ½ (x − µ)²/σ²."""
        values = rows.numbers(self.variable.name)[:, None]
        logs = -0.5 * (_LOG_TWO_PI + np.log(self.variance) + (values - self.mean) ** 2 / self.variance)
        return np.where(np.isnan(values), 0.0, logs)

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """Mean and variance without the row, in closed form."""
        values = rows.numbers(self.variable.name)
        n = self.n[classes]
        rest = np.maximum(n - weights, 1e-9)
        gap = values - self.mean[classes]
        mean = self.mean[classes] - weights * gap / rest
        variance = (n * self.variance[classes] - weights * gap**2 * n / rest) / rest
        variance = np.where((rest > 1) & (variance > 0), variance, self.variance[classes])
        logs = -0.5 * (_LOG_TWO_PI + np.log(variance) + (values - mean) ** 2 / variance)
        return np.where(np.isnan(values), 0.0, logs)

    def block(self) -> Distribution:
        """A Gaussian node whose parent is the class."""
        return LinearGaussian(self.mean, np.zeros((len(self.mean), 0)), self.variance)


@dataclass(frozen=True, eq=False)
class PoissonDensity:
    """Counts of events: a rate for each class."""

    kind: ClassVar[str] = "poisson"
    variable: Variable
    n: FloatArray
    rate: FloatArray
    strength: float = 0.0

    @classmethod
    def estimate(cls, moments: GroupMoments, name: Name, strength: float) -> PoissonDensity:
        """The mean, with ``strength`` virtual records that show the mean of all classes."""
        n = moments.n
        whole = moments.marginal([])
        overall = float(whole.mean[0]) if whole.n > 0 else 1.0
        mean = np.where(n > 0, moments.mean[..., 0], overall)
        if np.any(mean < 0):
            raise BadData(
                f"Column {name!r} has negative numbers: it can not hold counts of events (poisson)."
            )
        weight = n + strength
        smoothed = (n * mean + strength * overall) / np.where(weight > 0, weight, 1)
        rate = np.where(weight > 0, smoothed, overall)
        return cls(Variable(name), n, np.maximum(rate, 1e-300), strength)

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """x log λ − λ − log x!."""
        values = rows.numbers(self.variable.name)
        refuse_negative(self.variable.name, values)
        seen = np.where(np.isnan(values), 0.0, values)
        logs = seen[:, None] * np.log(self.rate) - self.rate - gammaln(seen + 1)[:, None]
        return np.where(np.isnan(values)[:, None], 0.0, logs)

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """The rate without the row; the virtual records (the mean of all classes) have not seen it either."""
        values = rows.numbers(self.variable.name)
        seen = np.where(np.isnan(values), 0.0, values)
        events = (self.n + self.strength) * self.rate
        overall = events.sum() / max(float((self.n + self.strength).sum()), 1e-300)
        rest = self.n.sum() - weights
        others = np.where(
            rest > 1e-9, (overall * self.n.sum() - weights * seen) / np.maximum(rest, 1e-9), overall
        )
        left = events[classes] - weights * seen + self.strength * (others - overall)
        weight = self.n[classes] + self.strength - weights
        rate = np.where(weight > 1e-9, left / np.maximum(weight, 1e-9), others)
        rate = np.maximum(rate, 1e-12)
        return np.where(np.isnan(values), 0.0, seen * np.log(rate) - rate - gammaln(seen + 1))

    def block(self) -> None:
        """Networks have no Poisson nodes."""


@dataclass(frozen=True, eq=False)
class KernelShape:
    """A sum of bumps on the values of each class, smoothed by ``strength`` virtual records.

    These are spread as widely as all classes together: without them a value far from all bumps would be
    overwhelming evidence for whichever class has the nearest one.
    """

    kind: ClassVar[str] = "kernel"
    variable: Variable
    density: KernelDensity
    strength: float
    centre: float
    width: float

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """The log of the sum; 0 where missing."""
        values, gaps = self._values(rows)
        logs = self._smoothed(self.density.log_density(values), self._records(), values[:, None])
        return np.where(gaps[:, None], 0.0, logs)

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """The row's own bump taken off."""
        values, gaps = self._values(rows)
        logs = self.density.log_density(values)[np.arange(len(values)), classes]
        total = self._records()[classes]
        rest = np.maximum(total - weights, 1e-9)
        own = np.log(weights / (self.density.bandwidths[classes] * np.sqrt(2 * np.pi) * total))
        with np.errstate(divide="ignore", invalid="ignore"):
            others = logs + np.log(-np.expm1(np.minimum(own - logs, 0.0))) + np.log(total / rest)
        held_out = self._smoothed(np.where(total > weights, others, logs), rest, values)
        return np.where(gaps, 0.0, np.maximum(held_out, -1e4))

    def _values(self, rows: FeatureTable) -> tuple[FloatArray, BoolArray]:
        """The numbers, some number where there is none, and where that is."""
        values = rows.numbers(self.variable.name)
        gaps = np.isnan(values)
        return np.where(gaps, self.centre, values), gaps

    def _records(self) -> FloatArray:
        return np.array([points.sum() for points in self.density.weights])

    def _smoothed(self, logs: FloatArray, records: FloatArray, values: FloatArray) -> FloatArray:
        if not self.strength:
            return logs
        spread = -0.5 * (_LOG_TWO_PI + ((values - self.centre) / self.width) ** 2) - np.log(self.width)
        seen = logs + np.log(records)
        with np.errstate(invalid="ignore"):  # rows without a value, which count nothing in the end
            result: FloatArray = np.logaddexp(seen, np.log(self.strength) + spread)
        return result - np.log(records + self.strength)

    def block(self) -> None:
        """Networks have no kernel densities."""


@dataclass(frozen=True, eq=False)
class WordsDensity:
    """A text as the words in it: P(word | class) multiplied over the words that were ever seen."""

    kind: ClassVar[str] = "words"
    variable: Variable
    counts: TokenCounts
    strength: float

    @cached_property
    def weights(self) -> FloatArray:
        """log P(word | class), a row a word: (n + λ)/(all words of the class + λ·vocabulary)."""
        weighed = self.counts.occurrences + self.strength
        totals = weighed.sum(axis=0)
        uniform = np.full(weighed.shape, 1 / max(1, len(weighed)))
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(np.divide(weighed, totals, out=uniform, where=totals > 0))
        return logs

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words as the kernel looks them up."""
        return Vocabulary(list(self.counts.words))

    def log_density(self, rows: FeatureTable) -> FloatArray:
        """Each distinct text is scored once."""
        name = self.variable.name
        if not rows.has(name):
            return np.zeros((rows.rows, self.weights.shape[1]))
        column = rows.columns.coded(name)
        texts, rules = TokenRules().for_kernels([str(label) for label in column.labels])
        scores = score_words(texts, self.vocabulary, self.weights, False, **rules)
        with_gap = np.vstack([scores, np.zeros((1, scores.shape[1]))])
        result: FloatArray = with_gap[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
        return result

    def left_out(self, rows: FeatureTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        """The text's own words taken off the counts of its class."""
        column = rows.columns.coded(self.variable.name)
        texts, rules = TokenRules().for_kernels([str(label) for label in column.labels])
        starts, words, times = word_matrix(texts, self.vocabulary, **rules)
        totals = (self.counts.occurrences + self.strength).sum(axis=0)
        result = np.zeros(rows.rows)
        for row, code in enumerate(column.codes.tolist()):
            if code >= len(column.labels):
                continue
            inside = slice(starts[code], starts[code + 1])
            own, k = times[inside], int(classes[row])
            seen = self.counts.occurrences[words[inside], k] + self.strength - weights[row] * own
            total = totals[k] - weights[row] * own.sum()
            result[row] = own @ np.log(np.maximum(seen, 1e-9) / max(total, 1e-9))
        return result

    def block(self) -> None:
        """A network would need a variable for each position."""


def warn_of_strangers(
    lost: Sequence[tuple[Name, int]], choices: str = "'error', 'missing' or 'smooth'"
) -> None:
    """One warning that counts the values that were never seen."""
    if lost:
        told = ", ".join(f"{count} in {name!r}" for name, count in lost)
        warn_user(
            f"Values that the classifier has never seen are left out: {told}. Choose with unknown={choices}."
        )


def refuse_negative(name: Name, values: FloatArray, first: int = 0) -> None:
    """Events that are counted come 0 times or more."""
    below = np.flatnonzero(values < 0)
    if len(below):
        where = f"in row {first + below[0]} (counting from 0)"
        raise BadData(f"Column {name!r} is negative {where}: it can not be a count.")
