"""``learn_structure``: learn the arcs and tables of a network from data, with a report."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Sequence
from typing import Any

from bayou.arguments import real_number, seed_or_random, weights_named, whole_number
from bayou.errors import BadQuestion
from bayou.fitting.search_task import SearchTask
from bayou.fitting.structure_data import open_structure_data
from bayou.fitting.structure_methods import METHODS, TREES
from bayou.fitting.structure_search import search_structure
from bayou.learning import PriorChoice
from bayou.learning.scores.scores import score_from
from bayou.learning.search.constraints import constraints_from, starting_parents
from bayou.learning.sharing.units import check_start, tied_constraints
from bayou.learning.time_budget import TimeBudget, seconds_given
from bayou.models.network import Network
from bayou.typing import Name

_METHODS_OF_OPTION = {
    "order": ("k2",),
    "target": ("tan",),
    "root": ("chow-liu", "tan"),
    "start": ("auto", "hill-climbing", "tabu", "order", "structural-em"),
    "restarts": ("auto", "hill-climbing", "tabu", "structural-em"),
    "test": ("pc",),
    "level": ("pc", "chow-liu", "tan"),
    "correction": ("chow-liu", "tan"),
    "share": ("auto", "hill-climbing", "exact"),
}


@weights_named("weights")
def learn_structure(
    data: Any,
    *,
    method: str = "auto",
    score: Any = "bic",
    require: Any = None,
    forbid: Any = None,
    tiers: Any = None,
    max_parents: int | None = None,
    fixed: Any = None,
    start: Any = None,
    order: Sequence[Name] | None = None,
    target: Name | None = None,
    root: Name | None = None,
    prior: Any = None,
    states: Any = None,
    continuous: Iterable[Name] = (),
    weights: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Iterable[Name] = (),
    share: Any = None,
    missing: str = "em",
    time: float | None = None,
    restarts: int | None = None,
    seed: int | None = 0,
    test: str | None = None,
    level: float | None = None,
    correction: bool | None = None,
) -> Network:
    """Learn the arcs and tables of a network from a table; ``net.learned_structure`` reports on each arc.

    ``method``: "auto", "hill-climbing", "tabu", "ges", "order" (slower, better), "exact" (up to 20
    variables), "k2" (with ``order=``), "pc" (``test=``, ``level=``), "chow-liu", "tan" (with ``target=``),
    "structural-em". Trees weigh an arc by the information between its ends minus what chance alone would
    give; ``correction=False`` gives the tree of plain information, without tests. ``score``: "bic", "aic",
    "bdeu", "bds", "k2", "loglik", or BDeu(10) … ``time`` limits the search in seconds; Ctrl-C ends it with
    the best network so far. Rows with missing cells are completed by structural EM, or with
    ``missing="available"`` each family is scored on the rows where it is observed. Variables that
    ``share={"p_R": ["R1", "R2"]}`` one table have the same parents, outside of the block, and are scored by
    that table (methods "auto", "hill-climbing" and "exact").

    ``require`` and ``forbid`` name arcs that must be there or must not; ``tiers`` are groups of variables,
    the earliest first: no arc points to an earlier group; ``fixed`` is a known part (arrow text, a Dag, a
    network); ``root`` is the root of a tree.

    Raises ``BadData`` for a table that cannot be read, ``BadQuestion`` for an option that does not exist or
    does not fit the method, ``BadPrior`` for an unknown score, ``BadGraph`` for wishes about arcs that
    contradict each other.

    >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9, "day": [0, 1, 0, 1] * 9}
    >>> learn_structure(rows, forbid="rain -> wet").arcs
    (('wet', 'rain'),)
    """
    began = clock.perf_counter()
    special: dict[str, Any] = {"order": order, "target": target, "root": root, "test": test, "level": level}
    also = {"start": start, "restarts": restarts, "correction": correction, "share": share or None}
    _check_choices(method, missing, {**special, **also})
    budget, chance = TimeBudget(seconds_given(time)), seed_or_random(seed)
    chosen = score_from(score)
    limits = {"require": require, "forbid": forbid, "tiers": tiers, "fixed": fixed}
    _refuse_constraints(method, {**limits, "max_parents": max_parents})
    opened = open_structure_data(
        data,
        states=states,
        continuous=continuous,
        weights=weights,
        columns=columns,
        ignore=ignore,
        share=share,
    )
    priors = PriorChoice.from_user(prior, (*opened.names, *opened.sharing))
    constraints = constraints_from(opened.variables, max_parents=max_parents, **limits)
    constraints = constraints.without([opened.names.index(name) for name in opened.keys])
    if opened.sharing:
        constraints = tied_constraints(constraints, opened.units, opened.names)
    begin = None if start is None else starting_parents(start, opened.variables, constraints)
    if begin is not None and opened.sharing:
        check_start(begin, opened.units, opened.names)
    task = SearchTask(
        opened,
        chosen,
        constraints,
        budget,
        begin,
        chance,
        restarts,
        **special,
        correction=correction is not False,
    )
    found = search_structure(task, method, missing, priors, began)
    net = Network.from_parts(found.learned.network, found.learned, opened.declared, trace=found.trace)
    net.learned_structure = found.report
    return net


def _refuse_constraints(method: str, limits: dict[str, Any]) -> None:
    """Raise if a method that learns trees is given constraints."""
    given = [what for what, value in limits.items() if value is not None]
    if method in TREES and given:
        raise BadQuestion(
            f"method={method!r} learns a tree and takes no {given[0]}=; use method='hill-climbing' for that."
        )


def _check_choices(method: Any, missing: Any, special: dict[str, Any]) -> None:
    """Check the method, ``missing``, and that options of single methods are used with these only."""
    if method not in METHODS and method != "structural-em":
        raise BadQuestion.choice("method", method, [*METHODS, "structural-em"])
    if missing not in ("em", "available"):
        raise BadQuestion.choice("missing", missing, ["em", "available"])
    restarts, level = special["restarts"], special["level"]
    if restarts is not None:
        whole_number("restarts", restarts)
    if level is not None:
        _check_level(level, method in TREES)
    for what, methods in _METHODS_OF_OPTION.items():
        if special[what] is not None and method not in methods:
            raise BadQuestion(f"{what}= goes with method={' or '.join(map(repr, methods))}, not {method!r}.")


def _check_level(level: Any, is_tree: bool) -> None:
    """Check the level of the tests: above 0 and below 1.

    Trees accept 1 too: then all pairs with more information than expected by chance may be joined.
    """
    expected = "give the level of the tests, between 0 and 1, such as 0.05"
    if real_number("level", level, 0, 1, above=True, expected=expected) == 1 and not is_tree:
        raise BadQuestion(f"level={level!r}: {expected}.")
