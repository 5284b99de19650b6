"""Trees learned from data: over all variables (Chow & Liu 1968), or over features given a class (TAN).

A maximum spanning tree whose edges weigh the mutual information of two variables (given the class for TAN)
minus its expectation under independence, d / 2n for d degrees of freedom and n rows; without ``correction``
nothing is subtracted. G = 2n · information is compared with the χ² distribution of d degrees of freedom to
drop edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.arguments import real_number
from bayou.errors import BadQuestion, counted
from bayou.learning.independence.information import tables_information
from bayou.learning.search.spanning_tree import NEGLIGIBLE, TreeStep, heaviest_tree
from bayou.special_functions import chdtri
from bayou.statistics import PairCounts, PairTables, Source
from bayou.text.tables import TextTable
from bayou.typing import FloatArray, Name

LEVEL = 0.01
"""If all variables are independent, the tree has an arc with at most this probability."""


@dataclass(frozen=True)
class LearnedTree:
    """The arcs of a tree (or forest) in the order in which they were added.

    Each step has the arc's information in nats (minus its expectation under independence) and that of the
    next best arc. Variables that no arc reaches are roots: then the result is a forest.
    """

    names: tuple[Name, ...]
    steps: tuple[TreeStep, ...]
    target: Name | None = None

    @property
    def arcs(self) -> list[tuple[Name, Name]]:
        """The arcs as (parent, child) pairs."""
        return [(step.parent, step.child) for step in self.steps]

    @property
    def roots(self) -> tuple[Name, ...]:
        """The variables without a parent in the tree, in order; one unless it is a forest."""
        children = {step.child for step in self.steps}
        return tuple(name for name in self.names if name not in children)

    @property
    def parents(self) -> dict[Name, tuple[Name, ...]]:
        """For each variable its parents: the class, if there is one, and perhaps one other."""
        above: tuple[Name, ...] = () if self.target is None else (self.target,)
        own: dict[Name, tuple[Name, ...]] = {} if self.target is None else {self.target: ()}
        own.update(dict.fromkeys(self.names, above))
        own.update({step.child: (*above, step.parent) for step in self.steps})
        return own

    @property
    def information(self) -> float:
        """The sum of the arcs' information, in nats per row."""
        return sum(step.weight for step in self.steps)

    def __str__(self) -> str:
        rows = [[str(s.parent), str(s.child), f"{s.weight:.6f}", f"{s.runner_up:.6f}"] for s in self.steps]
        given = "" if self.target is None else f" given {self.target}"
        title = f"{counted(len(self.steps), 'arc')}, {counted(len(self.roots), 'root')}{given}"
        return str(TextTable(["parent", "child", "information", "runner-up"], rows, title, len(rows)))


def chow_liu_tree(
    source: Source,
    variables: Sequence[Name],
    root: Name | None = None,
    *,
    least: float = NEGLIGIBLE,
    level: float | None = None,
    correction: bool = True,
) -> LearnedTree:
    """The tree with the most mutual information between neighbours, its arcs pointing away from ``root``.

    A pair is connected only if its information (in nats, minus its expectation under independence) exceeds
    ``least`` and a G test rejects independence at ``level`` divided by the number of pairs. With ``level=1``
    there is no test. ``correction=False`` gives the tree of the textbooks: plain information, and no test
    unless a level is given.

    >>> from bayou.sources import open_source
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    >>> tree = chow_liu_tree(open_source(rows), ["a", "b", "c"])
    >>> tree.arcs, tree.roots
    ([('a', 'b')], ('a', 'c'))
    >>> print(tree)
    1 arc, 2 roots
    parent  child  information  runner-up
    a       b      0.679258     0.000000
    """
    if level is None:
        level = LEVEL if correction else 1.0
    return _learned(source, tuple(variables), root, None, (least, level), correction)


def tan_tree(
    source: Source,
    variables: Sequence[Name],
    target: Name,
    root: Name | None = None,
    *,
    least: float = NEGLIGIBLE,
    level: float = 1.0,
    correction: bool = True,
) -> LearnedTree:
    """The tree of features with the most information between neighbours given the class (TAN, Friedman 1997).

    ``least`` and ``level`` drop arcs as in :func:`chow_liu_tree`; by default there is no test.

    >>> from bayou.sources import open_source
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "y": [0, 1, 0, 1] * 9}
    >>> tan_tree(open_source(rows), ["a", "b"], "y").parents
    {'y': (), 'a': ('y',), 'b': ('y', 'a')}
    """
    features = tuple(name for name in variables if name != target)
    return _learned(source, features, root, target, (least, level), correction)


def _learned(
    source: Source,
    names: tuple[Name, ...],
    root: Name | None,
    target: Name | None,
    limits: tuple[float, float],
    correction: bool,
) -> LearnedTree:
    least, level = limits
    real_number("level", level, 0, 1, above=True, expected="the level of a test is above 0 and at most 1")
    if root is not None and root not in names:
        raise BadQuestion(f"root={root!r} is not one of the variables of the tree.")
    request = PairCounts(names, () if target is None else (target,))
    tables = source.collect([request])[request]
    steps = heaviest_tree(names, edge_weights(tables, level, correction), root, least)
    return LearnedTree(names, tuple(steps), target)


def edge_weights(tables: PairTables, level: float, correction: bool = True) -> FloatArray:
    """The information of each pair minus its expectation; −∞ where a G test does not reject independence."""
    information, chance = tables_information(tables)
    weights = information - chance if correction else information.copy()
    if level < 1 and len(tables.axes) > 1:
        # G = 2n · information and chance = degrees / 2n, so G = information · degrees / chance, without n.
        degrees, critical = _critical(tables, level / (len(tables.axes) * (len(tables.axes) - 1) / 2))
        weights[information * degrees <= critical * chance] = -np.inf
    return weights


def _critical(tables: PairTables, level: float) -> tuple[FloatArray, FloatArray]:
    """The degrees of freedom of each pair, and the critical value of G.

    Both depend only on the numbers of states, so they are computed once for each two numbers of states.
    """
    cards, kind = np.unique([axis.cardinality for axis in tables.axes], return_inverse=True)
    groups = np.prod([axis.cardinality for axis in tables.given])
    free = groups * np.outer(np.maximum(cards - 1, 0), np.maximum(cards - 1, 0)).astype(np.float64)
    limits = np.where(free > 0, chdtri(np.maximum(free, 1), level), 0.0)
    return free[np.ix_(kind, kind)], limits[np.ix_(kind, kind)]
