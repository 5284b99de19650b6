"""Floor 1: directed acyclic graphs over names: arrow text, separation, elimination orders."""

from __future__ import annotations

from bayou.graphs.arrows import parse_arrows
from bayou.graphs.dag import Dag, dag_from
from bayou.graphs.independence import Independence
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.graphs.separation import Separation, separated

__all__ = [
    "Dag",
    "Independence",
    "Separation",
    "dag_from",
    "elimination_cost",
    "elimination_order",
    "parse_arrows",
    "separated",
]
