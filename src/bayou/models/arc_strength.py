"""Arc strengths from data: structures learned from resampled tables, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bayou.errors import BadQuestion
from bayou.graphs import Dag, PartlyDirected, cpdag, meek_closure
from bayou.learning.bootstrap import tally_arcs
from bayou.models.arc_strengths import ArcStrengths
from bayou.models.network import Network
from bayou.schema import Variable
from bayou.sources import TableSource, read_columns
from bayou.sources.taking import taken_rows, with_states
from bayou.typing import IntArray, Name


def arc_strength(
    data: Any,
    *,
    learn: Callable[[Any], Any],
    samples: int = 100,
    seed: int = 0,
    columns: Sequence[Name] | None = None,
) -> ArcStrengths:
    """How sure each arc is: structures of ``samples`` tables, their rows drawn with replacement.

    ``learn`` makes a network (or a graph) of a table. The strength of a pair is how often it is joined; its
    direction counts as far as data can tell it (edges of the equivalence class count half each way).
    Ctrl-C keeps what is done. The same seed gives the same strengths.

    >>> import bayou
    >>> data = {"Rain": ["no", "yes"] * 20, "Wet": ["no", "yes"] * 20}
    >>> strengths = arc_strength(data, learn=lambda table: bayou.Network("Rain -> Wet"), samples=4)
    >>> strengths["Wet", "Rain"]
    ArcStrength(start='Wet', end='Rain', strength=1.0, direction=0.5)
    """
    table = read_columns(data, columns=columns)
    source = TableSource(table)
    variables = [source.variable(name) for name in table.names]
    fixed = with_states(table, variables)

    def found(rows: IntArray) -> PartlyDirected | None:
        return _class_of(learn(taken_rows(fixed, rows)), variables)

    tally = tally_arcs(found, table.names, table.rows, samples, seed)
    return ArcStrengths(tally, {variable.name: variable for variable in variables})


def _class_of(learned: Any, variables: Sequence[Variable]) -> PartlyDirected:
    """The equivalence class of what was learned, over the columns in their order.

    An arc from a discrete to a continuous variable can not be turned here, whatever data say.
    """
    graph = learned.dag if isinstance(learned, Network) else learned
    if not isinstance(graph, Dag | PartlyDirected):
        raise BadQuestion(f"learn must return a network or a graph, not {type(learned).__name__}.")
    names = [variable.name for variable in variables]
    if isinstance(graph, PartlyDirected):
        return PartlyDirected(names, graph.arcs, graph.edges)
    real = {variable.name for variable in variables if variable.is_continuous}
    found = cpdag(Dag.from_arcs(graph.arcs, names))
    told = [(a, b) for a, b in graph.arcs if (a in real) != (b in real)]
    edges = [edge for edge in found.edges if edge not in told and edge[::-1] not in told]
    arcs = dict.fromkeys((*found.arcs, *told))
    return meek_closure(PartlyDirected(names, arcs, edges)) if told else found
