"""What all engines that estimate from random draws have in common: the questions they get, their answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from time import monotonic
from typing import ClassVar

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.conflict import conflict
from bayou.inference.engine_options import EngineOptions
from bayou.inference.engines import Engine
from bayou.inference.query import LARGEST_ESTIMATED
from bayou.inference.question import Question, relevant
from bayou.inference.sampling.estimate import MORE, MOST_EFFECTIVE, WIDEST, Estimate, binomial_interval
from bayou.inference.sampling.factor_graph import FactorGraph, question_graph
from bayou.inference.sampling.look_ahead import DrawingPlan, drawing_plan
from bayou.inference.sampling.support_search import has_support
from bayou.inference.sampling.zero_propagation import Scope
from bayou.memory import count_text
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

TIME_TO_SEARCH = 0.4
"""The share of the time by which the search for one possible combination of states ends."""
TIME_TO_ORDER = 0.2
"""The share of the time by which the search for a good order of the variables ends."""


@dataclass(frozen=True, eq=False)
class PreparedQuestion:
    """A question with its relevant variables, and the tables that it comes down to."""

    network: FrozenNetwork
    names: Sequence[Name]
    question: Question
    graph: FactorGraph
    plan: DrawingPlan


class Preparation:
    """What engines that are asked the same question in turn prepare once, for all of them."""

    def __init__(self) -> None:
        self._made: PreparedQuestion | None = None

    def of(
        self, network: FrozenNetwork, names: Sequence[Name], question: Question, options: EngineOptions
    ) -> PreparedQuestion:
        """The tables of the question, and a plan to draw rows."""
        made = self._made
        if made is None or made.question is not question or made.network is not network:
            made = self._made = possible_problem(network, names, question, options)
        return made


@dataclass(frozen=True, eq=False)
class CellEstimates:
    """Estimated probabilities of the cells of one target, their standard errors and effective sizes."""

    probability: FloatArray
    error: FloatArray
    size: FloatArray


@dataclass(frozen=True, eq=False)
class SamplingResult:
    """The result of a run: shares by target, the draws made, the size they are worth, and the doubts."""

    shares: Sequence[CellEstimates]
    draws: int
    effective_size: float
    log_evidence: float
    reasons: tuple[str, ...] = ()
    r_hat: float | None = None
    log_evidence_error: float = 0.0

    @classmethod
    def without_draws(cls, targets: Sequence[Scope], log_evidence: float) -> SamplingResult:
        """The result where all variables have one possible state each: nothing needs to be drawn."""
        return cls([certain() for _ in targets], 0, inf, log_evidence)

    @cached_property
    def intervals(self) -> list[tuple[FloatArray, FloatArray]]:
        """The ends of the 99 % intervals of each target, all found at once.

        A single cell has probability 1, without an error.
        """
        open_ones = [share for share in self.shares if share.probability.size > 1]
        found: Iterator[tuple[FloatArray, FloatArray]] = iter(())
        if open_ones:
            ends = np.cumsum([share.probability.size for share in open_ones])[:-1]
            low, high = binomial_interval(
                np.concatenate([share.probability for share in open_ones]),
                np.concatenate([share.size for share in open_ones]),
            )
            found = zip(np.split(low, ends), np.split(high, ends), strict=True)
        return [
            next(found) if share.probability.size > 1 else (share.probability, share.probability)
            for share in self.shares
        ]

    @property
    def margin(self) -> float:
        """Half the width of the widest 99 % interval."""
        return max((float((high - low).max(initial=0.0)) / 2 for low, high in self.intervals), default=0.0)


class SamplingEngine(Engine):
    """An engine that estimates: its answers have an :class:`Estimate`, with the error of each probability."""

    handles_numbers = True
    is_exact = False
    draws = True
    name: ClassVar[str]

    def __init__(self, options: EngineOptions | None = None) -> None:
        self.options = options or EngineOptions.from_arguments()
        self.preparation = Preparation()

    @abstractmethod
    def sampled(self, problem: PreparedQuestion, targets: Sequence[Scope]) -> SamplingResult:
        """Draw, and return the shares of the joint states of each of the targets (variables of the graph)."""

    def _done(self, problem: PreparedQuestion, targets: Sequence[Scope]) -> SamplingResult:
        """The shares; with a doubt where their intervals are so wide that they tell little."""
        done = self.sampled(problem, targets)
        if done.reasons or done.margin <= max(WIDEST, self.options.accuracy or 0.0):
            return done
        return replace(done, reasons=(f"the widest 99 % interval is ± {done.margin:.2g}: {MORE}",))

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Estimate the joint posterior of the targets."""
        _refuse_numbers(network, question, self.name)
        problem = self.preparation.of(network, names, question, self.options)
        cells = prod(network.schema[name].cardinality for name in question.targets)
        if cells > LARGEST_ESTIMATED:
            raise TooWide(
                f"The joint posterior of these {len(question.targets)} targets has {count_text(cells)} "
                f"cells, and at most {LARGEST_ESTIMATED:,} are estimated. Ask for fewer targets at a time."
            )
        layout = _Layout(network, problem.graph, question.targets)
        done = self._done(problem, [layout.scope])
        table, estimate = layout.answer(done, 0, self)
        return Answer(question.targets, table, None, _evidence(question, done), estimate=estimate)

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """Estimate the posterior of each discrete target from the same draws; others are left out."""
        discrete = tuple(name for name in question.targets if not network.schema[name].is_continuous)
        problem = self.preparation.of(network, names, question, self.options)
        layouts = {name: _Layout(network, problem.graph, (name,)) for name in discrete}
        done = self._done(problem, [layout.scope for layout in layouts.values()])
        found = {
            name: layout.answer(done, place, self) for place, (name, layout) in enumerate(layouts.items())
        }
        return MarginalAnswers(
            _evidence(question, done),
            {name: table for name, (table, _) in found.items()},
            estimates={name: estimate for name, (_, estimate) in found.items()},
        )


def _evidence(question: Question, done: SamplingResult) -> float:
    return done.log_evidence if question.has_findings else 0.0


def _refuse_numbers(network: FrozenNetwork, question: Question, engine: str) -> None:
    for name in question.targets:
        if network.schema[name].is_continuous:
            raise BadQuestion(
                f"{name!r} is continuous: engine={engine!r} estimates probabilities of states. Ask without "
                "engine=, or draw rows given the findings: net.sample(100_000, given={…})."
            )


class _Layout:
    """Where the joint states of some variables are among the cells of the graph's variables."""

    def __init__(self, network: FrozenNetwork, graph: FactorGraph, targets: Sequence[Name]) -> None:
        place = {number: position for position, number in enumerate(graph.numbers)}
        numbers = [network.schema.index(name) for name in targets]
        self.shape = [network.schema[name].cardinality for name in targets]
        self.scope: Scope = tuple(place[n] for n in numbers if n in place)
        self.cells = np.ix_(
            *(graph.states[place[n]] if n in place else np.array([graph.known[n]]) for n in numbers)
        )
        self.inner = [len(axis.ravel()) for axis in self.cells]

    def answer(self, done: SamplingResult, place: int, engine: SamplingEngine) -> tuple[FloatArray, Estimate]:
        """The table of the target at this place, 0 where a state is impossible, and its error."""
        share, (low, high) = done.shares[place], done.intervals[place]
        probability = self._spread(share.probability)
        estimate = Estimate(
            engine.name,
            engine.options.seed,
            done.draws,
            done.effective_size,
            self._spread(share.error),
            self._spread(low),
            self._spread(high),
            done.r_hat,
            done.log_evidence_error,
            done.reasons,
        )
        return probability, estimate

    def _spread(self, values: FloatArray) -> FloatArray:
        full: FloatArray = np.zeros(self.shape)
        if not self.shape:
            return values.reshape(())
        full[self.cells] = values.reshape(self.inner)
        return full


def certain() -> CellEstimates:
    """The share of a target all of whose variables have one possible state each."""
    return CellEstimates(np.ones(1), np.zeros(1), np.full(1, MOST_EFFECTIVE))


def possible_problem(
    network: FrozenNetwork, names: Sequence[Name], question: Question, options: EngineOptions
) -> PreparedQuestion:
    """The tables of a question; raises ImpossibleEvidence if its findings are proved impossible.

    The proof is arc consistency, an elimination of bounded size, or a search of bounded length. Where there
    is little time, the elimination is smaller and the search ends sooner.
    """
    graph = question_graph(network, names, question)
    plan = drawing_plan(graph, seconds=options.seconds, until=options.until(TIME_TO_ORDER))
    until = options.until(TIME_TO_SEARCH)
    if _may_be_possible(graph, plan, until):
        return PreparedQuestion(network, names, question, graph, plan)

    def may_be_possible(trial: Question) -> bool:
        if monotonic() > options.until(1.0):
            return True  # the findings that are left contradict each other, perhaps not all are needed
        own = question_graph(network, relevant(network, trial), trial)
        plan = drawing_plan(own, seconds=options.seconds, until=options.until(1.0))
        return _may_be_possible(own, plan, options.until(1.0))

    raise ImpossibleEvidence.conflict(conflict(network, question, may_be_possible))


def _may_be_possible(graph: FactorGraph, plan: DrawingPlan, until: float) -> bool:
    """Whether the findings are possible, as far as can be found out within bounds, and by this time."""
    if plan.is_exact or plan.log_bound == -inf or not graph.has_zeros:
        return plan.log_bound > -inf
    return has_support(graph, until=until) is not False
