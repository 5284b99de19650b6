"""A network with a given structure and a target as a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.distributions import DEFAULT_SMOOTHING
from bayou.errors import BadGraph, listed
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.networks.backoff_prior import smaller_tables
from bayou.estimators.networks.tree_classifiers import AugmentedClassifier
from bayou.graphs import Dag, dag_from
from bayou.learning.search.classifier_structures import Parents
from bayou.models.network import Network
from bayou.statistics import CountTable, Request, Statistics
from bayou.typing import Name


class NetworkClassifier(AugmentedClassifier):
    """A network with a given structure as a classifier: P(target | observed features), exactly.

    ``structure`` is arrow text, (parent, child) pairs, a mapping child → parents, or a Network whose arcs are
    used; by default the class is the parent of every feature. ``target`` names the class node (default: the
    name of y). Columns that are not in the graph are ignored; numbers are cut into ranges, learned from the
    training rows.

    >>> rows = {"age": ["old", "old", "young", "young"], "glucose": ["high", "low", "low", "low"]}
    >>> model = NetworkClassifier("age -> ill -> glucose", target="ill").fit(rows, [1, 1, 0, 0])
    >>> model.predict({"age": [None], "glucose": ["high"]}).tolist()
    [1]
    """

    graph_: Dag

    def __init__(
        self,
        structure: Any = None,
        *,
        target: Name | None = None,
        prior: Any = DEFAULT_SMOOTHING,
        unknown: str = "missing",
        states: Mapping[Any, Any] | None = None,
    ) -> None:
        self.structure = structure
        self.target = target
        self.prior = prior
        self.unknown = unknown
        self.states = states

    def _target_name(self, target: Name) -> Name:
        return target if self.target is None else self.target

    def _collect(self, rows: LabelledSource) -> Statistics:
        if not hasattr(self, "graph_"):
            self.graph_ = self._checked_graph(rows)
        return super()._collect(rows)

    def _check_size(self, rows: LabelledSource) -> None:
        """Nothing to refuse: only the families of the graph are counted."""

    def _useful_features(self, rows: LabelledSource) -> tuple[Name, ...]:
        """All features: the user chose them."""
        return rows.features

    def _checked_graph(self, rows: LabelledSource) -> Dag:
        names, target = rows.features, rows.target
        if self.structure is None:
            return Dag([target, *names], {name: [target] for name in names})
        dag = self.structure.dag if isinstance(self.structure, Network) else dag_from(self.structure)
        if target not in dag.nodes:
            raise BadGraph(
                f"The class is called {target!r}, which is not a node of the graph; its nodes are "
                f"{listed(dag.nodes)}. Name the class node with target=..."
            )
        hidden = [name for name in dag.nodes if name not in names and name != target]
        if hidden:
            raise BadGraph(
                f"The graph has {listed(hidden)}, but the data have no such column; the columns are "
                f"{listed(names)}, the target is {target!r}."
            )
        return dag

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        parents = {name: self.graph_.parents(name) for name in self.graph_.nodes}
        families = [CountTable((*own, name)) for name, own in parents.items()]
        return [*families, *smaller_tables(self.prior, parents, target)]

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        return {name: self.graph_.parents(name) for name in self.graph_.nodes}
