"""Floor 8: explanations of answers: their working, their cost, their uncertainty, the weight of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.explain.cliques import Clique as Clique
    from bayou.explain.cliques import JunctionTree as JunctionTree
    from bayou.explain.cliques import junction_tree as junction_tree
    from bayou.explain.conflict_measure import ConflictMeasure as ConflictMeasure
    from bayou.explain.conflict_measure import conflict_of_findings as conflict_of_findings
    from bayou.explain.intervals.batch_intervals import row_intervals as row_intervals
    from bayou.explain.intervals.credible_intervals import CredibleInterval as CredibleInterval
    from bayou.explain.intervals.credible_intervals import credible_interval as credible_interval
    from bayou.explain.intervals.entry_intervals import TableIntervals as TableIntervals
    from bayou.explain.intervals.entry_intervals import table_intervals as table_intervals
    from bayou.explain.messages import MessagesShown as MessagesShown
    from bayou.explain.messages import messages_shown as messages_shown
    from bayou.explain.nearest_findings import NearestPossible as NearestPossible
    from bayou.explain.nearest_findings import nearest_possible as nearest_possible
    from bayou.explain.plans import QueryPlan as QueryPlan
    from bayou.explain.plans import query_plan as query_plan
    from bayou.explain.sensitivity.table_derivatives import TableDerivatives as TableDerivatives
    from bayou.explain.sensitivity.table_derivatives import table_derivatives as table_derivatives
    from bayou.explain.shapley import ShapleyShares as ShapleyShares
    from bayou.explain.shapley import shapley_shares as shapley_shares
    from bayou.explain.strength import FindingStrength as FindingStrength
    from bayou.explain.strength import FindingStrengths as FindingStrengths
    from bayou.explain.strength import strengths as strengths
    from bayou.explain.value_of_information import ValueOfInformation as ValueOfInformation
    from bayou.explain.value_of_information import value_of_asking as value_of_asking
    from bayou.explain.working import elimination_working as elimination_working

_WHERE = {
    "Clique": "bayou.explain.cliques",
    "ConflictMeasure": "bayou.explain.conflict_measure",
    "CredibleInterval": "bayou.explain.intervals.credible_intervals",
    "FindingStrength": "bayou.explain.strength",
    "JunctionTree": "bayou.explain.cliques",
    "MessagesShown": "bayou.explain.messages",
    "NearestPossible": "bayou.explain.nearest_findings",
    "QueryPlan": "bayou.explain.plans",
    "FindingStrengths": "bayou.explain.strength",
    "ShapleyShares": "bayou.explain.shapley",
    "TableDerivatives": "bayou.explain.sensitivity.table_derivatives",
    "TableIntervals": "bayou.explain.intervals.entry_intervals",
    "ValueOfInformation": "bayou.explain.value_of_information",
    "conflict_of_findings": "bayou.explain.conflict_measure",
    "credible_interval": "bayou.explain.intervals.credible_intervals",
    "elimination_working": "bayou.explain.working",
    "junction_tree": "bayou.explain.cliques",
    "messages_shown": "bayou.explain.messages",
    "nearest_possible": "bayou.explain.nearest_findings",
    "query_plan": "bayou.explain.plans",
    "row_intervals": "bayou.explain.intervals.batch_intervals",
    "shapley_shares": "bayou.explain.shapley",
    "strengths": "bayou.explain.strength",
    "table_derivatives": "bayou.explain.sensitivity.table_derivatives",
    "table_intervals": "bayou.explain.intervals.entry_intervals",
    "value_of_asking": "bayou.explain.value_of_information",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
