"""Floor 8: explanations of answers: their working, their cost, their uncertainty, the weight of findings."""

from __future__ import annotations

from bayou.explain.cliques import Clique, JunctionTree, junction_tree
from bayou.explain.credible_intervals import CredibleInterval, credible_interval
from bayou.explain.messages import MessagesShown, messages_shown
from bayou.explain.plans import QueryPlan, query_plan
from bayou.explain.sensitivity import TableDerivatives, table_derivatives
from bayou.explain.strength import FindingStrength, Strengths, strengths
from bayou.explain.working import elimination_working

__all__ = [
    "Clique",
    "CredibleInterval",
    "FindingStrength",
    "JunctionTree",
    "MessagesShown",
    "QueryPlan",
    "Strengths",
    "TableDerivatives",
    "credible_interval",
    "elimination_working",
    "junction_tree",
    "messages_shown",
    "query_plan",
    "strengths",
    "table_derivatives",
]
