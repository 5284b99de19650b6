"""Learning a structure from rows with missing values: structural EM around any search by score."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayou.distributions import Laplace
from bayou.errors import BadData, BayouWarning
from bayou.fitting.fit_options import FitOptions, TableGiven
from bayou.fitting.fitted_parameters import FittedParameters, learned_from
from bayou.fitting.learning_trace import COUNTED, LearningTrace
from bayou.fitting.network_fit import fit
from bayou.fitting.search_task import SearchTask
from bayou.fitting.shared_structure_search import remarks_on_sharing, search_with_sharing
from bayou.fitting.structure_data import StructureData, structure_of
from bayou.fitting.structure_methods import METHODS, automatic_method
from bayou.learning import PriorChoice
from bayou.learning.em.structural_em import (
    COMPLETIONS,
    FittedStructure,
    MeanScores,
    RoundFunctions,
    StructuralEM,
    completed_rows,
)
from bayou.learning.em.trace import INTERRUPTED, OUT_OF_TIME
from bayou.learning.em.training_rows import TrainingRows
from bayou.learning.parameters import users_of
from bayou.learning.scores.available_case_scores import price_of, score_name
from bayou.learning.scores.local_scores import FamilyNumbers, SourceScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import Score
from bayou.learning.search.arc_gains import ArcGain, arc_gains
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.search.structure_report import LARGEST_KEPT, StructureReport
from bayou.learning.search.trees import chow_liu_tree
from bayou.learning.sharing.tied_gains import tied_gains
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.learning.sharing.units import Units
from bayou.learning.time_budget import TimeBudget
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.sources import TableSource
from bayou.sources.batches import columns_of
from bayou.statistics import LARGEST_HELD, Batch, rows_in_memory

_FEWER_RESTARTS = 5
"""The restarts of hill climbing in each round; the next round starts from its best graph."""


def learn_with_gaps(
    task: SearchTask, method: str, priors: PriorChoice, began: float
) -> tuple[FittedParameters, StructureReport, LearningTrace | None]:
    """Learn a structure by structural EM with the search ``method``; ``began`` is the starting time."""
    rows = _Rounds(task, method, priors)
    em = StructuralEM(
        _all_rows(task.data),
        RoundFunctions(rows.climb, rows.fit, rows.without_density),
        task.budget,
        task.seed,
    )
    guess = rows.first_guess() if task.start is None else None
    found = em.run(task.start, guess, rows.least(guess))
    assert em.best is not None
    learned, trace = rows.learn_best(em.best, task.budget)
    data = task.data
    gains = _Gains(em.best, em.rows, data.units, data.variables, task.score, task.constraints, task.seed)
    report = StructureReport(
        f"structural EM with {rows.label}" if rows.label else "structural EM",
        f"{score_name(task.score)} of the cells that are there",
        partial(float, found.score),
        clock.perf_counter() - began,
        found.finished,
        tuple(task.steps),
        tuple(em.trace),
        ("Gains are those of rows completed by draws from this network.", *remarks_on_sharing(data)),
        gains=gains,
    )
    if data.bytes > LARGEST_KEPT:
        report.arcs  # noqa: B018  # computed now, so that the rows need not be kept
    return learned, report, trace


def score_with_gaps(task: SearchTask, parents: Parents) -> float:
    """The maximal log-likelihood of the observed values minus the penalty for parameters."""
    return _Rounds(task, "auto", PriorChoice()).fit(parents, TimeBudget()).value


def _all_rows(data: StructureData) -> Batch:
    """All rows in memory; every round completes them."""
    if not data.source.gives_rows:
        raise BadData(
            'Structural EM completes rows, which transport="cells" keeps in the database. Use '
            'missing="available", or another transport.'
        )
    rows = rows_in_memory(data.source, data.variables)
    if rows is None:
        raise BadData(
            "Structural EM completes all rows in memory, and these take more than "
            f'{LARGEST_HELD / 1e9:.1f} GB. Use missing="available", fewer rows, or leave columns out '
            "(ignore=…)."
        )
    return rows


@dataclass
class _Rounds:
    """The functions that structural EM calls in each round; fitted networks are kept in ``learned``."""

    task: SearchTask
    method: str
    priors: PriorChoice

    def __post_init__(self) -> None:
        self.label = ""
        self.learned: dict[Parents, FittedParameters] = {}

    def first_guess(self) -> Parents:
        """A Chow–Liu tree, used only to complete the rows first; no arcs with numbers or shared tables."""
        data = self.task.data
        parents: Parents = tuple(() for _ in data.names)
        if data.sharing or any(variable.is_continuous for variable in data.variables):
            return parents
        place = {name: position for position, name in enumerate(data.names)}
        tree = chow_liu_tree(data.source, data.names)
        return tuple(tuple(place[parent] for parent in tree.parents[name]) for name in data.names)

    def least(self, guess: Parents | None) -> Parents:
        """A structure that satisfies the constraints: the guess if it does, else the required arcs alone."""
        limits = self.task.constraints
        arcs = np.zeros_like(limits.required)
        for child, parents in enumerate(guess or ()):
            arcs[list(parents), child] = True
        wrong = (arcs & ~limits.allowed) | (limits.required & ~arcs)
        if guess is not None and not wrong.any() and arcs.sum(axis=0).max() <= limits.max_parents:
            return guess
        return tuple(tuple(np.flatnonzero(column).tolist()) for column in limits.required.T)

    def climb(
        self, rows: Sequence[Batch], unfit: Iterable[FamilyNumbers], start: Parents | None
    ) -> FoundStructure:
        """Search a structure, from ``start`` if the method takes a starting structure."""
        data = self.task.data
        tables = [_table(some, data.variables) for some in rows]
        scores = _mean_scores(tables, data.variables, self.task.score, unfit)
        task = replace(self.task, known_scores=scores)
        method = automatic_method(task) if self.method == "auto" else self.method
        begin = start if method in ("hill-climbing", "tabu", "order") else None
        restarts = task.restarts
        if restarts is None and method == "hill-climbing":
            restarts = _FEWER_RESTARTS
        task = replace(task, start=begin, restarts=restarts)
        if data.sharing:
            pooled = UnitScores(scores, tables, data.units)
            way = search_with_sharing(replace(task, known_unit_scores=pooled), method)
        else:
            way = METHODS[method](task)
        self.label = way.label
        return way.found

    def fit(self, parents: Parents, budget: TimeBudget) -> FittedStructure:
        """Fit a structure by EM; its value is the log-likelihood of the observed values minus the penalty.

        The fit has no prior, because scores compare maxima of the likelihood.
        """
        data = self.task.data
        learned, trace = self._fitted(parents, PriorChoice(Laplace(0.0)), budget, compared=True)
        self.learned[parents] = learned
        price = _price(self.task.score, data.rows, learned.network)
        finished = trace.verdict not in (INTERRUPTED, OUT_OF_TIME)
        value = trace.log_likelihood
        if trace.verdict == COUNTED:
            # Only rows without any value are incomplete, so the parameters were counted and have no trace.
            value = (
                TrainingRows(data.source, list(learned.network.schema)).expect(learned.network).log_likelihood
            )
        return FittedStructure(parents, learned.network, value - price, finished)

    def without_density(self, parents: Parents, fitted: Parents) -> list[FamilyNumbers]:
        """The families of ``parents`` whose continuous child is determined by its parents in complete rows.

        If there are none, all families of continuous children that differ from the fitted structure.
        """
        data = self.task.data
        other = [
            (child, own)
            for child, own in enumerate(parents)
            if data.variables[child].is_continuous and own != fitted[child]
        ]
        values = SourceScores(data.source, data.variables, self.task.score).families(other)
        exact = [family for family, value in zip(other, values, strict=True) if value == -np.inf]
        return exact or other

    def learn_best(
        self, best: FittedStructure, budget: TimeBudget
    ) -> tuple[FittedParameters, LearningTrace | None]:
        """Fit the best structure with the user's priors; if the time is up, from its expected statistics."""
        data = self.task.data
        if best.finished and not budget.over:
            return self._fitted(best.parents, self.priors, budget, compared=False)
        statistics = self.learned[best.parents].statistics
        learned = learned_from(structure_of(data, best.parents), statistics, self.priors)
        return replace(learned, expected=True), None

    def _fitted(
        self, parents: Parents, priors: PriorChoice, budget: TimeBudget, *, compared: bool
    ) -> tuple[FittedParameters, LearningTrace]:
        data = self.task.data
        given = TableGiven(data.table, data.weights, data.columns)
        with warnings.catch_warnings():
            if priors != self.priors:  # a fit without a prior is only compared: rows without data are fine
                warnings.filterwarnings("ignore", ".*never occur and the prior adds nothing", BayouWarning)
            if compared:  # the user cannot change the iterations of these fits
                warnings.filterwarnings("ignore", "Learning stopped at max_iterations", BayouWarning)
            return fit(structure_of(data, parents), given, priors, FitOptions(budget=budget))


@dataclass(frozen=True)
class _Gains:
    """Computes the report on arcs when it is first used, on rows completed by the network itself."""

    best: FittedStructure
    rows: Batch
    units: Units
    variables: tuple[Variable, ...]
    score: Score
    constraints: Constraints
    seed: int

    def __call__(self) -> tuple[ArcGain, ...]:
        rounds = range(self.seed + COMPLETIONS, self.seed + 2 * COMPLETIONS)
        drawn = (completed_rows(self.best.network, self.rows, seed) for seed in rounds)
        tables = [_table(rows, self.variables) for rows in drawn]
        scores = _mean_scores(tables, self.variables, self.score)
        if len(self.units.names) < len(self.variables):
            pooled = UnitScores(scores, tables, self.units)
            return tied_gains(pooled, self.constraints, self.best.parents)
        return arc_gains(scores, self.constraints, self.best.parents)


def _mean_scores(
    tables: Sequence[TableSource],
    variables: Sequence[Variable],
    score: Score,
    unfit: Iterable[FamilyNumbers] = (),
) -> MeanScores:
    """The mean scores of several completions of the same rows."""
    return MeanScores([local_scores(table, variables, score) for table in tables], unfit)


def _price(score: Score, rows: float, network: FrozenNetwork) -> float:
    """The penalty for all free parameters; each row has as many cases of a table as the table has users."""
    return sum(
        price_of(score, rows * len(users)) * network.blocks[block].free_parameters
        for block, users in users_of(network).items()
    )


def _table(rows: Batch, variables: Sequence[Variable]) -> TableSource:
    """Coded rows as a source."""
    return TableSource(columns_of(rows, variables), rows.weights)
