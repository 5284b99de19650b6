"""The methods of structure learning, by the names that users give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from typing import Any, TypedDict

from bayou.errors import BadGraph, BadQuestion, listed
from bayou.fitting.search_task import SearchOutcome, SearchTask
from bayou.learning.independence.pc import LEVEL, learn_pc
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.search.constraints import place_of
from bayou.learning.search.exact_search import exact_search
from bayou.learning.search.ges import ges, refusal
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.k2_search import k2_search
from bayou.learning.search.order_search import order_search
from bayou.learning.search.search_result import FoundStructure, Parents, rounding
from bayou.learning.search.trees import LearnedTree, chow_liu_tree, tan_tree
from bayou.typing import Name

RESTARTS = (6, 80, 4_000_000)
"""The restarts of hill climbing by default: (at least, at most, c), with c / variables³ between these limits,
because restarts of large graphs take long."""

IDLE_RESTARTS = (2, 30, 1_500_000)
"""The restarts in a row without a better graph after which hill climbing ends, in the same form."""

CLIMBING = 0.3
"""The share of a limited time that order-based search spends on hill climbing first."""

TABU = 10
"""The number of recent pairs that tabu search does not change; fewer if there are few variables."""

PATIENCE = 100
"""The number of steps in a row without a better graph after which tabu search ends."""

FEW = 10
"""``auto`` uses exact search up to this many variables (fewer if scoring is slow)."""

MOST_STATES = 200
"""With more states in all, the tables of many parents are so large that scoring is slow."""

DENSEST = 10
"""``auto`` does not run greedy equivalence search if hill climbing gave a variable more parents than this: a
class this dense has too many steps (``score="loglik"`` joins everything)."""


def hill_climbing(task: SearchTask) -> SearchOutcome:
    """Hill climbing: greedy steps, then restarts around the best graph."""
    how = climbing_options(task)
    found = hill_climb(task.scores, task.constraints, task.budget, watch=task.watch, **how)
    return SearchOutcome("hill climbing", found, tuple(task.steps))


class ClimbingOptions(TypedDict):
    """Where hill climbing starts, its most restarts, and those in a row in vain after which it ends."""

    start: Parents | None
    restarts: int
    idle_restarts: int | None
    seed: int


def climbing_options(task: SearchTask) -> ClimbingOptions:
    """The options of hill climbing; the number of variables decides where the user leaves it open."""
    restarts, idle = task.restarts, None
    if restarts is None:
        restarts, idle = _share(RESTARTS, task), _share(IDLE_RESTARTS, task)
    return {"start": task.start, "restarts": restarts, "idle_restarts": idle, "seed": task.seed}


def _share(limits: tuple[int, int, int], task: SearchTask) -> int:
    """The number of restarts for this many variables, from ``RESTARTS`` or ``IDLE_RESTARTS``."""
    least, most, divided = limits
    return min(most, max(least, divided // len(task.data.variables) ** 3))


def tabu(task: SearchTask) -> SearchOutcome:
    """Tabu search: greedy steps, then the best steps that do not change a recent pair."""
    found = hill_climb(
        task.scores,
        task.constraints,
        task.budget,
        start=task.start,
        tabu=min(TABU, max(1, len(task.data.variables) // 3)),
        patience=PATIENCE,
        restarts=task.restarts or 0,
        seed=task.seed,
        watch=task.watch,
    )
    return SearchOutcome("tabu search", found, tuple(task.steps))


def equivalence_search(task: SearchTask) -> SearchOutcome:
    """Greedy search between classes of equivalent networks."""
    return SearchOutcome("greedy equivalence search", ges(task.scores, task.constraints, task.budget))


def order_based(task: SearchTask) -> SearchOutcome:
    """Order-based search, starting from the result of hill climbing."""
    share = task.budget.share(CLIMBING)
    climbed = hill_climbing(replace(task, budget=share)).found
    if not climbed.finished and not share.over:
        return SearchOutcome("order-based search", climbed)  # the user has interrupted
    found = order_search(task.scores, task.constraints, task.budget, start=climbed.parents, seed=task.seed)
    return SearchOutcome("order-based search", found)


def exact(task: SearchTask) -> SearchOutcome:
    """Exact search: the network with the best score of all."""
    return SearchOutcome("exact search", exact_search(task.scores, task.constraints, task.budget))


def automatic_method(task: SearchTask) -> str:
    """The method that ``auto`` begins with: exact search for few variables, else hill climbing."""
    few = FEW - 2 if isinstance(task.scores, SourceScores) or _is_mixed(task) else FEW
    if sum(variable.cardinality for variable in task.data.variables) > MOST_STATES:
        few = FEW // 2
    small = len(task.data.variables) <= few and task.start is None and task.restarts is None
    return "exact" if small else "hill-climbing"


def _is_mixed(task: SearchTask) -> bool:
    return len({variable.is_continuous for variable in task.data.variables}) > 1


def automatic(task: SearchTask) -> SearchOutcome:
    """Exact search for few variables; else hill climbing and, if possible, greedy equivalence search."""
    if automatic_method(task) == "exact":
        return exact(task)
    climbed = hill_climbing(task)
    if task.start is not None or task.restarts is not None or not climbed.found.finished:
        return climbed
    densest = max(map(len, climbed.found.parents))
    if densest > DENSEST or refusal(task.scores, task.constraints) is not None:
        return climbed
    between = ges(task.scores, task.constraints, task.budget)
    polished = hill_climb(task.scores, task.constraints, task.budget, start=between.parents, watch=task.watch)
    finished = between.finished and polished.finished
    # Equally good graphs differ by rounding, which depends on the source: then that of climbing is taken.
    better = polished.score > climbed.found.score + rounding(climbed.found.score)
    best = polished if better else climbed.found
    label = "hill climbing and greedy equivalence search"
    return SearchOutcome(label, replace(best, finished=finished), tuple(task.steps))


def k2(task: SearchTask) -> SearchOutcome:
    """K2: parents for each variable among those before it in the given order."""
    names = task.data.names
    order = ordered_places(task.order, names)
    for child, place in enumerate(order):
        for later in order[child + 1 :]:
            if task.constraints.required[later, place]:
                raise BadGraph(
                    f"{names[later]} -> {names[place]} is required, but order= has {names[place]!r} first."
                )
    return SearchOutcome("K2", k2_search(task.scores, order, task.constraints, task.budget))


def ordered_places(order: Any, names: Sequence[Name]) -> list[int]:
    """The positions of the variables in the order given by the user, who must name each variable once.

    >>> ordered_places(["Ill", "Age"], ["Age", "Ill"])
    [1, 0]
    """
    if isinstance(order, str | Set) or not isinstance(order, Iterable):
        raise BadQuestion(
            "method='k2' needs the order of the variables, parents before children: order=['Age', 'Ill', …]."
        )
    ordered = list(order)
    places = [place_of(name, names, "in order") for name in ordered]
    if len(set(places)) < len(places):
        twice = next(name for place, name in enumerate(ordered) if places[place] in places[:place])
        raise BadGraph(f"order= has {twice!r} twice.")
    left_out = [name for place, name in enumerate(names) if place not in places]
    if left_out:
        raise BadGraph(f"order= leaves out {listed(left_out)}; name every variable once.")
    return places


def pc(task: SearchTask) -> SearchOutcome:
    """PC: tests of independence; undirected edges are then directed within the limits on parents."""
    result = learn_pc(
        task.data.source,
        task.data.variables,
        test=task.test,
        level=LEVEL if task.level is None else task.level,
        constraints=task.constraints,
        budget=task.budget,
    )
    remarks = [f"{result.tests:,} tests of independence. Their result: {result.cpdag}", *result.remarks]
    if not result.exact and not result.left_out:
        remarks.append("No acyclic network has exactly these arcs: a similar one was taken.")
    return SearchOutcome(
        "PC-stable", FoundStructure(result.parents, float("nan"), result.finished), remarks=tuple(remarks)
    )


def chow_liu(task: SearchTask) -> SearchOutcome:
    """Chow–Liu: the tree with the most mutual information."""
    _require_states(task, "chow-liu")
    level = {} if task.level is None else {"level": task.level}
    tree = chow_liu_tree(task.data.source, _in_tree(task), _root(task), correction=task.correction, **level)
    return _tree(task, "Chow–Liu", tree)


def tan(task: SearchTask) -> SearchOutcome:
    """TAN: a class variable, and the tree of the other variables given it."""
    _require_states(task, "tan")
    if task.target is None:
        raise BadQuestion("method='tan' needs the class that all other variables depend on: target='Ill'.")
    target = task.data.names[place_of(task.target, task.data.names, "in target")]
    level = {} if task.level is None else {"level": task.level}
    tree = tan_tree(
        task.data.source, _in_tree(task), target, _root(task), correction=task.correction, **level
    )
    return _tree(task, "TAN", tree)


def _in_tree(task: SearchTask) -> tuple[Name, ...]:
    """The variables that can be in a tree: not those with a different state in nearly every row."""
    return tuple(name for name in task.data.names if name not in task.data.keys)


def _root(task: SearchTask) -> Name | None:
    if task.root is None:
        return None
    return task.data.names[place_of(task.root, task.data.names, "in root")]


def _tree(task: SearchTask, label: str, tree: LearnedTree) -> SearchOutcome:
    place = {name: position for position, name in enumerate(task.data.names)}
    found = tree.parents
    parents = tuple(tuple(sorted(place[above] for above in found.get(name, ()))) for name in task.data.names)
    return SearchOutcome(label, FoundStructure(parents, float("nan")), tree.steps)


def _require_states(task: SearchTask, method: str) -> None:
    numbers = [variable.name for variable in task.data.variables if variable.is_continuous]
    if numbers:
        raise BadQuestion(
            f"method={method!r} counts states, and {listed(numbers)} are continuous: cut them into ranges "
            "(states={'x': bayou.Cuts([…])}), leave them out (ignore=…), or use method='hill-climbing'."
        )


METHODS: dict[str, Callable[[SearchTask], SearchOutcome]] = {
    "auto": automatic,
    "hill-climbing": hill_climbing,
    "tabu": tabu,
    "ges": equivalence_search,
    "order": order_based,
    "exact": exact,
    "k2": k2,
    "pc": pc,
    "chow-liu": chow_liu,
    "tan": tan,
}

BY_SCORE = ("auto", "hill-climbing", "tabu", "ges", "order", "exact", "k2")
"""The methods that compare scores of families: they need complete rows, or structural EM."""

TREES = ("chow-liu", "tan")
"""The methods that make trees of the tables of all pairs, and take no constraints."""
