"""Structure learning: search for arcs, fit the parameters, and report on every arc."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from bayou.errors import BadData, listed, warn_user
from bayou.fitting.fit_options import FitOptions, TableGiven
from bayou.fitting.fitted_parameters import FittedParameters, learned_from
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.network_fit import fit
from bayou.fitting.search_task import SearchOutcome, SearchTask
from bayou.fitting.shared_structure_search import search_with_sharing
from bayou.fitting.structural_em_search import learn_with_gaps, score_with_gaps
from bayou.fitting.structure_data import StructureData, structure_of
from bayou.fitting.structure_methods import BY_SCORE, METHODS, TREES
from bayou.learning import PriorChoice, collect
from bayou.learning.scores.available_case_scores import ScaledToAllRows, score_name
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import Score
from bayou.learning.search.arc_gains import ArcGain, arc_gains
from bayou.learning.search.search_result import Parents
from bayou.learning.search.structure_report import LARGEST_KEPT, StructureReport
from bayou.learning.sharing.tied_gains import tied_gains
from bayou.schema import Variable
from bayou.statistics import CachedSource, Request, Source, Statistics


@dataclass(frozen=True)
class LearnedStructure:
    """The result of structure learning: the fitted network, a report on its arcs, the trace of the fit."""

    learned: FittedParameters
    report: StructureReport
    trace: LearningTrace | None = None


def search_structure(
    task: SearchTask, method: str, missing: str, priors: PriorChoice, began: float
) -> LearnedStructure:
    """Search for arcs, fit the parameters and make the report; ``began`` is the starting time."""
    data = task.data
    by_em = bool(data.gappy) and missing == "em" and (method in BY_SCORE or method == "structural-em")
    if data.sharing and data.gappy and not by_em:
        raise BadData(
            f"share= learns arcs from rows with gaps ({listed(data.gappy)}) by structural EM only: leave "
            "missing= out, or leave these rows out."
        )
    if data.sharing and not data.gappy:
        way = search_with_sharing(task, method)
        learned, trace = _fitted(data, way.found.parents, priors)
        report = _report(task, way, way.found.score, clock.perf_counter() - began)
        return LearnedStructure(learned, report, trace)
    if by_em:
        search = "auto" if method == "structural-em" else method
        return LearnedStructure(*learn_with_gaps(task, search, priors, began))
    if method in TREES and not data.gappy and data.bytes > LARGEST_KEPT:
        task = _remembering(task)
        data = task.data
    plain = task.score
    if data.gappy:
        _warn_of_gaps(data, method)
        task = replace(task, score=ScaledToAllRows(plain, data.rows))
    way = METHODS["auto" if method == "structural-em" else method](task)
    seconds = clock.perf_counter() - began
    learned, trace = _fitted(data, way.found.parents, priors)
    if data.gappy and method not in BY_SCORE:
        named = f"{score_name(plain)} of the cells that are there"
        value = score_with_gaps(replace(task, score=plain), way.found.parents)
        way = replace(way, remarks=(*way.remarks, _by_available_rows(data, method)))
        report = _report(task, way, value, seconds, named)
    else:
        known = way.found.score
        computed = partial(_score_of, learned.statistics, task.data.variables, task.score, way.found.parents)
        report = _report(task, way, computed if math.isnan(known) else known, seconds)
    return LearnedStructure(learned, report, trace)


def _remembering(task: SearchTask) -> SearchTask:
    """The task with a source that remembers tables: those of the pairs of a tree hold most of what follows.

    They hold the tables of the network, and most of those that the report compares; the rest is counted in
    one pass, without the rows (and the scorer's copy of them) in memory.
    """
    data = replace(task.data, source=CachedSource(task.data.source))
    return replace(task, data=data, known_scores=SourceScores(data.source, data.variables, task.score))


def _fitted(
    data: StructureData, parents: Parents, priors: PriorChoice
) -> tuple[FittedParameters, LearningTrace | None]:
    structure = structure_of(data, parents)
    if data.gappy:
        return fit(structure, TableGiven(data.table, data.weights, data.columns), priors, FitOptions())
    statistics = collect(structure, data.source, {v.name: v for v in data.variables})
    return learned_from(structure, statistics, priors), None


def _report(
    task: SearchTask,
    way: SearchOutcome,
    score: float | Callable[[], float],
    seconds: float,
    named: str = "",
) -> StructureReport:
    streamed = task.data.source.is_streamed
    scored = streamed or task.known_scores is not None or "scores" in vars(task)
    report = StructureReport(
        way.label,
        named or score_name(task.score),
        score if callable(score) else partial(float, score),
        seconds,
        way.found.finished,
        way.steps,
        remarks=way.remarks,
        gains=_gains(task, way.found.parents, scored),
    )
    reread = streamed and (bool(task.data.sharing) or isinstance(task.scores, SourceScores))
    passing = reread or task.data.bytes > LARGEST_KEPT
    if passing and way.found.finished:
        # Computed now, because a file may be deleted later, and large data should not be kept. Not if the
        # time is up, because it takes time.
        report.arcs  # noqa: B018
    return report


def _gains(task: SearchTask, parents: Parents, scored: bool) -> Callable[[], tuple[ArcGain, ...]]:
    """The function that computes the report on arcs; it keeps only the parts of the task that it needs."""
    if task.data.sharing:
        return partial(tied_gains, task.unit_scores, task.constraints, parents)
    if scored:
        return partial(arc_gains, task.scores, task.constraints, parents)
    make_scores = partial(local_scores, task.data.source, task.data.variables, task.score)
    constraints = task.constraints
    return lambda: arc_gains(make_scores(), constraints, parents)


class _CollectedSource:
    """Statistics that were collected already, as a source that answers every request from them."""

    is_streamed = False

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    def collect(self, requests: Sequence[Request]) -> Statistics:
        return self._statistics


def _score_of(statistics: Statistics, variables: Sequence[Variable], score: Score, parents: Parents) -> float:
    """The score of a structure that was found without scores, from the statistics of its fit."""
    # SourceScores uses only these two members of a source. Tables of any size have been collected already.
    source = cast(Source, _CollectedSource(statistics))
    scores = SourceScores(source, variables, score, largest_table=math.inf)
    return float(scores.families(list(enumerate(parents))).sum())


def _by_available_rows(data: StructureData, method: str) -> str:
    what = "test" if method == "pc" else "pair"
    have = "has" if len(data.gappy) == 1 else "have"
    return (
        f"{listed(data.gappy)} {have} gaps: each {what} uses the rows where its variables are observed, so "
        f"different {what}s use different rows; so do the gains of the arcs (scaled to all rows)."
    )


def _warn_of_gaps(data: StructureData, method: str) -> None:
    if method not in BY_SCORE:
        warn_user(f"{_by_available_rows(data, method)} method='structural-em' uses all rows.")
        return
    warn_user(
        f"{listed(data.gappy)} have gaps: each family is scored on the rows where it is complete (scaled to "
        "all rows), so scores of different parents come from different rows. missing='em' uses all rows."
    )
