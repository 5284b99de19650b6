"""What each arc of a learned graph is worth, and what nearly stood in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores, SourceScores
from bayou.learning.search.ancestry import Ancestry
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FINITE_WORST_SCORE, Parents, rounding
from bayou.typing import Name


@dataclass(frozen=True)
class ArcGain:
    """An arc: what the score loses without it, the best other graph in its place, and how far that is behind.

    ``instead`` is ``"nothing"``, ``"turned"``, or ``"other parent"``, which ``other`` names then.
    """

    parent: Name
    child: Name
    gain: float
    instead: str
    behind: float
    other: Name | None = None

    @property
    def runner_up(self) -> str:
        """The best other graph in words."""
        if self.instead == "other parent":
            return f"{self.other} -> {self.child}"
        return f"{self.parent} <- {self.child}" if self.instead == "turned" else "no arc"


def arc_gains(scores: LocalScores, constraints: Constraints, parents: Parents) -> tuple[ArcGain, ...]:
    """Every arc, those first that are worth most.

    The runner-up is the best single change that touches the arc: it is left out, turned, or the child gets
    another parent instead.
    """
    lines = Ancestry(parents)
    if isinstance(scores, SourceScores):
        # One pass over the data instead of several an arc.
        scores.families(_needed(constraints, lines))
    own = scores.families(list(enumerate(parents)))
    # What differs by rounding alone is equal, so that the report is the same wherever the scores come from.
    slack = rounding(float(np.maximum(own, FINITE_WORST_SCORE).sum()))
    found = [
        _gain(scores, constraints, lines, own.tolist(), parent, child, slack)
        for child, given in enumerate(parents)
        for parent in given
    ]
    return tuple(_ranked(found, slack))


def _ranked(arcs: list[ArcGain], slack: float) -> list[ArcGain]:
    """Those first that are worth most; of equal ones the first."""
    gains = np.array([arc.gain for arc in arcs])
    order = np.argsort(-gains, kind="stable")
    less = gains[order[:-1]] > gains[order[1:]] + slack
    ranks = np.concatenate([[0], np.cumsum(less)])[: len(arcs)]
    return [arcs[place] for place in order[np.lexsort((order, ranks))]]


def _needed(constraints: Constraints, lines: Ancestry) -> list[FamilyNumbers]:
    """Every family that the report looks at."""
    needed: list[FamilyNumbers] = list(enumerate(lines.parents))
    for child, given in enumerate(lines.parents):
        for parent in given:
            rest = tuple(other for other in given if other != parent)
            needed.append((child, rest))
            if constraints.allowed[child, parent] and not lines.indirect[child, parent]:
                needed.append((parent, tuple(sorted((*lines.parents[parent], child)))))
            others = _others(constraints, lines, child)
            needed += [(child, tuple(sorted((*rest, other)))) for other in others]
    return list(dict.fromkeys(needed))


def _others(constraints: Constraints, lines: Ancestry, child: int) -> list[int]:
    """Who may be a parent of the child and is not."""
    free = constraints.allowed[:, child] & ~lines.ancestors[:, child]
    free[list(lines.parents[child])] = False
    return [int(other) for other in np.flatnonzero(free)]


def _gain(
    scores: LocalScores,
    constraints: Constraints,
    lines: Ancestry,
    own: Sequence[float],
    parent: int,
    child: int,
    slack: float,
) -> ArcGain:
    names = [variable.name for variable in scores.variables]
    rest = tuple(other for other in lines.parents[child] if other != parent)
    without = float(scores.families([(child, rest)])[0])
    gain = own[child] - without
    options: list[tuple[float, str, Name | None]] = [(gain, "nothing", None)]
    turned = tuple(sorted((*lines.parents[parent], child)))
    if (
        constraints.allowed[child, parent]
        and not lines.indirect[child, parent]
        and len(turned) <= constraints.max_parents
    ):
        lost = own[parent] - float(scores.families([(parent, turned)])[0])
        options.append((gain + lost, "turned", None))
    others = _others(constraints, lines, child)
    if others:
        replaced = scores.additions(child, rest, others)
        best = int((replaced >= replaced.max() - slack).argmax())
        options.append((own[child] - float(replaced[best]), "other parent", names[others[best]]))
    if constraints.required[parent, child]:
        options = options[:1]
    nearest = min(behind for behind, _, _ in options)
    near = (option for option in options if option[0] <= nearest + slack)
    behind, instead, other = next(near, options[0])
    return ArcGain(names[parent], names[child], gain, instead, behind, other)
