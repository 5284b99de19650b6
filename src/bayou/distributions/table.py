"""Conditional probability tables: estimated from counts, looked up, sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayou import statistics
from bayou._native import sample_categorical, table_class_scores
from bayou.distributions.base import Distribution
from bayou.distributions.distribution_kind import StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.finite import FiniteDistribution
from bayou.distributions.priors import Prior
from bayou.distributions.unbounded import Unbounded, logits, softmax, softmax_gradient
from bayou.errors import BadFile, BadTable, TooWide, warn_user
from bayou.schema import Variable
from bayou.typing import CodeArray, FloatArray, Units

if TYPE_CHECKING:
    from bayou.statistics import Counts, CountTable

LARGEST_TABLE = 2**31
"""The most cells of one table (16 GiB of probabilities)."""


@dataclass(frozen=True, eq=False)
class Table(FiniteDistribution):
    """P(child | parents) as an array of shape (parents' cardinalities …, child's cardinality).

    The array has no names: the network's slots tell which variables use it, so tables can be shared.

    >>> Table(np.array([[0.9, 0.1], [0.4, 0.6]])).free_parameters
    2
    """

    kind: ClassVar[str] = "table"
    uses_prior: ClassVar[bool] = True
    has_dirichlet_posterior: ClassVar[bool] = True
    scorer: ClassVar[str] = "tables"
    values: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(self.values))

    @classmethod
    def needs(cls, family: Family) -> CountTable:
        """The counts of the parents' and the child's states."""
        return statistics.CountTable(family.names)

    @classmethod
    def estimate(cls, answer: Counts, family: Family, prior: Prior) -> Table:
        """Return (counts + pseudocounts), each row divided by its sum.

        A row without counts and pseudocounts becomes uniform, with a warning.
        """
        child, parents = family.child, family.parents
        check_table_size(child, parents)
        weighed = answer.values + prior.pseudocounts(child, parents)
        totals = weighed.sum(axis=-1, keepdims=True)
        if totals.size and totals.min() <= 0:
            empty = totals[..., 0] <= 0
            warn_user(
                f"{int(empty.sum())} of {empty.size} parent combinations of {child.name!r} never occur and "
                "the prior adds nothing: their rows are uniform. Use a prior such as Laplace(1) to smooth."
            )
        return cls._normalised(weighed, totals)

    @classmethod
    def smoothed(cls, answer: Counts, family: Family, prior: Prior) -> Table:
        """The same as :meth:`estimate`, without the warning about empty rows."""
        weighed = answer.values + prior.pseudocounts(family.child, family.parents)
        return cls._normalised(weighed, weighed.sum(axis=-1, keepdims=True))

    @classmethod
    def _normalised(cls, weighed: FloatArray, totals: FloatArray) -> Table:
        """Each row divided by its total; a row whose total is 0 becomes uniform."""
        if totals.size and totals.min() <= 0:
            weighed = np.where(totals > 0, weighed, 1.0)
            totals = np.where(totals > 0, totals, float(weighed.shape[-1]))
        return cls(_frozen(np.divide(weighed, totals, out=weighed)))  # the sums were made for this table

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """The number of all entries, and of those not implied by the rows summing to 1."""
        entries = family.groups * family.child.cardinality
        return entries, entries - family.groups

    @classmethod
    def start(cls, known: StartingData) -> Table:
        """The estimate from complete rows, or the child's own frequencies times random factors.

        Each cell has one more record, because EM cannot change a probability of 0. With ``wild``, complete
        rows' estimates are multiplied by random factors too.
        """
        shape = tuple(axis.cardinality for axis in known.family.axes)
        if known.complete is not None:
            extra = _records(known.family, known.prior, known.before)
            weights = known.complete.values + extra + 1.0
            weights = weights / weights.sum(axis=-1, keepdims=True)
        else:
            weights = np.broadcast_to(_alone(known), shape)
        if known.complete is None or known.wild:
            weights = weights * known.chance.gamma(STIRRING, size=shape)
        return cls(weights / weights.sum(axis=-1, keepdims=True))

    @property
    def free_parameters(self) -> int:
        """The number of entries not implied by the rows summing to 1."""
        return int(self.values.size - self.values.size // max(self.values.shape[-1], 1))

    @property
    def parameters(self) -> int:
        """The number of all entries."""
        return int(self.values.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.values.shape

    @property
    def table(self) -> FloatArray:
        """The array itself."""
        return self.values

    def sample(self, rows: FamilyRows, stream: RandomStream) -> CodeArray:
        """Draw a code for each row; the same seed gives the same draws however the rows are split."""
        return draw_codes(self.values, rows, stream)

    def maximised(self, answer: Counts, family: Family, prior: Prior) -> Table:
        """The M-step: expected counts plus pseudocounts, normalised."""
        return Table.smoothed(answer, family, prior)

    def continued(self, known: StartingData) -> Table:
        """The table itself, or one from the earlier records with no zeros where this one has some.

        EM could not change a zero, which beside earlier records only means that a state has not occurred yet.
        """
        if known.before is None or np.all(self.values > 0):
            return self
        weights = _records(known.family, known.prior, known.before) + 1.0
        return Table(weights / weights.sum(axis=-1, keepdims=True))

    def prior_records(self, family: Family, prior: Prior, before: Counts | None) -> FloatArray:
        """Pseudocounts plus the counts of earlier records."""
        return _records(family, prior, before)

    def log_prior(self, records: FloatArray) -> float:
        """Σ (pseudocount + earlier count) · log θ."""
        return weighted_logs(records, self.values)

    def distance(self, other: Distribution, family: Family, units: Units) -> float:
        """The largest difference of two entries."""
        assert isinstance(other, Table)
        return float(np.max(np.abs(self.values - other.values), initial=0.0))

    def unbounded(self, answer: Counts, records: FloatArray, family: Family) -> Unbounded:
        """Each row is the softmax of free numbers; the gradient is counts − total · row."""
        shape = self.values.shape

        def gradient(free: FloatArray, answer: Counts) -> FloatArray:
            return softmax_gradient(answer.values + records, softmax(free.reshape(shape))).ravel()

        return Unbounded(
            logits(self.values).ravel(), lambda free: Table(softmax(free.reshape(shape))), gradient
        )

    # Without a row, and in print

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: Counts, family: Family, prior: Prior
    ) -> FloatArray:
        """log of (count + pseudocount − weight)/(total − weight), a probability of at least 1e-12."""
        states = self.shape[-1]
        if not states:
            return np.zeros(rows.rows)
        seen = rows.observed < states
        place = np.where(seen, rows.observed, 0).astype(np.int64)
        group = rows.group_indices(self.group_shape)
        records = _records(family, prior, answer).reshape(-1, states)
        own = records[group, place] - weights
        total = records.sum(axis=1)[group] - weights
        share = np.where(total > 1e-12, own / np.where(total > 1e-12, total, 1), 1 / states)
        return np.where(seen, np.log(np.maximum(share, 1e-12)), 0.0)

    def counts_behind(
        self, code: int, group: int, answer: Counts, family: Family, prior: Prior
    ) -> tuple[float, float, float, float]:
        """The count of a state, the total of its group, and the pseudocounts of both."""
        states = self.shape[-1]
        counts = answer.values.reshape(-1, states)[group]
        pseudo = np.broadcast_to(prior.pseudocounts(family.child, family.parents), self.shape)
        added = np.asarray(pseudo, dtype=np.float64).reshape(-1, states)[group]
        return float(counts[code]), float(counts.sum()), float(added[code]), float(added.sum())

    # In a file

    def state(self) -> dict[str, Any]:
        """The array."""
        return {"kind": self.kind, "values": self.values}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Table:
        """Read :meth:`state`; raise BadFile if a row does not hold probabilities that sum to 1."""
        table = cls(state["values"])
        require_distributions(table.values)
        return table


_ROW_TOLERANCE = 1e-9


class TableScorer:
    """Adds Σ log P(code | group) over several tables; missing and unseen codes add 0."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._logs: list[FloatArray] = []
        for table in tables:
            states, groups = table.shape[-1], prod(table.shape[:-1])
            # Two more rows: a classifier's codes for 'missing' and 'never seen'.
            log = np.zeros((states + 2, groups))
            with np.errstate(divide="ignore"):
                np.log(table.values.reshape(groups, states).T, out=log[:states])
            self._logs.append(log)

    def __call__(self, columns: Sequence[CodeArray], start: FloatArray, rows: int) -> FloatArray:
        """Return ``start`` + Σ log P(code | group), [row, group]."""
        return table_class_scores(list(columns), self._logs, start, rows)

    def of_one_row(self, codes: Sequence[int], start: FloatArray) -> FloatArray:
        """The same for a single row, for which calling the kernel would take longer."""
        total = start.copy()
        for log, code in zip(self._logs, codes, strict=True):
            total += log[code]
        return total[None, :]


STIRRING = 2.0
"""The shape of the gamma variates that multiply the tables of random starts; smaller is more random."""


def require_distributions(values: FloatArray) -> None:
    """Raise BadFile for rows with entries that are not probabilities, or that do not sum to 1."""
    if values.ndim == 0 or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise BadFile("a table has entries that are not probabilities.")
    if np.any(np.abs(values.sum(axis=-1) - 1) > _ROW_TOLERANCE):
        raise BadFile("a table has a row that does not sum to 1.")


def draw_codes(table: FloatArray, rows: FamilyRows, stream: RandomStream) -> CodeArray:
    """Draw a state for each row, given the states of its parents."""
    cumulative = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
    groups = rows.groups(table.shape[:-1])
    return sample_categorical(stream.seed, stream.stream, stream.first_row, groups, cumulative, rows.rows)


def weighted_logs(weights: FloatArray, chances: FloatArray) -> float:
    """Return Σ weight · log probability, where 0 · log 0 is 0.

    >>> weighted_logs(np.array([0.0, 2.0]), np.array([0.0, 1.0]))
    0.0
    """
    used = weights > 0
    with np.errstate(divide="ignore"):
        return float((weights[used] * np.log(chances[used])).sum())


def _records(family: Family, prior: Prior, before: Counts | None) -> FloatArray:
    """Pseudocounts plus the counts of earlier records."""
    shape = tuple(axis.cardinality for axis in family.axes)
    pseudo = np.broadcast_to(prior.pseudocounts(family.child, family.parents), shape)
    return pseudo.copy() if before is None else pseudo + np.asarray(before.values, dtype=np.float64)


def _alone(known: StartingData) -> FloatArray:
    """The smoothed frequency of each state over all rows that have one (uniform if there are none)."""
    child = known.family.child
    counted = known.alone(child)
    if counted is None:
        return np.full(child.cardinality, 1 / child.cardinality)
    weights = counted.aligned([child]).values + 1.0
    share: FloatArray = weights / weights.sum()
    return share


def _frozen(rows: FloatArray) -> FloatArray:
    rows = np.asarray(rows)
    rows.setflags(write=False)
    return rows


def read_only(values: FloatArray) -> FloatArray:
    """Return the numbers as a read-only array: a copy, unless the array is read-only and owns its data.

    >>> read_only(np.ones(2)).flags.writeable
    False
    """
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable or not array.flags.owndata:
        array = array.copy()
        array.setflags(write=False)
    return array


def check_table_size(child: Variable, parents: Sequence[Variable]) -> None:
    """Raise TooWide for a table with too many cells, before anything is allocated."""
    cells = child.cardinality
    for parent in parents:
        cells *= parent.cardinality
    if cells > LARGEST_TABLE:
        raise TooWide(
            f"The table of {child.name!r} given its {len(parents)} parents would have {cells:,} cells "
            f"(at most {LARGEST_TABLE:,} are allowed). Give it fewer parents or merge states."
        )


def normalised_rows(
    values: FloatArray, describe_row: Callable[[tuple[int, ...]], str], tolerance: float
) -> FloatArray:
    """Divide each row by its sum; raise BadTable, naming the row, if that is not 1 up to ``tolerance``."""
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        row = _first_row(~np.isfinite(values) | (values < 0))
        raise BadTable(f"{describe_row(row)} has an entry that is not a probability: {values[row].tolist()}.")
    sums = values.sum(axis=-1)
    off = np.abs(sums - 1) > tolerance
    if np.any(off):
        row = tuple(int(k) for k in np.argwhere(off)[0])
        raise BadTable(
            f"{describe_row(row)} sums to {sums[row]:.10g}, not to 1 (off by {sums[row] - 1:+.3g}). "
            "Correct it, or have it divided by its sum: net.set_cpt(name, table, normalise=True)."
        )
    result: FloatArray = values / sums[..., None]
    return result


def _first_row(bad: np.typing.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.argwhere(bad.any(axis=-1))[0])
