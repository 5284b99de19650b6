"""Floor 8: explanations of answers: their working, their cost, their uncertainty, the weight of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.explain.batch_intervals import row_intervals as row_intervals
    from bayou.explain.cliques import Clique as Clique
    from bayou.explain.cliques import JunctionTree as JunctionTree
    from bayou.explain.cliques import junction_tree as junction_tree
    from bayou.explain.credible_intervals import CredibleInterval as CredibleInterval
    from bayou.explain.credible_intervals import credible_interval as credible_interval
    from bayou.explain.messages import MessagesShown as MessagesShown
    from bayou.explain.messages import messages_shown as messages_shown
    from bayou.explain.plans import QueryPlan as QueryPlan
    from bayou.explain.plans import query_plan as query_plan
    from bayou.explain.sensitivity import TableDerivatives as TableDerivatives
    from bayou.explain.sensitivity import table_derivatives as table_derivatives
    from bayou.explain.strength import FindingStrength as FindingStrength
    from bayou.explain.strength import FindingStrengths as FindingStrengths
    from bayou.explain.strength import strengths as strengths
    from bayou.explain.working import elimination_working as elimination_working

_WHERE = {
    "Clique": "bayou.explain.cliques",
    "CredibleInterval": "bayou.explain.credible_intervals",
    "FindingStrength": "bayou.explain.strength",
    "JunctionTree": "bayou.explain.cliques",
    "MessagesShown": "bayou.explain.messages",
    "QueryPlan": "bayou.explain.plans",
    "FindingStrengths": "bayou.explain.strength",
    "TableDerivatives": "bayou.explain.sensitivity",
    "credible_interval": "bayou.explain.credible_intervals",
    "elimination_working": "bayou.explain.working",
    "junction_tree": "bayou.explain.cliques",
    "messages_shown": "bayou.explain.messages",
    "query_plan": "bayou.explain.plans",
    "row_intervals": "bayou.explain.batch_intervals",
    "strengths": "bayou.explain.strength",
    "table_derivatives": "bayou.explain.sensitivity",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
