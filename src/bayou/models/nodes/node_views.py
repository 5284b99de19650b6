"""Views of local distributions for users: printable, with parameters found by the names of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from bayou.distributions import Distribution, Family, FiniteDistribution
from bayou.models.nodes.table_spec import all_rows
from bayou.networks import FrozenNetwork
from bayou.probability.probability_table import ProbabilityTable
from bayou.registry import Registry
from bayou.schema import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import Name


class NodeView(Protocol):
    """The type of the results of :meth:`bayou.Network.node`."""

    def to_table(self) -> TextTable:
        """The parameters as a printable table."""


@dataclass(frozen=True)
class DistributionView(PrintedTable):
    """The view of any distribution: its parameters for each combination of the parents' states."""

    family: Family
    distribution: Distribution

    def to_table(self) -> TextTable:
        """One row per combination of the parents' states, one column per parameter."""
        columns = self.distribution.parameters_by_group
        rows = [
            [*map(label, states), *(f"{column.reshape(-1)[group]:.6g}" for column in columns.values())]
            for group, (_, states) in enumerate(all_rows(self.family.discrete))
        ]
        names = [label(parent.name) for parent in self.family.discrete]
        given = f" | {', '.join(names)}" if names else ""
        title = f"{self.distribution.title}({label(self.family.child.name)}{given})"
        return TextTable([*names, *columns], rows, title=title)


def table_view(family: Family, distribution: FiniteDistribution) -> ProbabilityTable:
    """P(child | parents) as a table whose entries are found by states."""
    given = [parent.name for parent in family.parents]
    return ProbabilityTable(family.axes, distribution.table, given=given)


NODE_VIEWS: Registry[Callable[[Family, Any], Any]] = Registry(
    "view of a distribution",
    {
        "table": "bayou.models.nodes.node_views:table_view",
        "gaussian": "bayou.models.nodes.gaussian_view:GaussianNode",
        "causes": "bayou.models.nodes.noisy_view:NoisyNode",
        "function": "bayou.models.nodes.noisy_view:FunctionNode",
    },
)
"""Kinds of distributions with a view of their own; the others are shown by :class:`DistributionView`."""


def node_view(network: FrozenNetwork, name: Name) -> Any:
    """The view of the local distribution of a variable, of any kind."""
    distribution = network.distribution(name)
    if distribution.kind in NODE_VIEWS:
        return NODE_VIEWS.find(distribution.kind)(network.family(name), distribution)
    if distribution.finite is not None and not distribution.parameters_by_group:
        return table_view(network.family(name), distribution.finite)
    return DistributionView(network.family(name), distribution)
