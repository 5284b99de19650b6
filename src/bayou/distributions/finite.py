"""The base class of distributions of a discrete child: whatever the parameters, there is a full table."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bayou import statistics
from bayou.distributions.base import CODES, FINITE, Distribution
from bayou.distributions.family import Family, FamilyRows
from bayou.errors import BadGraph, BadTable
from bayou.typing import ColumnArray, FloatArray


class FiniteDistribution(Distribution):
    """P(child | parents) of a discrete child: it has a full table, though that may never be computed."""

    form: ClassVar[str] = FINITE
    values_are: ClassVar[str] = CODES
    is_tabled: ClassVar[bool] = True
    """Whether rows are looked up in the full table, which is then the only factor."""

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Raise an error for a continuous child or continuous parents."""
        if family.child.is_continuous:
            raise BadTable(f"{family.child.name!r} is continuous: a {cls.kind} needs states (states=…).")
        refuse_continuous_parents(family)

    @property
    def finite(self) -> FiniteDistribution:
        """The distribution itself."""
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the full table: the parents' cardinalities, then the child's."""

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The parents' cardinalities."""
        return self.shape[:-1]

    @property
    @abstractmethod
    def table(self) -> FloatArray:
        """The full table with axes (parents …, child); raises TooWide where it would be too large."""

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless the table has one axis per parent and one for the child."""
        expected = (*family.shape, family.child.cardinality)
        if self.shape != expected or family.child.is_continuous:
            raise BadTable(
                f"The parameters of {family.child.name!r} have shape {self.shape}, expected {expected}."
            )

    @property
    def is_factored(self) -> bool:
        """Whether :meth:`factors` gives several small factors in place of one table."""
        return False

    def factors(self, order: Sequence[int]) -> list[tuple[list[int], FloatArray]]:
        """Small tables whose product, summed over auxiliary variables, is the full table.

        Each comes with the variables of its axes: 0 … n−1 are the parents, n is the child, n+1 … are
        auxiliary variables. A table is a distribution over its last axis. ``order`` is the order in which
        the parents enter.
        """
        return [(list(range(len(self.shape))), self.table)]

    @property
    def auxiliary_sizes(self) -> list[int]:
        """The number of states of each auxiliary variable of :meth:`factors`."""
        return []

    def distribute_counts(self, counts: Sequence[FloatArray], order: Sequence[int], family: Family) -> Any:
        """The answer to :meth:`expects`, from expected counts of the factors of ``factors(order)``."""
        return self.distribute_table(counts[0].reshape(self.shape), family)

    def distribute_table(self, counts: FloatArray, family: Family) -> Any:
        """The answer to :meth:`expects`, from expected counts of the full table, axes (parents …, child)."""
        return statistics.Counts(family.variables, counts)

    def split_finding(self, code: int) -> tuple[list[FloatArray], float] | None:
        """P(code | parents) as a product of one factor per parent and a constant; None if it is not one."""
        return None

    def probability(self, rows: FamilyRows) -> FloatArray:
        """P(child | parents) of each row."""
        picked: FloatArray = self.table[(*_indices(rows.codes), _index(rows.observed))]
        return picked

    def log_density(self, rows: FamilyRows) -> FloatArray:
        """log P(child | parents) of each row."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.probability(rows))
        return logs

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        """log P(code | group); 0 for codes beyond the child's states, which mean missing."""
        states = self.shape[-1]
        with np.errstate(divide="ignore"):
            logs = np.log(self.table.reshape(math.prod(self.group_shape), states).T)
        logs = np.vstack([logs, np.zeros((1, logs.shape[1]))])
        found: FloatArray = logs[np.minimum(_index(values), states)]
        return found


def refuse_continuous_parents(family: Family) -> None:
    """Raise BadGraph if a discrete child has a continuous parent."""
    for parent in family.continuous:
        raise BadGraph(
            f"{family.child.name!r} is discrete and has the continuous parent {parent.name!r}: such a "
            f"network has no exact answers. Reverse the arc, or make {parent.name!r} discrete (cut it "
            "into ranges)."
        )


def _indices(codes: Sequence[Any]) -> list[Any]:
    return [_index(column) for column in codes]


def _index(codes: Any) -> Any:
    return np.asarray(codes, dtype=np.int64)
