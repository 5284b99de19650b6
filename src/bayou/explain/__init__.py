"""Floor 8: answers with their reasons."""

from __future__ import annotations

from bayou.explain.cliques import Clique, JunctionTree, junction_tree
from bayou.explain.messages import MessagesShown, messages_shown
from bayou.explain.plans import QueryPlan, query_plan
from bayou.explain.working import elimination_working

__all__ = [
    "Clique",
    "JunctionTree",
    "MessagesShown",
    "QueryPlan",
    "elimination_working",
    "junction_tree",
    "messages_shown",
    "query_plan",
]
