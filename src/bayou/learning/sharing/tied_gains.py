"""The gain of each arc of a graph with shared tables, and the best alternative to it."""

from __future__ import annotations

from bayou.learning.search.arc_gains import ArcGain, ranked
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import Parents, rounding
from bayou.learning.sharing.tied_graph import TiedGraph
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.typing import Name


def tied_gains(scores: UnitScores, constraints: Constraints, parents: Parents) -> tuple[ArcGain, ...]:
    """Every arc of the graph, sorted by gain, the largest first; ``parents`` are those of each variable.

    Arcs into a block come and go together: the gain of each is what the score loses without all of them, and
    the alternative is the best change of all of them: none, another parent, or the arc to this child turned.
    """
    units = scores.units
    graph = TiedGraph(scores, constraints, units.gathered(parents))
    slack = rounding(graph.score)
    found = [_gain(graph, parent, child, slack) for child, given in enumerate(parents) for parent in given]
    return tuple(ranked(found, slack))


def _gain(graph: TiedGraph, parent: int, child: int, slack: float) -> ArcGain:
    units, scores = graph.units, graph.scores
    names = [variable.name for variable in scores.variables]
    unit = units.owner[child]
    own = graph.parents[unit]
    rest = tuple(other for other in own if other != parent)
    here, without = scores.families([(unit, own), (unit, rest)]).tolist()
    options: list[tuple[float, str, Name | None]] = [(here - without, "nothing", None)]
    if not graph.required[parent, unit]:
        if graph.can_turn(parent, child):
            above = units.owner[parent]
            options.append((here - without - float(graph.additions[child, above]), "turned", None))
        others = [other for other in range(len(names)) if graph.can_add(other, unit, replacing=True)]
        if others:
            values = scores.families([(unit, tuple(sorted((*rest, other)))) for other in others])
            best = int((values >= values.max() - slack).argmax())
            options.append((here - float(values[best]), "other parent", names[others[best]]))
    nearest = min(behind for behind, _, _ in options)
    behind, instead, other = next(option for option in options if option[0] <= nearest + slack)
    return ArcGain(names[parent], names[child], here - without, instead, behind, other)
