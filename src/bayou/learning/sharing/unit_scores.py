"""Scores of units: of single variables as usual, of a block from the pooled rows of its users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bayou.learning.em.structural_em import MeanScores
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.search.search_result import FINITE_WORST_SCORE
from bayou.learning.sharing.stacked_rows import StackedRows
from bayou.learning.sharing.units import Units
from bayou.schema import Variable
from bayou.statistics import Source
from bayou.typing import FloatArray


class UnitScores:
    """The score of each unit with its parents, remembered.

    The score of a block is that of its one table: the counts of all users are added, the free parameters of
    the table are counted once, and every row has as many cases of the table as the block has users. Several
    ``sources`` are completions of the same rows: a score is then the mean of theirs, as those in ``alone``.

    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> films = open_source({"G": ["c", "d", "d"], "R1": [1, 2, 2], "R2": [1, 1, 2]})
    >>> variables = [films.variable(name) for name in films.names]
    >>> alone = local_scores(films, variables, BIC())
    >>> scores = UnitScores(alone, [films], Units.of(films.names, {"p_R": ("R1", "R2")}))
    >>> scores.families([(1, ()), (1, (0,))]).round(3).tolist()  # 3 of 6 ratings are 1; 1 of 4 dramas
    [-5.055, -4.041]
    """

    def __init__(self, alone: LocalScores, sources: Sequence[Source], units: Units) -> None:
        self.units, self.variables = units, alone.variables
        self._known: dict[FamilyNumbers, float] = {}
        self._scorers = [
            _of_block(alone, sources, units, unit) if len(members) > 1 else _UnitScorer(alone, members[0])
            for unit, members in enumerate(units.members)
        ]

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each (unit, its parents); those not known yet are computed together."""
        new: dict[LocalScores, list[FamilyNumbers]] = {}
        for family in dict.fromkeys(wanted):
            if family not in self._known:
                new.setdefault(self._scorers[family[0]].scores, []).append(family)
        for scores, families in new.items():
            asked = [self._scorers[unit].family(parents) for unit, parents in families]
            found = np.maximum(scores.families(asked), FINITE_WORST_SCORE)
            self._known.update(zip(families, found.tolist(), strict=True))
        return np.array([self._known[family] for family in wanted])


@dataclass(frozen=True)
class _UnitScorer:
    """Where one unit is scored: the place of its child there, and that of each variable (None: the same)."""

    scores: LocalScores
    child: int
    places: Mapping[int, int] | None = None

    def family(self, parents: tuple[int, ...]) -> FamilyNumbers:
        places = self.places
        return self.child, parents if places is None else tuple(places[parent] for parent in parents)


def _of_block(alone: LocalScores, sources: Sequence[Source], units: Units, unit: int) -> _UnitScorer:
    block, members = units.names[unit], units.members[unit]
    users = [alone.variables[member] for member in members]
    others = [place for place in range(len(alone.variables)) if place not in members]
    shared = Variable(block, users[0].states, ordered=users[0].ordered)
    variables = [*(alone.variables[place] for place in others), shared]
    parts = [local_scores(StackedRows(source, block, users), variables, alone.score) for source in sources]
    scores = parts[0] if len(parts) == 1 else MeanScores(parts)
    return _UnitScorer(scores, len(others), {place: k for k, place in enumerate(others)})
