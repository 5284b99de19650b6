"""Random graphs, networks and tables of data for the laws: hostile names, typed states, zeros, gaps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import bayou

law = settings(
    derandomize=True,
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
"""How every law is tried: the same examples on every machine, and no clock."""

NAMES: list[Any] = [
    "Storm tomorrow",
    "Öl->Preis",
    1,
    "1",
    "a, b",
    "it's",
    "日本\n語",
    "",
    "x=y | z",
    ("t", 2),
]
TEXT_NAMES: list[Any] = [name for name in NAMES if isinstance(name, str)]
STATES: list[list[Any]] = [
    ["no", "yes"],
    [1, "1", True],
    [False, True],
    ["", " ", "a b"],
    ["groß", "klein, später", "日本"],
    [0, 1, 2],
    [-3, 10**12],
    ["only"],
    [("a", 1), ("b", 2)],
]
SIMPLE_STATES: list[list[Any]] = [states for states in STATES if not isinstance(states[0], tuple)]


@st.composite
def dags(draw: st.DrawFn, most: int = 5, names: list[Any] | None = None, least: int = 1) -> bayou.Dag:
    """A graph of a few nodes, the order of the nodes and of the parents random too."""
    chosen = draw(st.permutations(names or NAMES))[: draw(st.integers(least, most))]
    parents = {}
    for position, name in enumerate(chosen):
        earlier = draw(st.permutations(chosen[:position]))
        parents[name] = earlier[: draw(st.integers(0, min(3, position)))]
    return bayou.Dag(draw(st.permutations(chosen)), parents)


def random_rows(random: np.random.Generator, shape: tuple[int, ...], zeros: float) -> np.ndarray:
    """Rows that sum to 1, with a share of zeros; one entry of each row is never zero."""
    values = random.gamma(0.7, size=shape) + 1e-3
    zero = random.random(shape) < zeros
    np.put_along_axis(zero, random.integers(0, shape[-1], (*shape[:-1], 1)), False, axis=-1)
    values[zero] = 0
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


def seeds() -> st.SearchStrategy[np.random.Generator]:
    """A generator of numbers that do not need to shrink."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def networks(
    draw: st.DrawFn, most: int = 5, names: list[Any] | None = None, states: list[list[Any]] | None = None
) -> bayou.Network:
    """A discrete network with stated tables, some of their entries 0."""
    dag = draw(dags(most, names))
    domains = {name: draw(st.sampled_from(states or STATES)) for name in dag.nodes}
    random, zeros = draw(seeds()), draw(st.sampled_from([0.0, 0.0, 0.3]))
    tables = {}
    for name in dag.nodes:
        shape = (*(len(domains[parent]) for parent in dag.parents(name)), len(domains[name]))
        tables[name] = random_rows(random, shape, zeros)
    return bayou.Network(dag, states=domains, tables=tables)


@dataclass(frozen=True)
class Sample:
    """Rows of data for a graph: columns with gaps (None), a weight a row, and the states they come from."""

    dag: bayou.Dag
    domains: dict[Any, list[Any]]
    columns: dict[Any, list[Any]]
    weights: list[float]

    @property
    def rows(self) -> int:
        return len(self.weights)

    def part(self, rows: Any) -> dict[Any, list[Any]]:
        """The columns of some of the rows."""
        return {name: [column[row] for row in rows] for name, column in self.columns.items()}

    def some_weights(self, rows: Any) -> list[float]:
        """The weights of some of the rows."""
        return [self.weights[row] for row in rows]

    def network(self, *, declared: bool = True) -> bayou.Network:
        """A network for these data that has learned nothing yet."""
        return bayou.Network(self.dag, states=self.domains if declared else None)


@st.composite
def samples(draw: st.DrawFn, least: int = 1, most_rows: int = 25, states: Any = None) -> Sample:
    """A graph with data for it; weights are multiples of 1/4, so that sums of them are exact."""
    dag = draw(dags(4))
    domains = {name: draw(st.sampled_from(states or SIMPLE_STATES)) for name in dag.nodes}
    rows, random = draw(st.integers(least, most_rows)), draw(seeds())
    gaps = draw(st.sampled_from([0.0, 0.0, 0.2]))
    columns = {
        name: [
            None if random.random() < gaps else domain[int(random.integers(len(domain)))] for _ in range(rows)
        ]
        for name, domain in domains.items()
    }
    whole = draw(st.booleans())
    weights = [int(k) if whole else int(k) / 4 for k in random.integers(1, 9, rows)]
    return Sample(dag, domains, columns, weights)


def split_points(rows: int) -> st.SearchStrategy[list[int]]:
    """Where to cut so many rows into batches (none of them empty)."""
    return st.sets(st.integers(1, max(1, rows - 1)), max_size=4).map(
        lambda cuts: sorted(cut for cut in cuts if cut < rows)
    )


def batches(order: list[int], cuts: list[int]) -> list[list[int]]:
    """The rows in an order, cut into batches."""
    edges = [0, *cuts, len(order)]
    return [order[start:stop] for start, stop in itertools.pairwise(edges)]


def joint_by_hand(net: bayou.Network, do: dict[Any, Any] | None = None) -> dict[tuple[int, ...], float]:
    """Every full assignment (codes in the order of the names) with the product of its table entries.

    Variables set by ``do`` have the state they are set to and no factor: the truncated factorisation.
    """
    tables = {name: net.cpt(name).to_array() for name in net.names}
    place = {name: position for position, name in enumerate(net.names)}
    fixed = {name: net.variables[name].code(state) for name, state in (do or {}).items()}
    choices = [[fixed[n]] if n in fixed else range(len(net.states(n))) for n in net.names]
    joint = {}
    for codes in itertools.product(*choices):
        probability = 1.0
        for name in net.names:
            if name not in fixed:
                index = tuple(codes[place[member]] for member in (*net.parents(name), name))
                probability *= float(tables[name][index])
        joint[codes] = probability
    return joint
