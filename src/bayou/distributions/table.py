"""The conditional probability table: counting, normalising, looking up, drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou._native import sample_categorical
from bayou.distributions.priors import Prior
from bayou.errors import BadFile, BadTable, TooWide, warn_user
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable
from bayou.typing import CodeArray, FloatArray, IntArray

LARGEST_TABLE = 2**31
"""The most cells one table may have (16 GiB of probabilities): more is a mistake in the model."""


@dataclass(frozen=True, eq=False)
class Table:
    """P(child | parents) as an array of shape (parents' cardinalities …, child's cardinality).

    The array holds no names: the network's slots say which variables use it (that is how tables are shared).

    >>> Table(np.array([[0.9, 0.1], [0.4, 0.6]])).free_parameters
    2
    """

    kind: ClassVar[str] = "table"
    values: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(self.values))

    @staticmethod
    def needs(child: Variable, parents: Sequence[Variable]) -> CountTable:
        """The statistic that this distribution is estimated from."""
        return CountTable((*(parent.name for parent in parents), child.name))

    @classmethod
    def estimate(cls, counts: Counts, prior: Prior) -> Table:
        """Add the prior's pseudocounts and normalise each row.

        A row without counts or pseudocounts can not be normalised: it becomes uniform, with a warning.
        """
        *parents, child = counts.axes
        check_table_size(child, parents)
        weighed = counts.values + prior.pseudocounts(child, parents)
        totals = weighed.sum(axis=-1, keepdims=True)
        if totals.size and totals.min() <= 0:
            empty = totals[..., 0] <= 0
            warn_user(
                f"{int(empty.sum())} of {empty.size} parent combinations of {child.name!r} never occur and "
                "the prior adds nothing: their rows are uniform. Use a prior such as Laplace(1) to smooth."
            )
            weighed = np.where(empty[..., None], 1.0, weighed)
            totals = np.where(empty[..., None], float(child.cardinality), totals)
        rows = np.asarray(weighed / totals)
        rows.setflags(write=False)
        return cls(rows)

    @property
    def free_parameters(self) -> int:
        """Entries that are not implied by the rows summing to 1."""
        return int(self.values.size - self.values.size // max(self.values.shape[-1], 1))

    @property
    def parameters(self) -> int:
        """All entries, as the lectures count them."""
        return int(self.values.size)

    def log_density(self, groups: IntArray, codes: CodeArray) -> FloatArray:
        """log P(child = codes | parent combination = groups), row by row."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.values).reshape(-1, self.values.shape[-1])
        return logs[groups, codes]

    def sample(self, groups: CodeArray | None, n: int, seed: int, stream: int, first_row: int) -> CodeArray:
        """Draw a code for each row; the same seed gives the same draws however the rows are split."""
        cumulative = np.cumsum(self.values.reshape(-1, self.values.shape[-1]), axis=1)
        return sample_categorical(seed, stream, first_row, groups, cumulative, n)

    def state(self) -> dict[str, Any]:
        """The array."""
        return {"kind": self.kind, "values": self.values}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Table:
        """Rows of probabilities that sum to 1."""
        table = cls(state["values"])
        require_distributions(table.values)
        return table


_ROW_TOLERANCE = 1e-9


def require_distributions(values: FloatArray) -> None:
    """Refuse rows of a file that are no probabilities or do not sum to 1."""
    if values.ndim == 0 or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise BadFile("a table has entries that are no probabilities.")
    if np.any(np.abs(values.sum(axis=-1) - 1) > _ROW_TOLERANCE):
        raise BadFile("a table has a row that does not sum to 1.")


def read_only(values: FloatArray) -> FloatArray:
    """The numbers in an array that nobody can write to: a copy, unless the array is such already.

    >>> read_only(np.ones(2)).flags.writeable
    False
    """
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable or not array.flags.owndata:
        array = array.copy()
        array.setflags(write=False)
    return array


def check_table_size(child: Variable, parents: Sequence[Variable]) -> None:
    """Refuse a table with absurdly many cells before anything is allocated."""
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
    """Divide each row by its sum if that is 1 up to ``tolerance``; a bad row is named in the error."""
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        row = _first_row(~np.isfinite(values) | (values < 0))
        raise BadTable(f"{describe_row(row)} has an entry that is not a probability: {values[row].tolist()}.")
    sums = values.sum(axis=-1)
    off = np.abs(sums - 1) > tolerance
    if np.any(off):
        row = tuple(int(k) for k in np.argwhere(off)[0])
        raise BadTable(
            f"{describe_row(row)} sums to {sums[row]:.10g}, not to 1 (off by {sums[row] - 1:+.3g}). "
            "Correct it, or divide the row by its sum if it holds counts."
        )
    result: FloatArray = values / sums[..., None]
    return result


def _first_row(bad: np.typing.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.argwhere(bad.any(axis=-1))[0])
