"""Learning hidden Markov models: counting where all states are known, Baum–Welch or Viterbi training
elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.distributions import Table
from bayou.errors import BadData, BadQuestion, warn_user, without_warnings
from bayou.fitting.checkpoint import Checkpoint, CheckpointKey
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.counted_rows import counted_statistics, hindrance_to_counting
from bayou.fitting.sequences.sequence_identity import choices_of, fingerprint
from bayou.formats.file_content import FilePath
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice
from bayou.learning.em.expectation_maximisation import EMTask
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import INTERRUPTED, PLAIN_EM, STOPPED, Settings
from bayou.learning.time_budget import TimeBudget
from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics
from bayou.statistics.rows.remote_sequences import RemoteSequences
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.bounded_tables import Bounds
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_problem import ChainProblem, floors_of
from bayou.temporal.chain_starts import chain_starts
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.long_sequence import LongSequence
from bayou.temporal.soft_statistics import (
    column_moments,
    labelled_rows,
)
from bayou.temporal.state_order import reordered, state_order
from bayou.temporal.stored_sequences import AnySequences
from bayou.typing import IntArray, Name, Units

BAUM_WELCH, VITERBI, EM, COUNT = "baum-welch", "viterbi", "em", "count"
METHODS = (EM, BAUM_WELCH, VITERBI, COUNT)


@dataclass(frozen=True)
class SequenceFitOptions:
    """The user's options for learning from sequences."""

    method: str | None = None
    settings: Settings = field(default_factory=Settings)
    start: FrozenNetwork | None = None
    kept: frozenset[Name] = frozenset()
    bounds: Mapping[Name, Bounds] = field(default_factory=dict)
    budget: TimeBudget = field(default_factory=TimeBudget)
    checkpoint: FilePath | None = None
    model_state: Callable[[FittedChain], dict[str, Any]] | None = None
    """What a file of the model holds, for a checkpoint."""


@dataclass(frozen=True)
class FittedChain:
    """The model, the statistics it was estimated from, and whether they are expected or counted.

    ``steps`` is the number of batches that were added by stepwise EM, ``kept`` has the blocks that are not
    learned, ``bounds`` those that must stay within bounds.
    """

    model: ChainModel
    statistics: Statistics
    priors: PriorChoice
    expected: bool
    steps: int = 0
    kept: frozenset[Name] = frozenset()
    bounds: Mapping[Name, Bounds] = field(default_factory=dict)


def fit_chain(
    chain: ChainStructure, rows: AnySequences, priors: PriorChoice, how: SequenceFitOptions
) -> tuple[FittedChain, LearningTrace]:
    """Learn all parameters of a hidden Markov model from sequences.

    If every row has a label (and nothing else has to be guessed), the statistics are counted; otherwise EM
    guesses what is not known. Without labels the states are put in the order of what they emit.
    """
    if rows.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    labelled = labelled_rows(chain, rows)
    problem = chain_problem(chain, rows, priors, how)
    if how.method in (None, COUNT):
        hindrance = hindrance_to_counting(chain, rows, labelled)
        if hindrance is None:
            return counted(problem, rows), LearningTrace.counted(rows.rows)
        if how.method == COUNT:
            raise BadQuestion(f'method="count" {hindrance} Leave method= out: EM guesses what is not known.')
    return _learned(problem, rows, how, labelled)


def chain_problem(
    chain: ChainStructure, rows: AnySequences, priors: PriorChoice, how: SequenceFitOptions
) -> ChainProblem:
    """The learning problem of these sequences."""
    for name in chain.gaussians:
        if all(bool(np.isnan(part.batch.numbers[name]).all()) for part in rows.row_parts()):
            raise BadData(f"Column {name!r} has no value at all, so nothing is learned of it. Leave it out.")
    _, variances = column_moments(rows, chain.gaussians)
    flat = [
        name for name, variance in zip(chain.gaussians, variances, strict=True) if not 0 < variance < np.inf
    ]
    if flat:
        _refuse_range(flat[0], rows)
        raise BadData(
            f"Column {flat[0]!r} does not vary, so it has no density and says nothing about the states. "
            "Leave it out."
        )
    floors = floors_of(chain, dict(zip(chain.gaussians, variances.tolist(), strict=True)))
    fixed = None if how.start is None else {name: how.start.blocks[name] for name in how.kept}
    return ChainProblem(
        chain.structure,
        dict(chain.structure.declared),
        priors,
        fixed=fixed,
        chain=chain,
        floors=floors,
        kept=how.kept,
        bounds=how.bounds,
    )


def _refuse_range(name: Name, rows: AnySequences) -> None:
    """Raise BadData if a column varies, but the squares of its numbers leave the range of numbers."""
    seen = [part.batch.numbers[name] for part in rows.row_parts()]
    low, high = min(float(np.nanmin(one)) for one in seen), max(float(np.nanmax(one)) for one in seen)
    if low < high:
        raise BadData(
            f"The numbers of column {name!r} (from {low:.3g} to {high:.3g}) are too large, or too close to "
            "each other, for their variance to be a number. Give them in another unit."
        )


def counted(problem: ChainProblem, rows: AnySequences) -> FittedChain:
    """The parameters counted from rows that all have a label."""
    statistics = counted_statistics(problem.chain, problem.empty, rows)
    return from_statistics(problem, statistics)


def from_statistics(problem: ChainProblem, statistics: Statistics) -> FittedChain:
    """The parameters estimated from counted statistics."""
    blocks = {}
    for block in problem.users:
        answer = problem.expected_answer(block, statistics)
        kind, family, prior = problem.empty.kind(block), problem.family(block), problem.prior(block)
        if block in problem.kept and problem.fixed:
            blocks[block] = problem.fixed[block]
        else:
            with without_warnings():
                made = problem.counted_stays(block, answer) or kind.estimate(answer, family, prior)
            blocks[block] = problem.bounded_table(block, made, answer) if isinstance(made, Table) else made
    network = replace(problem.empty, blocks=blocks)
    model = ChainModel(problem.chain, network)
    return FittedChain(
        model, statistics, problem.priors, expected=False, kept=problem.kept, bounds=problem.bounds
    )


def _learned(
    problem: ChainProblem, rows: AnySequences, how: SequenceFitOptions, labelled: int
) -> tuple[FittedChain, LearningTrace]:
    """Learn by EM from one start or several, and keep the best."""
    chain, settings, named = problem.chain, how.settings, labelled > 0
    method = how.method or EM
    viterbi = method == VITERBI
    inner = replace(settings, method=EM if method == EM else PLAIN_EM)

    latest: dict[str, Any] = {}

    def expect(network: FrozenNetwork) -> Expectation:
        log_likelihood, statistics = expected_of(ChainModel(chain, network), rows, viterbi)
        latest.update(network=network, statistics=statistics)
        return Expectation(log_likelihood, statistics)

    task = EMTask(problem, expect, inner, rows.rows, how.budget, _units(chain, rows))
    starts = chain_starts(problem, rows, settings.seed, how.start)
    with Checkpoint.at(
        how.checkpoint, _to_be_learned(problem, rows, replace(inner, method=method), how)
    ) as file:
        reached = learn(
            task, lambda number: problem.within_bounds(starts(number)), resumed=file.resumed, keep=file.keep
        )
    best = reached.best
    assert best is not None
    model, statistics = ChainModel(chain, best.network), best.statistics
    if best.verdict != INTERRUPTED or statistics is None:
        free = not chain.is_tied and (chain.stays is None or chain.stays.alike)
        if not named and how.start is None and free:
            model = _sorted(model, how.bounds)
        known = latest.get("network") is model.network
        statistics = latest["statistics"] if known else expected_of(model, rows, viterbi)[1]
    warn_of_verdict(best.verdict, best.iterations, best.objectives, settings)
    trace = LearningTrace(
        method,
        best.verdict,
        rows.rows,
        rows.rows - labelled,
        () if named else (chain.state.name,),
        best.log_likelihoods,
        best.objectives,
        best.iterations,
        reached.finished,
        best.number,
        settings.seed,
    )
    fitted = FittedChain(
        model, statistics, problem.priors, expected=True, kept=problem.kept, bounds=problem.bounds
    )
    return fitted, trace


def _sorted(model: ChainModel, bounds: Mapping[Name, Bounds]) -> ChainModel:
    """The model with its states in the order of what they emit, unless they have bounds of their own."""
    chain, network = model.chain, model.network
    order = state_order(chain, network)
    if not _same_bounds(chain, bounds, order):
        return model
    return ChainModel(chain, reordered(chain, network, order))


def _to_be_learned(
    problem: ChainProblem, rows: AnySequences, settings: Settings, how: SequenceFitOptions
) -> CheckpointKey:
    """What a checkpoint of this fit is about."""
    chain = problem.chain

    def model_state(network: FrozenNetwork, statistics: Statistics | None) -> dict[str, Any]:
        assert how.model_state is not None
        assert statistics is not None
        return how.model_state(
            FittedChain(
                ChainModel(chain, network),
                statistics,
                problem.priors,
                expected=True,
                kept=problem.kept,
                bounds=problem.bounds,
            )
        )

    choices = choices_of(chain, how.kept, how.bounds)
    return CheckpointKey(problem, lambda: fingerprint(rows), settings, how.start, choices, "hmm", model_state)


def expected_of(model: ChainModel, rows: AnySequences, best: bool = False) -> tuple[float, Statistics]:
    """The log-likelihood and the expected statistics (with ``best``: of the best paths), the parts added from
    the first to the last.
    """
    if isinstance(rows, SequenceBatch):
        return model.expected_of_best(rows) if best else model.expected(rows)
    if isinstance(rows, RemoteSequences):
        found = rows.map(ExpectationOfSequences(model, best))
        return found.log_likelihood, found.statistics
    total: tuple[float, Statistics] | None = None
    for part in rows.whole_parts():
        if isinstance(part, SequenceBatch):
            logs, statistics = model.expected_of_best(part) if best else model.expected(part)
        else:
            long = LongSequence(model, part)
            logs, statistics = long.expected_of_best() if best else long.expected()
        total = (logs, statistics) if total is None else (total[0] + logs, total[1] + statistics)
    assert total is not None
    return total


@dataclass(frozen=True)
class ExpectationOfSequences:
    """The E-step of some sequences as a function that travels to where they are."""

    model: ChainModel
    best: bool

    def __call__(self, rows: SequenceBatch) -> Expectation:
        return Expectation(*(self.model.expected_of_best(rows) if self.best else self.model.expected(rows)))


def _same_bounds(chain: ChainStructure, bounds: Mapping[Name, Bounds], order: IntArray) -> bool:
    """Whether states in this order have the same bounds; if not, they are not sorted.

    Bounds of start and moves are about the states that users see, those of what states emit about all.
    """
    seen = order if chain.stays is None else chain.stays.owner[order[:: len(chain.stays.lengths[0])]]
    for block, pair in bounds.items():
        own = seen if block in (chain.state.name, chain.next_state) else order
        for part in pair:
            moved = part[own]
            moved = moved[:, own] if block == chain.next_state else moved
            if not np.array_equal(moved, part):
                return False
    return True


def _units(chain: ChainStructure, rows: AnySequences) -> Units:
    """The mean and the deviation of each column of numbers."""
    declared = chain.structure.declared
    names = tuple(n for n in chain.columns if declared[n].is_continuous and not declared[n].is_text)
    means, variances = column_moments(rows, names)
    found: Mapping[Name, tuple[float, float]] = {
        name: (float(mean), math.sqrt(variance)) if variance > 0 else (0.0, 1.0)
        for name, mean, variance in zip(names, means.tolist(), variances.tolist(), strict=True)
    }
    return found


def warn_of_verdict(verdict: str, iterations: int, objectives: tuple[float, ...], settings: Settings) -> None:
    """Warn of learning that stopped before it converged, or was interrupted."""
    if verdict == STOPPED:
        gain = objectives[-1] - objectives[-2] if len(objectives) > 1 else math.nan
        warn_user(
            f"Learning stopped at max_iterations={settings.max_iterations} before it converged (the last "
            f"step still gained {gain:.3g}). Raise max_iterations=, or tolerance=."
        )
    elif verdict == INTERRUPTED:
        warn_user(
            f"Learning was interrupted: these are the best parameters so far, after {iterations} iterations."
        )
