"""What a question is answered with: a table of probabilities, or a mixture of Gaussians."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.inference.bounds.bounds import Bounds
    from bayou.inference.loopy.convergence import Convergence
    from bayou.inference.mixtures import JointMixture, Mixture
    from bayou.inference.sampling.estimate import Estimate


@dataclass(frozen=True)
class Answer:
    """A normalised table over the targets (or a mixture, for continuous ones) and log P(evidence).

    ``log_evidence`` is -inf where the findings are impossible; the table is then None or meaningless.
    ``convergence`` is the verdict on an answer of loopy propagation.
    """

    targets: tuple[Name, ...]
    table: FloatArray | None
    mixture: Mixture | None
    log_evidence: float
    joint: JointMixture | None = None
    convergence: Convergence | None = None
    estimate: Estimate | Bounds | None = None
    """The error of the table, if it was estimated from random draws or bounded."""

    @property
    def is_possible(self) -> bool:
        """Whether the findings can occur."""
        return self.log_evidence != -np.inf


@dataclass(frozen=True)
class MarginalAnswers:
    """The posterior of each of several variables on its own, and log P(evidence).

    Variables with states have a table, Gaussian ones a mixture. Where the evidence is impossible
    (``log_evidence`` is -inf) there are neither.
    """

    log_evidence: float
    tables: Mapping[Name, FloatArray] = field(default_factory=dict)
    mixtures: Mapping[Name, Mixture] = field(default_factory=dict)
    convergence: Convergence | None = None
    estimates: Mapping[Name, Estimate | Bounds] = field(default_factory=dict)
    """The error of each table, if they were estimated from random draws or bounded."""


class SlicedTables(Mapping[Name, FloatArray]):
    """Tables that lie one after the other in one array; ``places`` says where, by name.

    >>> tables = SlicedTables(np.array([0.2, 0.8, 1.0]), {"rain": slice(0, 2), "wet": slice(2, 3)})
    >>> tables["rain"].tolist(), list(tables)
    ([0.2, 0.8], ['rain', 'wet'])
    """

    __slots__ = ("flat", "places")

    def __init__(self, flat: FloatArray, places: Mapping[Name, slice]) -> None:
        self.flat, self.places = flat, places

    @classmethod
    def packed(cls, tables: Mapping[Name, FloatArray]) -> SlicedTables:
        """Copy tables of one axis each into one array; SlicedTables are returned as they are."""
        if isinstance(tables, SlicedTables):
            return tables
        ends = np.cumsum([len(table) for table in tables.values()]).tolist()
        places = {name: slice(a, b) for name, a, b in zip(tables, [0, *ends], ends, strict=False)}
        return cls(np.concatenate([np.empty(0), *tables.values()]), places)

    def copy(self) -> SlicedTables:
        """The same tables in an array of their own."""
        return SlicedTables(self.flat.copy(), self.places)

    def __getitem__(self, name: Name) -> FloatArray:
        return self.flat[self.places[name]]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)
