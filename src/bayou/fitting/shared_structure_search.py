"""The methods of structure learning that know shared tables, by the names that users give."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bayou.errors import BadQuestion, listed
from bayou.fitting.search_task import SearchOutcome, SearchTask
from bayou.fitting.structure_data import StructureData
from bayou.fitting.structure_methods import automatic_method, climbing_options
from bayou.learning.search.structure_report import SearchStep
from bayou.learning.sharing.tied_climbing import tied_climb
from bayou.learning.sharing.tied_exact_search import MOST_VARIABLES, tied_exact_search
from bayou.learning.sharing.tied_graph import TiedMove
from bayou.learning.time_budget import OutOfTime


def search_with_sharing(task: SearchTask, method: str) -> SearchOutcome:
    """Search a graph in which the users of each shared table have the same parents."""
    data = task.data
    if method == "exact" and len(data.names) > MOST_VARIABLES:
        raise BadQuestion(
            f"method='exact' with share= takes up to {MOST_VARIABLES} variables, and there are "
            f"{len(data.names)}: use method='hill-climbing'."
        )
    chosen = automatic_method(task) if method == "auto" else method
    outcome = _exact(task) if chosen == "exact" else _climbed(task)
    return replace(outcome, remarks=remarks_on_sharing(task.data))


def _climbed(task: SearchTask) -> SearchOutcome:
    how = climbing_options(task)
    found = tied_climb(task.unit_scores, task.constraints, task.budget, watch=partial(_watch, task), **how)
    return SearchOutcome("hill climbing", found, tuple(task.steps))


def _exact(task: SearchTask) -> SearchOutcome:
    """Exact search; if the time ends or the user interrupts, what climbing finds."""
    climbed = tied_climb(task.unit_scores, task.constraints, task.budget)
    if climbed.finished:
        try:
            found = tied_exact_search(task.unit_scores, task.constraints, task.budget)
            return SearchOutcome("exact search", found)
        except (OutOfTime, KeyboardInterrupt):
            pass
    return SearchOutcome("exact search", replace(climbed, finished=False))


def _watch(task: SearchTask, move: TiedMove, score: float) -> None:
    """Record a step of climbing; arcs into a block are named by the block."""
    child = task.data.units.names[move.unit] if move.child is None else task.names[move.child]
    task.steps.append(SearchStep(move.kind, task.names[move.parent], child, move.gain, score))


def remarks_on_sharing(data: StructureData) -> tuple[str, ...]:
    """What a report says about the gains of arcs into shared tables."""
    return tuple(
        f"{listed(users)} share the table {block!r}: arcs into them come and go together, and the gain of "
        "each is that of all."
        for block, users in data.sharing.items()
        if len(users) > 1
    )
