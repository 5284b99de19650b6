"""Gibbs sampling with findings: many chains of the core, each started from a row that the findings allow.

Every sweep draws each block of variables given all others. What is averaged is not how often a state was
drawn but its probability at the moment it was drawn (Rao and Blackwell), chain by chain. The chains are
independent, so that the spread of their means m_1 … m_K gives an honest error, however slowly each moves:

    p = mean of m_k,      standard error = deviation of m_k / √K.

R-hat compares the halves of all chains: √(1 + variance of their means / mean of p (1 − p) within); Gelman and
Rubin (1992), Inference from iterative simulation using multiple sequences, Statistical Science 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, log, sqrt
from time import monotonic

import numpy as np
import numpy.typing as npt

from bayou._native import GibbsChains
from bayou.errors import NoEstimate
from bayou.inference.engine_options import EngineOptions
from bayou.inference.sampling.estimate import FEWEST_EFFECTIVE, MORE, effective_sizes, smallest_size
from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.inference.sampling.gibbs_blocks import GibbsBlocks, blocks_of
from bayou.inference.sampling.look_ahead import DrawingPlan
from bayou.inference.sampling.sampling_engine import (
    CellEstimates,
    PreparedQuestion,
    SamplingEngine,
    SamplingResult,
    certain,
)
from bayou.inference.sampling.support_search import supported_states
from bayou.inference.sampling.zero_propagation import Scope
from bayou.special_functions import stdtrit
from bayou.typing import FloatArray, IntArray

CHAINS = 64
START_ROWS = 4096
"""The number of weighted rows from which the starts of the chains are chosen."""
TIME_TO_PROVE, TIME_TO_START = 0.6, 0.75
"""The shares of the time by which the proof that zeros lock no chain in, and the search for starts, end."""
LEFT_OUT = 1 / 16
"""The share of the sweeps that is left out, while chains move away from their starts; the first stage is."""
LARGEST_R_HAT = 1.05
NORMAL_QUANTILE = 2.5758293035489004
"""99 % of a normal distribution are within this many deviations."""


class GibbsEngine(SamplingEngine):
    """Gibbs sampling: each variable drawn in turn given all others, in many chains."""

    name = "gibbs"

    def sampled(self, problem: PreparedQuestion, targets: Sequence[Scope]) -> SamplingResult:
        """Run the chains until the options say stop."""
        graph, plan = problem.graph, problem.plan
        if plan.sampler is None or not graph.numbers:
            return SamplingResult.without_draws(targets, plan.log_bound)
        blocks = blocks_of(graph, self.options.until(TIME_TO_PROVE))
        starts, log_evidence, error = gibbs_starts(
            graph, plan, self.options.seed, self.options.until(TIME_TO_START)
        )
        run = _ChainRun(graph, blocks, starts, targets, self.options)
        return run.sampled(log_evidence, error)


def gibbs_starts(
    graph: FactorGraph, plan: DrawingPlan, seed: int, until: float = inf
) -> tuple[npt.NDArray[np.uint32], float, float]:
    """Return possible states for each chain, drawn by weight; and log P(findings) with its error.

    Where no weighted row is possible, a search finds the starts, as many as it can by the time ``until``.
    """
    assert plan.sampler is not None
    variables = list(range(len(graph.numbers)))
    columns, logs = plan.sampler.draw(seed, 0, START_ROWS, variables, True)
    random = np.random.default_rng([seed, 1])
    possible = np.flatnonzero(logs > -inf)
    if not len(possible):
        known: list[IntArray] = []
        for _ in range(CHAINS):
            states = supported_states(graph, random, until=until)
            if states is not None:
                known.append(states)
            if monotonic() > until:
                break
        if not known:
            late = (
                "the search for a possible row ran out of time: give it more" if monotonic() > until else ""
            )
            raise NoEstimate.no_sample(START_ROWS, GibbsEngine.name, more=late)
        rows = [known[k % len(known)] for k in range(CHAINS)]
        return np.ascontiguousarray(rows, dtype=np.uint32), np.nan, inf
    # The largest log weights plus Gumbel noise: a draw by weight without replacement.
    noisy = logs[possible] + random.gumbel(size=len(possible))
    chosen = possible[np.argsort(-noisy, kind="stable")]
    chosen = chosen[np.arange(CHAINS) % min(CHAINS, len(chosen))]
    starts = np.stack([column[chosen] for column in columns], axis=1).astype(np.uint32)
    weights = np.exp(logs - logs.max())
    mean = float(weights.mean())
    error = sqrt(max(float((weights**2).sum()) / float(weights.sum()) ** 2 - 1 / START_ROWS, 0.0))
    return np.ascontiguousarray(starts), plan.log_bound + float(logs.max()) + log(mean), error


class _ChainRun:
    """The chains of one question: stages of sweeps, each as long as all before it."""

    def __init__(
        self,
        graph: FactorGraph,
        blocks: GibbsBlocks,
        starts: npt.NDArray[np.uint32],
        targets: Sequence[Scope],
        options: EngineOptions,
    ) -> None:
        self.blocks, self.targets, self.options = blocks, targets, options
        self.ends = np.cumsum([0, *graph.cards]).tolist()
        self.times = Counter(variable for block in blocks.blocks for variable in block)
        self.joint = next((list(target) for target in targets if len(target) > 1), [])
        self.stages: list[tuple[int, list[FloatArray]]] = []
        self.chains = GibbsChains(
            graph.cards,
            [list(factor.scope) for factor in graph.factors],
            [np.ascontiguousarray(factor.values) for factor in graph.factors],
            [list(block) for block in blocks.blocks],
            starts,
            options.seed,
        )

    def sampled(self, log_evidence: float, error: float) -> SamplingResult:
        """Run until the options say stop, or the accuracy is reached by chains that agree."""
        sweeps_done = 0
        for draws in self.options.rounds():
            sweeps = max(draws // CHAINS, 1)
            marginal, joint = self.chains.run(sweeps, self.joint)
            self.stages.append((sweeps, [self._of(target, marginal, joint) for target in self.targets]))
            sweeps_done += sweeps
            wanted = self.options.accuracy
            if wanted is None or len(self.stages) < 3:
                continue
            now = self._result(sweeps_done, log_evidence, error)
            if now.margin <= wanted and (now.r_hat or 1.0) <= LARGEST_R_HAT:
                return now
        return self._result(sweeps_done, log_evidence, error)

    def _of(self, target: Scope, marginal: FloatArray, joint: FloatArray) -> FloatArray:
        """The sums of one target's cells, by chain."""
        if not target:
            return np.zeros((len(marginal), 0))
        if len(target) > 1:
            return joint
        own = marginal[:, self.ends[target[0]] : self.ends[target[0] + 1]]
        return own / self.times[target[0]]  # which is drawn this often in a sweep

    def _result(self, sweeps: int, log_evidence: float, error: float) -> SamplingResult:
        used = self.stages[_left_out([length for length, _ in self.stages]) :]
        middle = _middle([length for length, _ in used])
        draws = CHAINS * sum(length for length, _ in used)
        # What a probability of 0 or 1 is worth: draws of a single block are independent, chains always are.
        otherwise = float(draws if len(self.blocks.blocks) == 1 else CHAINS)
        shares, r_hat = [], 1.0
        for place, target in enumerate(self.targets):
            if not target:
                shares.append(certain())
                continue
            halves = [_mean(part, place) for part in (used[:middle], used[middle:]) if part]
            r_hat = max(r_hat, _r_hat(np.concatenate(halves)))
            shares.append(_share(_mean(used, place), draws, otherwise))
        sizes, chances = [s.size for s in shares], [s.probability for s in shares]
        size = smallest_size(sizes, chances, otherwise)
        reasons = self._doubts(r_hat, size)
        return SamplingResult(shares, sweeps * CHAINS, size, log_evidence, reasons, r_hat, error)

    def _doubts(self, r_hat: float, size: float) -> tuple[str, ...]:
        found = []
        if not self.blocks.is_proved:
            found.append(
                "zeros (or nearly zeros) in the tables tie too many variables together: the chains may not "
                "reach every state"
            )
        if r_hat > LARGEST_R_HAT:
            found.append(f"the chains do not agree with each other (R-hat {r_hat:.3f}): {MORE}")
        elif size < FEWEST_EFFECTIVE:
            found.append(f"the draws are worth only {size:.3g} independent ones: {MORE}")
        return tuple(found)


def _left_out(lengths: Sequence[int]) -> int:
    """The number of stages at the beginning that are left out.

    >>> [_left_out(stages) for stages in ([2], [2, 2], [2, 2, 4, 8, 16], [2, 2, 4, 8, 16, 32, 20, 10])]
    [0, 1, 1, 2]
    """
    most, so_far = LEFT_OUT * sum(lengths), 0
    for at, length in enumerate(lengths):
        so_far += length
        if at and so_far > most:
            return at
    return 0


def _middle(lengths: Sequence[int]) -> int:
    """The number of stages that come nearest to half of all sweeps; both halves have one if there are two."""
    so_far, total = 0, sum(lengths)
    gaps = []
    for length in lengths[:-1]:
        so_far += length
        gaps.append(abs(2 * so_far - total))
    return gaps.index(min(gaps)) + 1 if gaps else 1


def _mean(stages: Sequence[tuple[int, list[FloatArray]]], place: int) -> FloatArray:
    """The mean of one target's cells over some stages, by chain."""
    total: FloatArray = np.sum([sums[place] for _, sums in stages], axis=0)
    mean: FloatArray = total / sum(sweeps for sweeps, _ in stages)
    return mean


def _share(means: FloatArray, draws: int, otherwise: float) -> CellEstimates:
    """The mean over the chains, its standard error, and the effective size that this amounts to.

    With few chains the error itself is uncertain: Student's quantile takes the place of the normal one, and
    no size counts as larger than the number of draws, though averages of probabilities may be better.
    """
    chains = len(means)
    p = means.mean(axis=0)
    p = p / p.sum()
    error = means.std(axis=0, ddof=1) / sqrt(chains)
    wider = float(stdtrit(chains - 1, 0.995)) / NORMAL_QUANTILE
    return CellEstimates(p, error, np.minimum(effective_sizes(p, error * wider, otherwise), draws))


def _r_hat(means: FloatArray) -> float:
    within = (means * (1 - means)).mean(axis=0)
    between = means.var(axis=0, ddof=1)
    moving = within > 1e-12
    return float(np.sqrt(1 + (between[moving] / within[moving]).max(initial=0.0)))
