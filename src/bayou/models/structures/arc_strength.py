"""Arc strengths from data: structures learned from resampled tables, and what they have in common."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, BadQuestion, BayouWarning
from bayou.fitting.structure_data import open_structure_data
from bayou.fitting.structure_methods import ordered_places
from bayou.graphs import Dag, PartlyDirected, cpdag, meek_closure
from bayou.learning.search.bootstrap import tally_arcs
from bayou.learning.search.constraints import Constraints, constraints_from
from bayou.learning.search.search_result import Budget, seconds_given, seed_given
from bayou.models.network import Network
from bayou.models.structures.arc_strengths import ArcStrengths
from bayou.models.structures.structure_learning import learn_structure
from bayou.schema import Variable
from bayou.sources import Columns, NumberColumn
from bayou.sources.batches import columns_of
from bayou.sources.tables.row_selection import taken_rows
from bayou.sources.weights import whole_weights
from bayou.statistics import LARGEST_HELD, rows_in_memory
from bayou.typing import FloatArray, IntArray, Name

_LIMITS = ("require", "forbid", "tiers", "max_parents", "fixed")


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
    """How sure each arc is: structures of ``samples`` tables, their rows drawn with replacement.

    A pair's strength is how often it is joined; its direction counts as far as data and constraints settle it
    (edges of the equivalence class count half each way). ``options`` are those of :func:`learn_structure`
    (``method``, ``score``, ``forbid``, …); ``learn`` is another way to make a network of a table. ``time``
    limits all samples together, in seconds; it, or Ctrl-C, keeps the samples that are done. The same seed
    gives the same strengths. Rows of weight 0 are never drawn, and a sample in which a column of numbers does
    not vary (it has no density then) is drawn again.

    >>> data = {"Rain": ["no", "yes"] * 20, "Wet": ["no", "yes"] * 20, "Day": [1, 1, 2, 2] * 10}
    >>> arc_strength(data, samples=5)["Wet", "Rain"]
    ArcStrength(start='Wet', end='Rain', strength=1.0, direction=0.5)
    """
    _check_options(options)
    # Every sample reads them anew.
    options = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    chance, budget = seed_given(seed), Budget(seconds_given(time))
    opened = _in_memory(
        data, states=states, continuous=continuous, weights=weights, columns=columns, ignore=ignore
    )
    if learn is not None and options:
        raise BadQuestion(f"{next(iter(options))}= is for learn_structure; learn= has its own ways.")
    constraints = _constraints(opened, options)
    search = _SampleSearch(learn, options, chance, budget)
    table, weighted = opened.columns, opened.weights

    def found(rows: IntArray) -> PartlyDirected | None:
        graph = search.graph(taken_rows(table, rows), None if weighted is None else weighted[rows])
        return None if graph is None else _settled(graph, opened.names, constraints)

    tally = tally_arcs(found, opened.names, table.rows, samples, chance, _vary(table))
    return ArcStrengths(tally, {variable.name: variable for variable in opened.variables})


def _check_options(options: Mapping[str, Any]) -> None:
    known = [name for name in signature(learn_structure).parameters if name != "data"]
    for name in options:
        if name not in known:
            raise BadQuestion.option(name, "arc_strength", ["samples", "learn", *known])


@dataclass(frozen=True)
class _Opened:
    """Rows in memory, their states declared, without those of weight 0; and the weights."""

    columns: Columns
    variables: tuple[Variable, ...]
    weights: npt.NDArray[Any] | None

    @property
    def names(self) -> tuple[Name, ...]:
        return tuple(variable.name for variable in self.variables)


def _vary(table: Columns) -> Callable[[IntArray], bool]:
    """Whether every column of numbers varies in some of the rows, as numbers must to be learned from."""
    columns = [table[name] for name in table.names]
    numbers = [column.values for column in columns if isinstance(column, NumberColumn)]

    def varies(values: FloatArray) -> bool:
        there = values[~np.isnan(values)]
        return len(there) > 0 and bool(np.std(there) > 8 * np.finfo(np.float64).eps * np.abs(there.mean()))

    return lambda rows: all(varies(values[rows]) for values in numbers)


def _in_memory(data: Any, **given: Any) -> _Opened:
    """Rows are drawn again and again, so they are read once and kept."""
    opened = open_structure_data(data, **given)
    most = LARGEST_HELD if opened.source.is_streamed else sys.maxsize
    rows = rows_in_memory(opened.source, opened.variables, most)
    if rows is None:
        raise BadData(
            f"Rows are drawn from memory, and these take more than {LARGEST_HELD / 1e9:.1f} GB. Use fewer "
            "rows, or leave columns out (ignore=…)."
        )
    columns = columns_of(rows, opened.variables)
    if rows.weights is None:
        return _Opened(columns, opened.variables, None)
    counted = np.flatnonzero(rows.weights)
    return _Opened(taken_rows(columns, counted), opened.variables, whole_weights(rows.weights[counted]))


def _constraints(opened: _Opened, options: Mapping[str, Any]) -> Constraints:
    """What the options say about directions; an order rules out every arc against it."""
    limits = {what: options[what] for what in _LIMITS if what in options}
    stated = constraints_from(opened.variables, **limits)
    if options.get("method") != "k2" or options.get("order") is None:
        return stated
    names = opened.names
    order = ordered_places(options["order"], names)
    along = np.argsort(order)[:, None] < np.argsort(order)[None, :]
    return Constraints(stated.allowed & along, stated.required & along, stated.max_parents)


@dataclass
class _SampleSearch:
    """Learns from one sample after the other, until the time is up."""

    learn: Callable[[Any], Any] | None
    options: Mapping[str, Any]
    seed: int
    budget: Budget
    warned: bool = False

    def graph(self, table: Columns, weights: npt.NDArray[Any] | None) -> Dag | PartlyDirected | None:
        """What was found; None where the time ended the search. An interrupt inside it goes on from here."""
        if self.budget.over:
            return None
        with warnings.catch_warnings():
            if self.warned:  # once is enough: each sample would say the same
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
    graph = learned.dag if isinstance(learned, Network) else learned
    if not isinstance(graph, Dag | PartlyDirected):
        raise BadQuestion(f"learn must return a network or a graph, not {type(learned).__name__}.")
    return graph


def _settled(graph: Dag | PartlyDirected, names: Sequence[Name], constraints: Constraints) -> PartlyDirected:
    """The equivalence class, with every edge directed that constraints leave one way only."""
    if isinstance(graph, PartlyDirected):
        return PartlyDirected(names, graph.arcs, graph.edges)
    place = {name: position for position, name in enumerate(names)}

    def settled(parent: Name, child: Name) -> bool:
        i, j = place[parent], place[child]
        return bool(constraints.required[i, j] or not constraints.allowed[j, i])

    found = cpdag(Dag.from_arcs(graph.arcs, names))
    told = [arc for arc in graph.arcs if settled(*arc)]
    edges = [edge for edge in found.edges if edge not in told and edge[::-1] not in told]
    return meek_closure(PartlyDirected(names, dict.fromkeys((*found.arcs, *told)), edges))
