"""How many rows of each class ended in each node of many trees: sparse counts that add and subtract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile, BadStatistics
from bayou.estimators.pooled.saved_arrays import narrow, reals, whole, wholes
from bayou.typing import FloatArray, IntArray

NOTHING = 1e-9
ROUNDED = 1e-7
"""The part of a count that may be missing or too much because the weights in it were rounded."""


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """Counts by place (node · classes + class), places ascending; other places have none.

    >>> one = NodeCounts(2, 2, np.array([0, 3]), np.array([2.0, 1.0]))
    >>> (one.plus(one)).counts.tolist(), one.plus(one, -1).places.tolist()
    ([4, 2], [])
    """

    nodes: int
    classes: int
    places: npt.NDArray[Any]
    """Whole numbers of any type, as the counts are of any: forests of many rows have millions of both."""
    counts: npt.NDArray[Any]

    @classmethod
    def of_lists(cls, lengths: Any, labels: Any, counts: Any, classes: int) -> NodeCounts:
        """The counts that trees list: for each node how many classes, then the classes and their counts."""
        kind = _place_type(len(lengths), classes)
        first: npt.NDArray[Any] = np.arange(len(lengths), dtype=kind)
        first *= classes
        places: npt.NDArray[Any] = np.repeat(first, lengths)
        places += np.asarray(labels).astype(kind, copy=False)
        return cls(len(lengths), classes, places, narrow(counts))

    def lists(self) -> tuple[IntArray, npt.NDArray[Any], npt.NDArray[Any]]:
        """(lengths, classes, counts) as trees list them."""
        lengths = np.bincount(self.places // self.classes, minlength=self.nodes).astype(np.int64)
        return lengths, self.places % self.classes, self.counts

    def plus(self, other: NodeCounts, sign: int = 1) -> NodeCounts:
        """The counts of both, or what is left; fewer than none is an error."""
        if not len(self.places) and sign > 0:
            return other
        both = np.concatenate([self.places, other.places])
        places, back = np.unique(both, return_inverse=True)
        mine, more = back[: len(self.places)], back[len(self.places) :]
        sums, added = (np.zeros(len(places)) for _ in range(2))
        sums[mine], added[more] = self.counts, other.counts
        sums = sums + added if sign > 0 else what_is_left(sums, added)
        kept = sums > NOTHING
        return NodeCounts(self.nodes, self.classes, places[kept], narrow(sums[kept]))

    def times(self, weight: float) -> NodeCounts:
        """The same rows with other weights."""
        return NodeCounts(self.nodes, self.classes, self.places, self.counts * float(weight))

    def moved(self, places: IntArray, classes: int) -> NodeCounts:
        """The counts among other classes; a class whose place is −1 is dropped."""
        label = places[self.places % self.classes]
        moved = (self.places // self.classes).astype(np.int64) * classes + label
        order = np.argsort(moved, kind="stable")
        order = order[label[order] >= 0]
        kind = _place_type(self.nodes, classes)
        return NodeCounts(self.nodes, classes, moved[order].astype(kind), self.counts[order])

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        lengths, labels, counts = self.lists()
        named = {"lengths": lengths, "classes": labels, "counts": counts}
        return {"n_classes": self.classes, **{name: narrow(array) for name, array in named.items()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> NodeCounts:
        """Read :meth:`state`: every listed class is one, with a count."""
        many = whole(state, "n_classes", 1, 2**16)
        counts = reals(state, "counts", (None,))
        lengths = wholes(state, "lengths", (None,), 0, many)
        labels = wholes(state, "classes", counts.shape, 0, many - 1)
        if int(lengths.sum()) != len(counts) or np.any(counts <= 0):
            raise BadFile("the counts of trees are impossible.")
        return cls.of_lists(lengths, labels, counts, many)


def _place_type(nodes: int, classes: int) -> type[np.uint32] | type[np.int64]:
    return np.uint32 if nodes * classes < 2**32 else np.int64


def what_is_left(counts: FloatArray, taken: FloatArray) -> FloatArray:
    """Counts less those of forgotten rows; what rounding may have left of none is none.

    A row of weight 1 that was learned as five rows of weight 0.2 is not their sum to the last bit.

    >>> what_is_left(np.array([5.0, 1.0 - 1e-8]), np.array([2.0, 1.0])).tolist()
    [3.0, 0.0]
    """
    left, rounded = counts - taken, ROUNDED * taken
    if (left < -1e-6 - rounded).any():
        raise BadStatistics("Cannot forget rows that were not learned: a count would be negative.")
    return np.where(left > NOTHING + rounded, left, 0.0)
