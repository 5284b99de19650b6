"""Where learning starts: the best of many short climbs of EM from random parameters.

The likelihood of a hidden Markov model has many local maxima, so a start is chosen by a contest: from random
parameters a few steps of EM are made on some of the sequences, the better climbs go on, the best wins. Where
all columns are tables or Gaussians, one kernel makes many climbs at once (folder ``starts``); other models
start from fewer groupings of the rows, by k-means or, of symbols, by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.distributions import FINITE, Distribution, LinearGaussian, StartingData, Table
from bayou.errors import BayouError, without_warnings
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_problem import ChainProblem
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.soft_statistics import column_moments, labels_of, soft_statistics
from bayou.temporal.starts.contest import WORK, Contest
from bayou.temporal.starts.many_climbs import many_climbs
from bayou.temporal.stored_sequences import AnySequences
from bayou.typing import FloatArray, IntArray, Name

FEW_ROWS = ((48, 10), (12, 40), (4, 120))
MANY_ROWS = ((12, 10), (4, 20))
ALL_KNOWN = ((1, 20),)
LEADERS = ((8, 15), (4, 30))
"""The rounds of the contest: so many starts are left, and get so many steps of EM. Few rows have many local
maxima, and steps on them are cheap; where all states are known, one start is enough.
"""
_FEW = 3_000
COUNTED, RANDOM, WIDE = "counted", "random", "wide"
"""Kinds of starts: moves counted from groups by k-means; random moves and the rows around random ones; these
and Gaussians as wide as all rows.
"""
_KINDS = (COUNTED, WIDE, RANDOM)
ROWS = 20_000
"""The rows that the contest uses."""
_ROUNDS = 15
_STICKINESS = 1.0
"""The count that is added to every cell of a table at the start, so that none is 0."""


def chain_starts(
    problem: ChainProblem, rows: AnySequences, seed: int, known: FrozenNetwork | None = None
) -> Callable[[int], FrozenNetwork]:
    """The starting networks by number; the same seed gives the same ones.

    ``known`` has the parameters to start from, instead of those of the first start.
    """
    some = some_sequences(rows, seed)
    whole = some.rows == rows.rows

    def start(number: int) -> FrozenNetwork:
        if known is not None and number == 0:
            return known
        best = _quick_winner(problem, some, seed, number)
        if best is None:
            best = _winner(problem, some, np.random.default_rng([seed, number]))
        return best if whole else _without_zeros(problem, best)

    return start


def some_sequences(rows: AnySequences, seed: int, most: int | None = None) -> SequenceBatch:
    """A random part of the sequences with about so many rows (None: ROWS); a long one is cut."""
    most = ROWS if most is None else most
    if rows.rows <= most:
        return rows if isinstance(rows, SequenceBatch) else rows.only(np.arange(rows.count))
    order = np.random.default_rng(seed).permutation(rows.count)
    total = np.cumsum(rows.lengths[order])
    chosen = np.sort(order[: int(np.searchsorted(total, most)) + 1])
    return rows.only(chosen, most)


def _quick_winner(problem: ChainProblem, rows: SequenceBatch, seed: int, number: int) -> FrozenNetwork | None:
    """The best of many climbs that one kernel makes; None if it can not. Many rows are left to the leaders of
    a contest on a part of them.
    """
    chance = np.random.default_rng([seed, number])
    climbs, few = (many_climbs(problem, part) for part in (rows, some_sequences(rows, seed + number, _FEW)))
    if climbs is None or few is None:
        return None
    part = few.rows is not climbs.rows
    leaders, reached = Contest(few, chance, WORK / 3 if part else WORK).leaders()
    last = Contest(climbs, chance)
    if part:
        leaders, reached = last.rounds(climbs.without_zeros(leaders), LEADERS)
    return climbs.network(last.finished(leaders[0])) if np.isfinite(reached[0]) else None


def _winner(problem: ChainProblem, rows: SequenceBatch, chance: np.random.Generator) -> FrozenNetwork:
    """The best of several starts after a few steps of EM; the better ones of each round get more steps."""
    unknown = FEW_ROWS if rows.rows <= _FEW else MANY_ROWS
    rounds = ALL_KNOWN if labels_of(problem.chain, rows).all() else unknown
    climbs = [_Climb(problem, rows) for _ in range(rounds[0][0])]
    for number, climb in enumerate(climbs):
        climb.start(chance, _KINDS[number % len(_KINDS)])
    for kept, steps in rounds:
        climbs = sorted(climbs, key=lambda climb: -climb.reached)[:kept]
        for climb in climbs:
            climb.go_on(steps)
    best = max(climbs, key=lambda climb: climb.reached)
    if best.network is None:
        assert best.failure is not None
        raise best.failure
    return best.network


@dataclass
class _Climb:
    """One start and the steps of EM from it; ``reached`` is its objective, −inf if a step failed."""

    problem: ChainProblem
    rows: SequenceBatch
    network: FrozenNetwork | None = None
    reached: float = -np.inf
    failure: BayouError | None = None

    def start(self, chance: np.random.Generator, kind: str) -> None:
        try:
            self.network = grouped_start(self.problem, self.rows, chance, kind)
            self.reached = np.inf
        except BayouError as error:
            self.failure = error

    def go_on(self, steps: int) -> None:
        try:
            for _ in range(steps if self.network is not None else 0):
                assert self.network is not None
                found = Expectation(*ChainModel(self.problem.chain, self.network).expected(self.rows))
                self.reached = found.log_likelihood + self.problem.log_prior(self.network)
                self.network = self.problem.maximised(self.network, found)
        except BayouError as error:
            self.network, self.reached, self.failure = None, -np.inf, error


def grouped_start(
    problem: ChainProblem, rows: SequenceBatch, chance: np.random.Generator, kind: str = COUNTED
) -> FrozenNetwork:
    """The parameters estimated from a random grouping of the rows; known states are kept.

    Moves are counted from the groups, or random; Gaussians have the spread of their group, or that of all
    rows.
    """
    weights = _grouping(problem, rows, chance, _ROUNDS if kind == COUNTED else 1)
    with without_warnings():
        statistics = soft_statistics(problem.chain, problem.empty, rows, weights)
        blocks = {block: _block(problem, block, statistics, chance, kind) for block in problem.users}
    return replace(problem.empty, blocks={**blocks, **(problem.fixed or {})})


def _block(
    problem: ChainProblem, block: Name, statistics: Statistics, chance: np.random.Generator, moves: str
) -> Distribution:
    family, kind = problem.family(block), problem.empty.kind(block)
    answer = problem.expected_answer(block, statistics)
    if family.child.name in problem.chain.gaussians:
        wide = LinearGaussian(
            answer.mean[..., -1],
            np.zeros((*family.shape, len(family.continuous))),
            _spread(answer, problem, block),
        )
        return wide if moves == WIDE else problem.maximised_gaussian(block, wide, answer)
    if block == problem.chain.next_state and moves != COUNTED and problem.chain.stays is None:
        states = problem.chain.states
        return Table(chance.dirichlet(np.full(states, 1.0), states))
    if kind.form == FINITE and answer is not None:
        weighed = answer.values + _STICKINESS
        return Table(weighed / weighed.sum(axis=-1, keepdims=True))
    known = StartingData(family, problem.prior(block), answer, None, _nothing, chance, wild=False)
    return kind.start(known)


def _nothing(variable: Any) -> Any:
    return None


def _spread(answer: Any, problem: ChainProblem, block: Name) -> FloatArray:
    """The variance of all rows, for each group."""
    whole = answer.whole
    variance = float(whole.scatter[-1, -1] / max(float(whole.n), 1e-300))
    return np.full(answer.n.shape, max(variance, problem.floors.get(block, 0.0), 1e-300))


def _without_zeros(problem: ChainProblem, network: FrozenNetwork) -> FrozenNetwork:
    """The network with a little probability everywhere: EM could not leave zeros that a part of the rows
    left.
    """
    blocks = dict(network.blocks)
    for block in (problem.chain.state.name, problem.chain.next_state, *problem.chain.columns):
        node = blocks[block]
        if isinstance(node, Table) and block not in problem.kept:
            weighed = node.values + 1e-3 / node.values.shape[-1]
            blocks[block] = Table(weighed / weighed.sum(axis=-1, keepdims=True))
    return network.with_blocks(blocks)


def _grouping(
    problem: ChainProblem, rows: SequenceBatch, chance: np.random.Generator, rounds: int
) -> FloatArray:
    """P(state) of each row, [row, state · component]: from k-means, or random for each symbol."""
    chain = problem.chain
    components = chain.component.cardinality if chain.component is not None else 1
    names = tuple(
        name for name in chain.columns if name in rows.batch.numbers and not problem.variables[name].is_text
    )
    if names:
        weights = _clustered(rows, names, chain, components, chance, rounds)
    else:
        weights = _by_symbols(rows, chain, chance)
    labelled = labels_of(chain, rows)
    if labelled.any():
        codes = rows.batch.codes[chain.state.name][labelled].astype(np.int64)
        shares = weights.reshape(rows.rows, chain.states, components)
        within = shares[labelled].sum(axis=1, keepdims=True)
        one = (chain.members / chain.members.sum(axis=1, keepdims=True))[codes][:, :, None]
        shares[labelled] = one * np.where(within > 0, within, 1.0 / components)
        weights = shares.reshape(rows.rows, -1)
    return weights


def _by_symbols(rows: SequenceBatch, chain: ChainStructure, chance: np.random.Generator) -> FloatArray:
    """Random probabilities of the states for each symbol of each column, multiplied; those of texts at
    random.
    """
    logs = np.zeros((rows.rows, chain.states))
    for name in chain.columns:
        if name in rows.batch.codes:
            codes = rows.batch.codes[name].astype(np.int64)
            symbols = int(codes.max(initial=0)) + 1
            logs += np.log(chance.gamma(1.0, size=(symbols, chain.states)) + 1e-12)[codes]
        else:
            logs += np.log(chance.gamma(1.0, size=(rows.rows, chain.states)) + 1e-12)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _clustered(
    rows: SequenceBatch,
    names: tuple[Name, ...],
    chain: ChainStructure,
    components: int,
    chance: np.random.Generator,
    rounds: int,
) -> FloatArray:
    means, variances = column_moments(rows, names)
    matrix = np.column_stack([rows.batch.numbers[name] for name in names])
    scaled = (matrix - means) / np.sqrt(np.where(variances > 0, variances, 1.0))
    scaled = np.where(np.isnan(scaled), 0.0, scaled)
    weights = np.zeros((rows.rows, chain.states, components))
    alike = np.array(chain.tied or range(chain.states))
    groups = k_means(scaled, int(alike.max()) + 1, chance, rounds)
    for group in range(int(alike.max()) + 1):
        own, states = np.flatnonzero(groups == group), np.flatnonzero(alike == group)
        parts = k_means(scaled[own], components, chance, rounds) if components > 1 and len(own) else 0
        state = states[0] if len(states) == 1 else chance.choice(states, len(own))
        weights[own, state, parts] = 1.0
    return weights.reshape(rows.rows, -1)


def k_means(points: FloatArray, groups: int, chance: np.random.Generator, rounds: int = _ROUNDS) -> IntArray:
    """The group of each point: k-means++ (Arthur and Vassilvitskii 2007), then a few rounds of Lloyd's
    algorithm.

    >>> found = k_means(np.array([[0.0], [0.1], [9.0]]), 2, np.random.default_rng(0))
    >>> bool(found[0] == found[1] != found[2])
    True
    """
    centres = [points[chance.integers(len(points))]]
    near = ((points - centres[0]) ** 2).sum(axis=1)
    for _ in range(groups - 1):
        total = near.sum()
        shares = near / total if total > 0 else None
        centres.append(points[chance.choice(len(points), p=shares)])
        near = np.minimum(near, ((points - centres[-1]) ** 2).sum(axis=1))
    middle = np.array(centres)
    own = np.zeros(len(points), dtype=np.int64)
    for _ in range(rounds):
        away = np.stack([((points - centre) ** 2).sum(axis=1) for centre in middle])
        found = away.argmin(axis=0)
        for group in range(groups):
            if (found == group).any():
                middle[group] = points[found == group].mean(axis=0)
        if np.array_equal(found, own):
            break
        own = found
    return own
