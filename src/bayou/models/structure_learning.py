"""``learn_structure``: a network from data alone, its arcs found, its tables fitted, with a report."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, cast

import numpy as np

from bayou.errors import BadQuestion, listed, warn_user
from bayou.learning import PriorChoice, collect
from bayou.learning.arc_gains import ArcGain, arc_gains
from bayou.learning.available_rows import ScaledToAllRows, score_name
from bayou.learning.constraints import constraints_from, start_from
from bayou.learning.found import Budget, Parents, seconds_given, seed_given
from bayou.learning.local_scores import SourceScores
from bayou.learning.native_scores import local_scores
from bayou.learning.scores import Score, score_from
from bayou.learning.structure_report import LARGEST_KEPT, StructureReport
from bayou.models.learned import learned_from
from bayou.models.network import Network
from bayou.models.structure_data import StructureData, open_structure_data, structure_of
from bayou.models.structure_gaps import learn_with_gaps, score_with_gaps
from bayou.models.structure_methods import BY_SCORE, METHODS, Task, Way
from bayou.schema import Variable
from bayou.statistics import Request, Source, Statistics
from bayou.typing import Name

_ONLY_FOR = {
    "order": ("k2",),
    "target": ("tan",),
    "root": ("chow-liu", "tan"),
    "start": ("auto", "hill-climbing", "tabu", "order", "structural-em"),
    "restarts": ("auto", "hill-climbing", "tabu", "structural-em"),
    "test": ("pc",),
    "level": ("pc", "chow-liu", "tan"),
}
_NO_CONSTRAINTS = ("chow-liu", "tan")


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
    missing: str = "em",
    time: float | None = None,
    restarts: int | None = None,
    seed: int | None = 0,
    test: str | None = None,
    level: float | None = None,
) -> Network:
    """Learn arcs and tables of a network from a table; ``net.learned_structure`` reports on every arc.

    ``method``: "auto", "hill-climbing", "tabu", "ges", "order" (slower, better), "exact" (to 20 variables),
    "k2" (with ``order=``), "pc" (``test=``, ``level=``), "chow-liu", "tan" (with ``target=``),
    "structural-em". ``score``: "bic", "aic", "bdeu", "bds", "k2", "loglik", or BDeu(10) … ``time`` limits
    the search in seconds; Ctrl-C ends it with the best so far. Rows with gaps are used whole (structural
    EM), or family by family (``missing="available"``).

    >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9, "day": [0, 1, 0, 1] * 9}
    >>> learn_structure(rows, forbid="rain -> wet").arcs
    (('wet', 'rain'),)
    """
    began = clock.perf_counter()
    special: dict[str, Any] = {"order": order, "target": target, "root": root, "test": test, "level": level}
    _check_choices(method, missing, {**special, "start": start, "restarts": restarts})
    budget, chance = Budget(seconds_given(time)), seed_given(seed)
    chosen = score_from(score)
    limits = {"require": require, "forbid": forbid, "tiers": tiers, "fixed": fixed}
    _refuse_constraints(method, {**limits, "max_parents": max_parents})
    opened = open_structure_data(
        data, states=states, continuous=continuous, weights=weights, columns=columns, ignore=ignore
    )
    priors = PriorChoice.from_user(prior, opened.names)
    constraints = constraints_from(opened.variables, max_parents=max_parents, **limits)
    constraints = constraints.without([opened.names.index(name) for name in opened.keys])
    begin = None if start is None else start_from(start, opened.variables, constraints)
    task = Task(opened, chosen, constraints, budget, begin, chance, restarts, **special)
    return _learned(task, method, missing, priors, prior, began)


def _refuse_constraints(method: str, limits: dict[str, Any]) -> None:
    stated = [what for what, value in limits.items() if value is not None]
    if method in _NO_CONSTRAINTS and stated:
        raise BadQuestion(
            f"method={method!r} learns a tree and takes no {stated[0]}=; use method='hill-climbing' for that."
        )


def _check_choices(method: Any, missing: Any, special: dict[str, Any]) -> None:
    if method not in METHODS and method != "structural-em":
        raise BadQuestion.choice("method", method, [*METHODS, "structural-em"])
    if missing not in ("em", "available"):
        raise BadQuestion.choice("missing", missing, ["em", "available"])
    restarts, level = special["restarts"], special["level"]
    if restarts is not None and (
        isinstance(restarts, bool) or not isinstance(restarts, int | np.integer) or restarts < 0
    ):
        raise BadQuestion(f"restarts={restarts!r}: give a whole number, 0 or more.")
    if level is not None:
        _check_level(level, method in _NO_CONSTRAINTS)
    for what, methods in _ONLY_FOR.items():
        if special[what] is not None and method not in methods:
            raise BadQuestion(f"{what}= goes with method={' or '.join(map(repr, methods))}, not {method!r}.")


def _check_level(level: Any, is_tree: bool) -> None:
    """Trees take 1 as well: then every pair that has more information than by chance may be joined."""
    if not isinstance(level, bool) and isinstance(level, Real):
        number = float(level)
        if 0 < number < 1 or (number == 1 and is_tree):
            return
    raise BadQuestion(f"level={level!r}: give the level of the tests, between 0 and 1, such as 0.05.")


def _learned(task: Task, method: str, missing: str, priors: PriorChoice, prior: Any, began: float) -> Network:
    """Search, fit, report."""
    data = task.data
    if data.gappy and missing == "em" and (method in BY_SCORE or method == "structural-em"):
        return learn_with_gaps(task, "auto" if method == "structural-em" else method, priors, began)
    plain = task.score
    if data.gappy:
        _warn_of_gaps(data, method)
        task = replace(task, score=ScaledToAllRows(plain, data.rows))
    way = METHODS["auto" if method == "structural-em" else method](task)
    seconds = clock.perf_counter() - began
    net = _fitted(data, way.found.parents, priors, prior)
    if data.gappy and method not in BY_SCORE:
        named = f"{score_name(plain)} of the cells that are there"
        value = score_with_gaps(replace(task, score=plain), way.found.parents)
        report = replace(_report(task, way, value, seconds), score_name=named)
        net.learned_structure = replace(report, remarks=(*way.remarks, _by_available_rows(data, method)))
    else:
        known = way.found.score
        asked = partial(_score_of, net.statistics, task.data.variables, task.score, way.found.parents)
        net.learned_structure = _report(task, way, asked if math.isnan(known) else known, seconds)
    return net


def _fitted(data: StructureData, parents: Parents, priors: PriorChoice, prior: Any) -> Network:
    structure = structure_of(data, parents)
    if data.gappy:
        return Network.from_structure(structure).fit(
            data.table, prior=prior, weights=data.weights, columns=data.columns
        )
    statistics = collect(structure, data.source, {v.name: v for v in data.variables})
    learned = learned_from(structure, statistics, priors)
    return Network.from_parts(learned.network, learned, data.declared)


def _report(task: Task, way: Way, score: float | Callable[[], float], seconds: float) -> StructureReport:
    streamed = task.data.source.is_streamed
    report = StructureReport(
        way.label,
        score_name(task.score),
        score if callable(score) else partial(float, score),
        seconds,
        way.found.finished,
        way.steps,
        remarks=way.remarks,
        gains=_gains(task, way.found.parents, streamed or "scores" in vars(task)),
    )
    passing = (streamed and isinstance(task.scores, SourceScores)) or task.data.bytes > LARGEST_KEPT
    if passing and way.found.finished:
        # A file may be gone when somebody looks, and large data should go: it is worked out now. Not where
        # the time is up: that would take more of it.
        report.arcs  # noqa: B018
    return report


def _gains(task: Task, parents: Parents, scored: bool) -> Callable[[], tuple[ArcGain, ...]]:
    """What works out the report on arcs and stays in memory until then: of the task only what it needs."""
    if scored:
        return partial(arc_gains, task.scores, task.constraints, parents)
    asked = partial(local_scores, task.data.source, task.data.variables, task.score)
    constraints = task.constraints
    return lambda: arc_gains(asked(), constraints, parents)


class _Answered:
    """The statistics behind the tables, asked again as if they were the data."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    def collect(self, requests: Sequence[Request]) -> Statistics:
        return self._statistics


def _score_of(statistics: Statistics, variables: Sequence[Variable], score: Score, parents: Parents) -> float:
    """The score of a structure that was not found by scores, from the counts that its tables have."""
    # Nothing but collect is asked of it; tables of any size are there already.
    answered = cast(Source, _Answered(statistics))
    known = SourceScores(answered, variables, score, largest_table=math.inf)
    return float(known.families(list(enumerate(parents))).sum())


def _by_available_rows(data: StructureData, method: str) -> str:
    what = "tests are made" if method == "pc" else "pairs are counted"
    have = "has" if len(data.gappy) == 1 else "have"
    return (
        f"{listed(data.gappy)} {have} gaps: {what} on the rows that have the values, each on others, and so "
        "are the gains of the arcs (scaled to all rows)."
    )


def _warn_of_gaps(data: StructureData, method: str) -> None:
    if method not in BY_SCORE:
        warn_user(f"{_by_available_rows(data, method)} method='structural-em' uses all rows.")
        return
    warn_user(
        f"{listed(data.gappy)} have gaps: each family is scored on the rows that have all of it (scaled to "
        "all rows), so scores of different parents come from different rows. missing='em' uses all rows."
    )
