"""The expected proposals of the causes of a noisy node, from which EM learns it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.errors import BadFile, BadStatistics
from bayou.schema import Variable
from bayou.statistics.answer_vectors import AnswerVectors
from bayou.statistics.batch import Batch
from bayou.statistics.counts import require_counts
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.typing import FloatArray, Name, Units


@dataclass(frozen=True)
class ProposalCounts(RequestFor["Proposals"]):
    """Request: how often did each cause of a noisy node (parents …, child) propose each state of the child?

    Proposals are never observed: only the E-step of EM answers this request.

    >>> ProposalCounts(("Flu", "Cold", "Fever"))
    ProposalCounts(variables=('Flu', 'Cold', 'Fever'))
    """

    variables: tuple[Name, ...]

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> Proposals:
        """Raise BadStatistics: rows do not show what a cause proposed."""
        raise BadStatistics("The proposals of a noisy node's causes are never observed, only expected by EM.")


@dataclass(frozen=True, eq=False)
class Proposals(Result):
    """The expected number of proposals of each state by each cause of a noisy node, and by the leak.

    ``links`` has one array (parent's states, child's states) per parent, ``leak`` is a single row. Proposals
    of batches of rows, or of nodes that share their parameters, add.

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
        """The number of proposals of the leak, which is that of each cause."""
        return float(self.leak.sum())

    def renamed(self, names: Mapping[Name, Name]) -> Proposals:
        """The same object: proposals have no names."""
        return self

    def __add__(self, other: Proposals) -> Proposals:
        links = tuple(ours + theirs for ours, theirs in zip(self.links, other.links, strict=True))
        return Proposals(links, self.leak + other.leak)

    def answer_vectors(self, units: Units) -> AnswerVectors:
        """The proposals of all causes, and those of the leak."""
        edges = np.cumsum([link.size for link in self.links]).astype(np.int64)

        def made(numbers: FloatArray) -> Proposals:
            *links, leak = np.split(numbers, edges)
            shapes = zip(links, self.links, strict=True)
            return Proposals(tuple(part.reshape(link.shape) for part, link in shapes), leak)

        return AnswerVectors(
            lambda answer: np.concatenate([*(link.ravel() for link in answer.links), answer.leak]),
            made,
            np.ones(edges[-1] + len(self.leak) if len(edges) else len(self.leak), dtype=bool),
            lambda numbers: np.sqrt(numbers + 1.0),
        )

    def state(self) -> dict[str, Any]:
        """Links and leak."""
        return {"kind": self.kind, "links": list(self.links), "leak": self.leak}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Proposals:
        """Read :meth:`state`; raise BadFile unless shapes fit and no count is negative."""
        links, leak = tuple(state["links"]), state["leak"]
        if leak.ndim != 1 or any(link.ndim != 2 or link.shape[1] != len(leak) for link in links):
            raise BadFile("the proposals of a noisy node do not have the shape of its states.")
        for cells in (*links, leak):
            require_counts(cells, "the proposals of a noisy node")
        return cls(links, leak)
