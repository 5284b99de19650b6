"""What a method of structure learning is given, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bayou.fitting.structure_data import StructureData
from bayou.learning.scores.local_scores import LocalScores, SourceScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import Score
from bayou.learning.search.climbing_state import Move
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.search.structure_report import SearchStep, Steps
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.learning.time_budget import TimeBudget
from bayou.typing import Name


@dataclass(frozen=True)
class SearchTask:
    """The data and the options of a structure search."""

    data: StructureData
    score: Score
    constraints: Constraints
    budget: TimeBudget
    start: Parents | None = None
    seed: int = 0
    restarts: int | None = None
    order: Any = None
    target: Name | None = None
    root: Name | None = None
    test: str | None = None
    level: float | None = None
    correction: bool = True
    known_scores: LocalScores | None = None
    known_unit_scores: UnitScores | None = None
    steps: list[SearchStep] = field(default_factory=list)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The variables' names."""
        return self.data.names

    @cached_property
    def scores(self) -> LocalScores:
        """The scores of families, made on first use."""
        if self.known_scores is not None:
            return self.known_scores
        scores = local_scores(self.data.source, self.data.variables, self.score)
        if isinstance(scores, SourceScores) and self.data.source.is_streamed:
            # The families that every search begins with are scored in one pass over the data.
            alone = [(child, ()) for child in range(len(self.data.variables))]
            arcs = np.argwhere(self.constraints.allowed).tolist()
            scores.families([*alone, *((child, (parent,)) for parent, child in arcs)])
        return scores

    @cached_property
    def unit_scores(self) -> UnitScores:
        """The scores of single variables and of shared tables, made on first use."""
        return self.known_unit_scores or UnitScores(self.scores, [self.data.source], self.data.units)

    def watch(self, move: Move, score: float) -> None:
        """Record a step of the search."""
        names = self.names
        self.steps.append(SearchStep(move.kind, names[move.parent], names[move.child], move.gain, score))


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a method; ``found.score`` is NaN if the method does not use scores."""

    label: str
    found: FoundStructure
    steps: Steps = ()
    remarks: tuple[str, ...] = ()
