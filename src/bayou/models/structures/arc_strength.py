"""Bootstrap strengths of arcs: how often structures learned from resampled tables contain each arc.

Friedman, Goldszmidt and Wyner (1999), Data analysis with Bayesian networks: a bootstrap approach.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.arguments import seed_or_random, weights_named
from bayou.errors import BadData, BadQuestion, BayouWarning
from bayou.fitting.structure_data import open_structure_data
from bayou.fitting.structure_methods import ordered_places
from bayou.graphs import Dag, PartlyDirected, cpdag, meek_closure
from bayou.learning.search.arc_bootstrap import tally_arcs
from bayou.learning.search.constraints import Constraints, constraints_from
from bayou.learning.time_budget import TimeBudget, seconds_given
from bayou.models.network import Network
from bayou.models.structures.arc_strength_result import ArcStrengths
from bayou.models.structures.structure_learning import learn_structure
from bayou.schema import Variable
from bayou.sources import Columns, NumberColumn
from bayou.sources.batches import columns_of
from bayou.sources.tables.row_selection import taken_rows
from bayou.sources.weights import whole_weights
from bayou.statistics import LARGEST_HELD, rows_in_memory
from bayou.typing import FloatArray, IntArray, Name

_CONSTRAINTS = ("require", "forbid", "tiers", "max_parents", "fixed")
"""The options of ``learn_structure`` that restrict the arcs."""


@weights_named("weights")
def arc_strength(
    data: Any,
    *,
    samples: int = 100,
    seed: int | None = 0,
    learn: Callable[[Any], Any] | None = None,
    states: Any = None,
    continuous: Iterable[Name] = (),
    weights: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Iterable[Name] = (),
    time: float | None = None,
    **options: Any,
) -> ArcStrengths:
    """Bootstrap strength of each arc, from structures learned on ``samples`` resampled tables.

    The rows of a sample are drawn with replacement. The strength of a pair is the share of samples that join
    it. An arc whose direction neither the data nor the constraints determine (an undirected edge of the
    equivalence class) counts half in each direction. ``options`` are those of :func:`learn_structure`
    (``method``, ``score``, ``forbid``, …); ``learn`` is a function from a table to a network or a graph, used
    instead. ``time`` limits all samples together, in seconds; after it, or after Ctrl-C, the finished samples
    are kept. The same seed gives the same strengths. Rows of weight 0 are never drawn. A sample in which a
    column of numbers is constant has no density there and is drawn again.

    Raises ``BadData`` for a table that cannot be read, ``BadQuestion`` for an option that does not exist.

    >>> data = {"Rain": ["no", "yes"] * 20, "Wet": ["no", "yes"] * 20, "Day": [1, 1, 2, 2] * 10}
    >>> arc_strength(data, samples=5)["Wet", "Rain"]
    ArcStrength(start='Wet', end='Rain', strength=1.0, direction=0.5)
    """
    _check_options(options)
    # Every sample reads the options again, so iterators become lists.
    options = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    chance, budget = seed_or_random(seed), TimeBudget(seconds_given(time))
    opened = _in_memory(
        data, states=states, continuous=continuous, weights=weights, columns=columns, ignore=ignore
    )
    if learn is not None and options:
        raise BadQuestion(
            f"{next(iter(options))}= is for learn_structure and cannot be combined with learn=."
        )
    constraints = _constraints(opened, options)
    learner = _SampleLearner(learn, options, chance, budget)
    table, weighted = opened.columns, opened.weights

    def found(rows: IntArray) -> PartlyDirected | None:
        graph = learner.graph(taken_rows(table, rows), None if weighted is None else weighted[rows])
        return None if graph is None else _settled(graph, opened.names, constraints)

    tally = tally_arcs(found, opened.names, table.rows, samples, chance, _vary(table))
    return ArcStrengths(tally, {variable.name: variable for variable in opened.variables})


def _check_options(options: Mapping[str, Any]) -> None:
    known = [name for name in signature(learn_structure).parameters if name != "data"]
    for name in options:
        if name not in known:
            raise BadQuestion.option(name, "arc_strength", ["samples", "learn", *known])


@dataclass(frozen=True)
class _RowsInMemory:
    """Rows in memory with declared states and their weights; rows of weight 0 are removed."""

    columns: Columns
    variables: tuple[Variable, ...]
    weights: npt.NDArray[Any] | None

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(variable.name for variable in self.variables)


def _vary(table: Columns) -> Callable[[IntArray], bool]:
    """Return a function that checks that every column of numbers varies in the given rows."""
    columns = [table[name] for name in table.names]
    numbers = [column.values for column in columns if isinstance(column, NumberColumn)]

    def varies(values: FloatArray) -> bool:
        seen = values[~np.isnan(values)]
        return len(seen) > 0 and bool(np.std(seen) > 8 * np.finfo(np.float64).eps * np.abs(seen.mean()))

    return lambda rows: all(varies(values[rows]) for values in numbers)


def _in_memory(data: Any, **given: Any) -> _RowsInMemory:
    """Read the data once and keep them in memory, because every sample draws from them."""
    opened = open_structure_data(data, **given)
    most = LARGEST_HELD if opened.source.is_streamed else sys.maxsize
    rows = rows_in_memory(opened.source, opened.variables, most)
    if rows is None:
        raise BadData(
            f"Rows are drawn from memory, and these take more than {LARGEST_HELD / 1e9:.1f} GB. Use fewer "
            "rows, or omit columns (ignore=…)."
        )
    columns = columns_of(rows, opened.variables)
    if rows.weights is None:
        return _RowsInMemory(columns, opened.variables, None)
    counted = np.flatnonzero(rows.weights)
    return _RowsInMemory(taken_rows(columns, counted), opened.variables, whole_weights(rows.weights[counted]))


def _constraints(opened: _RowsInMemory, options: Mapping[str, Any]) -> Constraints:
    """Return the constraints in the options; the order of K2 forbids every arc against it."""
    limits = {what: options[what] for what in _CONSTRAINTS if what in options}
    constraints = constraints_from(opened.variables, **limits)
    if options.get("method") != "k2" or options.get("order") is None:
        return constraints
    names = opened.names
    order = ordered_places(options["order"], names)
    along = np.argsort(order)[:, None] < np.argsort(order)[None, :]
    allowed, required = constraints.allowed & along, constraints.required & along
    return Constraints(allowed, required, constraints.max_parents)


@dataclass
class _SampleLearner:
    """Learns a graph from each sample, until the time is up."""

    learn: Callable[[Any], Any] | None
    options: Mapping[str, Any]
    seed: int
    budget: TimeBudget
    warned: bool = False

    def graph(self, table: Columns, weights: npt.NDArray[Any] | None) -> Dag | PartlyDirected | None:
        """Return the graph learned from a sample, or None if the time ended; Ctrl-C is raised again."""
        if self.budget.over:
            return None
        with warnings.catch_warnings():
            if self.warned:  # each sample would give the same warnings
                warnings.simplefilter("ignore", BayouWarning)
            self.warned = True
            if self.learn is not None:
                return _graph_of(self.learn(table))
            time = None if self.budget.seconds is None else max(self.budget.left, 1e-3)
            net = learn_structure(table, weights=weights, seed=self.seed, time=time, **self.options)
        report = net.learned_structure
        if report is not None and not report.finished:
            if not self.budget.over:
                raise KeyboardInterrupt
            return None
        return net.dag


def _graph_of(learned: Any) -> Dag | PartlyDirected:
    """Return the graph of what the user's function ``learn`` returned."""
    graph = learned.dag if isinstance(learned, Network) else learned
    if not isinstance(graph, Dag | PartlyDirected):
        raise BadQuestion(f"learn must return a network or a graph, not {type(learned).__name__}.")
    return graph


def _settled(graph: Dag | PartlyDirected, names: Sequence[Name], constraints: Constraints) -> PartlyDirected:
    """Return the equivalence class; edges that the constraints allow in one direction only are directed."""
    if isinstance(graph, PartlyDirected):
        return PartlyDirected(names, graph.arcs, graph.edges)
    place = {name: position for position, name in enumerate(names)}

    def settled(parent: Name, child: Name) -> bool:
        i, j = place[parent], place[child]
        return bool(constraints.required[i, j] or not constraints.allowed[j, i])

    found = cpdag(Dag.from_arcs(graph.arcs, names))
    compelled = [arc for arc in graph.arcs if settled(*arc)]
    edges = [edge for edge in found.edges if edge not in compelled and edge[::-1] not in compelled]
    return meek_closure(PartlyDirected(names, dict.fromkeys((*found.arcs, *compelled)), edges))
