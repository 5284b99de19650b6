"""Structures for classifiers: each feature has the class as a parent, and perhaps other features."""

from __future__ import annotations

from collections.abc import Sequence

from bayou.learning.independence.information import information_matrix, mutual_information
from bayou.learning.search.spanning_tree import TreeStep, heaviest_tree
from bayou.statistics import CountTable, Statistics
from bayou.typing import Name

Parents = dict[Name, tuple[Name, ...]]


def tan_parents(
    features: Sequence[Name], target: Name, statistics: Statistics, *, correction: bool = True
) -> tuple[Parents, list[TreeStep]]:
    """Tree-augmented naive Bayes: the tree of features with the most mutual information given the class.

    (Friedman, Geiger & Goldszmidt 1997.) Returns the parents of each variable, and the steps of the tree.
    """
    weights = information_matrix(features, statistics, (target,), correction=correction)
    steps = heaviest_tree(features, weights)
    parents: Parents = dict.fromkeys(features, (target,))
    parents.update({step.child: (target, step.parent) for step in steps})
    return {target: (), **parents}, steps


def chow_liu_parents(
    names: Sequence[Name], root: Name, statistics: Statistics, *, correction: bool = True
) -> tuple[Parents, list[TreeStep]]:
    """The Chow–Liu tree (1968) over all variables, arcs pointing away from the root."""
    steps = heaviest_tree(names, information_matrix(names, statistics, correction=correction), root)
    return {**dict.fromkeys(names, ()), **{step.child: (step.parent,) for step in steps}}, steps


def k_dependence_parents(features: Sequence[Name], target: Name, statistics: Statistics, k: int) -> Parents:
    """The k-dependence Bayes classifier (KDB, Sahami 1996).

    Features are sorted by their mutual information with the class; each gets as parents the class and the k
    features before it with the most mutual information given the class.
    """
    relevance = {name: mutual_information(statistics[CountTable((target, name))].values) for name in features}
    order = sorted(features, key=lambda name: -relevance[name])
    between = information_matrix(features, statistics, (target,))
    place = {name: position for position, name in enumerate(features)}
    parents: Parents = {target: ()}
    for position, name in enumerate(order):
        earlier = sorted(order[:position], key=lambda other: -between[place[name], place[other]])
        parents[name] = (target, *earlier[:k])
    return {target: (), **{name: parents[name] for name in features}}
