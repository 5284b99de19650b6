"""What the causes of a noisy node are expected to have proposed: EM learns such a node from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.counts import require_counts
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class ProposalCounts(RequestFor["Proposals"]):
    """How often did each cause of a noisy node (parents …, child) propose each state of the child?

    Proposals are never seen: only the E-step of EM answers this request.

    >>> ProposalCounts(("Flu", "Cold", "Fever"))
    ProposalCounts(variables=('Flu', 'Cold', 'Fever'))
    """

    variables: tuple[Name, ...]

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> Proposals:
        """Refused: rows do not show what a cause proposed."""
        raise BadStatistics("What the causes of a noisy node proposed is never seen, only expected (by EM).")


@dataclass(frozen=True, eq=False)
class Proposals(Result):
    """How often each cause of a noisy node is expected to have proposed each state, and the leak.

    ``links`` has an array (parent's states, child's states) for each parent, ``leak`` one row. Proposals of
    batches of rows, or of nodes that share their parameters, add.

    >>> import numpy as np
    >>> one = Proposals((np.eye(2),), np.array([1.0, 1.0]))
    >>> (one + one).leak.tolist()
    [2.0, 2.0]
    """

    kind: ClassVar[str] = "proposals"
    links: tuple[FloatArray, ...]
    leak: FloatArray

    @property
    def total(self) -> float:
        """How many proposals each cause, and the leak, made."""
        return float(self.leak.sum())

    def renamed(self, names: Mapping[Name, Name]) -> Proposals:
        """The same: proposals carry no names."""
        return self

    def __add__(self, other: Proposals) -> Proposals:
        links = tuple(ours + theirs for ours, theirs in zip(self.links, other.links, strict=True))
        return Proposals(links, self.leak + other.leak)

    def state(self) -> dict[str, Any]:
        """Links and leak."""
        return {"kind": self.kind, "links": list(self.links), "leak": self.leak}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Proposals:
        """A count, none negative, for each state of the child: of the leak and of each parent's states."""
        links, leak = tuple(state["links"]), state["leak"]
        if leak.ndim != 1 or any(link.ndim != 2 or link.shape[1] != len(leak) for link in links):
            raise BadFile("the proposals of a noisy node do not have the shape of its states.")
        for cells in (*links, leak):
            require_counts(cells, "the proposals of a noisy node")
        return cls(links, leak)
