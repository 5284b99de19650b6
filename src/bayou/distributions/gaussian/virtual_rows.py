"""Stated knowledge about a Gaussian as rows that were never seen: number, means and scatter by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions.priors import Prior
from bayou.errors import BadPrior
from bayou.schema import Variable
from bayou.statistics import GroupMoments
from bayou.typing import FloatArray


@dataclass(frozen=True, eq=False)
class VirtualRows(Prior):
    """The moments of virtual rows, which are added to those of the data before a Gaussian is estimated.

    >>> two = GroupMoments(("x",), (), np.array(2.0), np.array([1.0]), np.array([[2.0]]))   # 0 and 2
    >>> with_virtual_rows(two, VirtualRows(two)).n.item()
    4.0
    """

    kind: ClassVar[str] = "virtual-rows"
    for_gaussians: ClassVar[bool] = True
    moments: GroupMoments

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VirtualRows):
            return False
        ours, theirs = self.moments, other.moments
        return (ours.variables, ours.groups) == (theirs.variables, theirs.groups) and all(
            np.array_equal(getattr(ours, part), getattr(theirs, part)) for part in ("n", "mean", "scatter")
        )

    def __hash__(self) -> int:
        return hash((VirtualRows, self.moments.variables, self.moments.n.tobytes()))

    def pseudocounts(self, child: Variable, parents: Sequence[Variable]) -> FloatArray:
        """Raise: these are rows of numbers, and a table needs counts."""
        raise BadPrior(
            f"{child.name!r} has a table: give pseudocounts, such as Dirichlet, not rows of numbers."
        )

    def state(self) -> dict[str, Any]:
        """The moments."""
        return {"kind": self.kind, "moments": self.moments.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> VirtualRows:
        """The prior that :meth:`state` described."""
        return cls(GroupMoments.from_state(state["moments"]))


def with_virtual_rows(answer: GroupMoments, prior: Prior | None) -> GroupMoments:
    """The moments of the rows and of the prior's virtual ones; other priors do not change a Gaussian."""
    return answer + prior.moments if isinstance(prior, VirtualRows) else answer
