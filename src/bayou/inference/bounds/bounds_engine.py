"""Questions answered by bounds that are guaranteed, and that tighten with time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, log, prod
from time import monotonic

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.bounds.bounds import Bounds, no_bounds, point_between, posterior_bounds, tightened
from bayou.inference.bounds.cut_set_search import CutSetSearch
from bayou.inference.bounds.mini_buckets import BucketLimits
from bayou.inference.bounds.neighbourhood import neighbourhood_bounds
from bayou.inference.conflict import conflict
from bayou.inference.engine_options import EngineOptions
from bayou.inference.engines import Engine
from bayou.inference.question import Question, relevant
from bayou.inference.sampling.factor_graph import FactorGraph, question_graph
from bayou.inference.sampling.support_search import has_support
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope
from bayou.memory import count_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

LIMITS = BucketLimits(cells=2**16, whole=2**24)
"""A cut-set is chosen so that no table of the rest has more than 2¹⁶ entries; none is needed where all tables
together have at most 2²⁴."""
ENTRIES_A_SECOND = 2e7
"""Table entries per second, about: tables that take longer than the time allows are not made at once."""
LARGEST_JOINT = 2**12
"""The most joint states of several targets that are bounded."""
TUPLES_ELSEWHERE = 64
"""Parts of the network that do not touch the targets only change P(findings): they get this many tuples."""


@dataclass(frozen=True, eq=False)
class _Found:
    """Bounds on the probabilities of the graph's joint states of the targets."""

    lower: FloatArray
    upper: FloatArray
    explored: int
    cut: int
    log_evidence: tuple[float, float]


class BoundsEngine(Engine):
    """Lower and upper bounds by a search over a cut-set, and by the neighbourhood of the targets.

    ``limits`` say how large the tables of the exact parts may be.
    """

    handles_numbers = True
    is_exact = False
    draws = True
    name = "bounds"

    def __init__(self, options: EngineOptions | None = None, limits: BucketLimits = LIMITS) -> None:
        self.options = options or EngineOptions.from_arguments()
        fits = min(current_limits().memory / 16, self.options.seconds * ENTRIES_A_SECOND)
        self.limits = replace(limits, whole=int(min(limits.whole, fits)))

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Bound the joint posterior of the targets."""
        _refuse(network, question)
        graph = question_graph(network, names, question, join=False)
        if graph.log_scale == -inf:
            raise _impossible(network, question)
        place = {number: position for position, number in enumerate(graph.numbers)}
        numbers = [network.schema.index(name) for name in question.targets]
        found = self._bounded(graph, tuple(place[n] for n in numbers if n in place))
        if found is None or (found.log_evidence[0] == -inf and has_support(graph) is False):
            raise _impossible(network, question)
        ends = found.log_evidence if question.has_findings else (0.0, 0.0)
        lower, upper = (
            _over_all_states(network, graph, question, values) for values in (found.lower, found.upper)
        )
        bounds = Bounds(lower, upper, found.explored, found.cut, *ends)
        table = point_between(lower, upper)
        return Answer(question.targets, table, None, _middle(*ends), estimate=bounds)

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """Bound the posterior of each discrete target on its own; each has the same share of the time.

        First bounds take their time, whatever the share: where hundreds of them take more than twice the time
        (or a second more), the bounds of the other targets are 0 and 1.
        """
        targets = [name for name in question.targets if not network.schema[name].is_continuous]
        tables: dict[Name, FloatArray] = {}
        estimates: dict[Name, Bounds] = {}
        whole = self.options
        low, high = (-inf, inf) if question.has_findings else (0.0, 0.0)
        if not targets:
            alone = replace(question, targets=())
            low = high = self.answer(network, relevant(network, alone), alone).log_evidence
        for done, name in enumerate(targets):
            if done and monotonic() > whole.started + _latest(whole.seconds):
                estimates[name] = no_bounds(network.schema[name].cardinality, low, high)
                tables[name] = point_between(estimates[name].lower, estimates[name].upper)
                continue
            share = self.options.time
            if share is not None:
                share = max(whole.started + share - monotonic(), 0.0) / (len(targets) - done)
            engine = BoundsEngine(replace(whole, time=share, started=monotonic()), self.limits)
            asked = replace(question, targets=(name,))
            answer = engine.answer(network, relevant(network, asked), asked)
            assert answer.table is not None
            assert isinstance(answer.estimate, Bounds)
            tables[name], estimates[name] = answer.table, answer.estimate
            low = max(low, answer.estimate.log_evidence_lower)
            high = min(high, answer.estimate.log_evidence_upper)
        return MarginalAnswers(_middle(low, high), tables, estimates=estimates)

    def _bounded(self, graph: FactorGraph, targets: Scope) -> _Found | None:
        """Bounds for the targets among the graph's variables; None if the findings are proved impossible."""
        explored, cut, log_low, log_high = 0, 0, graph.log_scale, graph.log_scale
        lower = upper = np.ones(1)
        for factors, is_asked in _parts(graph.factors, targets):
            own = targets if is_asked else ()
            near = neighbourhood_bounds(factors, graph.cards, own, self.limits) if own else None
            search = CutSetSearch(factors, graph.cards, own, self.limits)
            self._explore(search, near, None if is_asked or not targets else TUPLES_ELSEWHERE)
            masses = search.masses
            if not masses.upper.any():
                return None
            low, high = masses.logs
            log_low, log_high = log_low + low, log_high + high
            explored += search.explored
            if is_asked:
                lower, upper = _posterior(search, near)
                cut = search.depth
                if (lower > upper).any():
                    return None  # the masses contradict the neighbourhood: nothing is possible
        room = 2.0**-40 * (1 + abs(log_high))
        return _Found(lower, upper, explored, cut, (log_low - room, log_high + room))

    def _explore(
        self, search: CutSetSearch, near: tuple[FloatArray, FloatArray] | None, most: int | None
    ) -> None:
        """Search until the options say stop, or the accuracy is reached."""
        options = self.options
        limit = min(x for x in (most, options.samples, inf) if x is not None)
        checked = 0.0
        while not search.is_finished and search.explored + search.next_nodes <= limit:
            if options.time is not None and monotonic() - options.started >= options.time:
                return
            if options.accuracy is not None and search.explored >= 1.2 * checked:
                checked = search.explored
                lower, upper = _posterior(search, near)
                if (upper - lower).max() <= 2 * options.accuracy:
                    return
            search.explore(None if limit == inf else int(limit) - search.explored)


def _latest(seconds: float) -> float:
    """The seconds after which no first bounds are begun."""
    return max(2 * seconds, seconds + 1)


def _posterior(
    search: CutSetSearch, near: tuple[FloatArray, FloatArray] | None
) -> tuple[FloatArray, FloatArray]:
    """The best bounds so far: those of the masses and those of the neighbourhood."""
    masses = search.masses
    lower, upper = posterior_bounds(masses.lower, masses.upper)
    if near is not None:
        lower, upper = np.maximum(lower, near[0]), np.minimum(upper, near[1])
    return tightened(lower, upper)


def _middle(low: float, high: float) -> float:
    """The log of the mean of two numbers given by their logs."""
    return high + log((1 + np.exp(low - high)) / 2) if high > -inf else -inf


def _refuse(network: FrozenNetwork, question: Question) -> None:
    for name in question.targets:
        if network.schema[name].is_continuous:
            raise BadQuestion(
                f"{name!r} is continuous: engine='bounds' bounds probabilities of states. Ask for discrete "
                "variables, or ask without engine=."
            )
    cells = prod(network.schema[name].cardinality for name in question.targets)
    if cells > LARGEST_JOINT:
        raise TooWide(
            f"The joint posterior of these {len(question.targets)} targets has {count_text(cells)} cells; "
            f"at most {LARGEST_JOINT:,} are bounded. Ask for fewer targets at a time."
        )


def _impossible(network: FrozenNetwork, question: Question) -> ImpossibleEvidence:
    """The error that names findings that cannot occur together; all, where no smaller set is proved to."""

    def may_be_possible(trial: Question) -> bool:
        graph = question_graph(network, relevant(network, trial), trial, join=False)
        return graph.log_scale > -inf and has_support(graph) is not False

    return ImpossibleEvidence.conflict(conflict(network, question, may_be_possible))


def _parts(factors: Iterable[PlainFactor], targets: Scope) -> list[tuple[list[PlainFactor], bool]]:
    """Groups of tables that share no variable, and whether a group has the targets (all are in one)."""
    parts: list[tuple[set[int], list[PlainFactor]]] = [({*targets}, [])]
    for factor in factors:
        joined, members = {*factor.scope}, [factor]
        apart = []
        for at, (variables, own) in enumerate(parts):
            if at and joined.isdisjoint(variables):
                apart.append((variables, own))
            elif at:
                joined, members = joined | variables, own + members
            else:
                first = (variables, own)
        if joined.isdisjoint(first[0]):
            parts = [first, *apart, (joined, members)]
        else:
            parts = [(first[0] | joined, first[1] + members), *apart]
    return [(own, at == 0 and bool(targets)) for at, (_, own) in enumerate(parts) if own]


def _over_all_states(
    network: FrozenNetwork, graph: FactorGraph, question: Question, values: FloatArray
) -> FloatArray:
    """A table over all states of the targets: 0 for those that zeros in the tables rule out."""
    place: Mapping[int, int] = {number: position for position, number in enumerate(graph.numbers)}
    numbers = [network.schema.index(name) for name in question.targets]
    full: FloatArray = np.zeros([network.schema[name].cardinality for name in question.targets])
    cells = np.ix_(*(graph.states[place[n]] if n in place else np.array([graph.known[n]]) for n in numbers))
    full[cells] = values.reshape([len(axis.ravel()) for axis in cells])
    return full
