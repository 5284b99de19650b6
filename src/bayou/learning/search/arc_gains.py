"""The gain of each arc of a learned graph, and the best alternative to it."""

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
    """An arc, its gain in score compared with leaving it out, and the best alternative to it.

    ``instead`` is the alternative: ``"nothing"`` (no arc), ``"turned"``, or ``"other parent"`` (the variable
    ``other`` in place of ``parent``). ``behind`` is how much lower the score of the alternative is.
    """

    parent: Name
    child: Name
    gain: float
    instead: str
    behind: float
    other: Name | None = None

    @property
    def runner_up(self) -> str:
        """The alternative in words."""
        if self.instead == "other parent":
            return f"{self.other} -> {self.child}"
        return f"{self.parent} <- {self.child}" if self.instead == "turned" else "no arc"


def arc_gains(scores: LocalScores, constraints: Constraints, parents: Parents) -> tuple[ArcGain, ...]:
    """Every arc of the graph, sorted by gain, the largest first.

    The alternative is the best single change of the arc: leaving it out, turning it, or giving the child
    another parent instead. For a required arc it is leaving it out.
    """
    lines = Ancestry(parents)
    if isinstance(scores, SourceScores):
        # One pass over the data instead of several per arc.
        scores.families(_needed(constraints, lines))
    own = scores.families(list(enumerate(parents)))
    # Differences within rounding count as equal, so that the report does not depend on the scorer.
    slack = rounding(float(np.maximum(own, FINITE_WORST_SCORE).sum()))
    found = [
        _gain(scores, constraints, lines, own.tolist(), parent, child, slack)
        for child, given in enumerate(parents)
        for parent in given
    ]
    return tuple(ranked(found, slack))


def ranked(arcs: list[ArcGain], slack: float) -> list[ArcGain]:
    """Sort by gain, the largest first; gains that are equal up to rounding keep their order."""
    gains = np.array([arc.gain for arc in arcs])
    order = np.argsort(-gains, kind="stable")
    less = gains[order[:-1]] > gains[order[1:]] + slack
    ranks = np.concatenate([[0], np.cumsum(less)])[: len(arcs)]
    return [arcs[place] for place in order[np.lexsort((order, ranks))]]


def _needed(constraints: Constraints, lines: Ancestry) -> list[FamilyNumbers]:
    """Every family whose score the report uses."""
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
    """The variables that are not parents of the child, but could be without closing a cycle."""
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
        parent_loss = own[parent] - float(scores.families([(parent, turned)])[0])
        options.append((gain + parent_loss, "turned", None))
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
