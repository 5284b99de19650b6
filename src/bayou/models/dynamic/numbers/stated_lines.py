"""Lines of numbers as users state them."""

from __future__ import annotations

from typing import Any

from bayou.distributions import LinearGaussian
from bayou.models.network import Network
from bayou.models.nodes.gaussian_view import gaussian_from
from bayou.typing import Name


def stated_line(net: Network, table: Name, given: Any) -> LinearGaussian:
    """The line of a table of the network of the first slices; it may be without noise."""
    schema = net.variables
    parents = [schema[parent] for parent in net.dag.parents(table)]
    return gaussian_from(schema[table], parents, given, functions=True)
