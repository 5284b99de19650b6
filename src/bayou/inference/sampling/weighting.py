"""Likelihood weighting: rows drawn with a look ahead at the findings, each with the weight it deserves.

With rows i = 1 … n and weights w_i the estimate of a probability is p = Σ w_i 1_i / Σ w_i. Its standard error
is √(Σ w_i² (1_i − p)²) / Σ w_i (the delta method), and the effective size of all rows is (Σ w_i)² / Σ w_i²
(Kish 1965, Survey Sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, prod, sqrt

import numpy as np

from bayou._native import RowSampler
from bayou.errors import NoEstimate, counted
from bayou.inference.engine_options import FIRST_LOOK, EngineOptions
from bayou.inference.sampling.estimate import (
    FEWEST_EFFECTIVE,
    FEWEST_INDEPENDENT,
    MORE,
    effective_sizes,
)
from bayou.inference.sampling.sampling_engine import (
    CellEstimates,
    PreparedQuestion,
    SamplingEngine,
    SamplingResult,
    certain,
)
from bayou.inference.sampling.zero_propagation import Scope

FEWEST_CERTIFIED = 50.0
"""What FEWEST_EFFECTIVE is where the weights are near their largest possible value: none can be hidden."""
LARGEST_SHARE = 0.02
"""The largest share that a single row may have in the sum of all weights."""


class WeightingEngine(SamplingEngine):
    """Likelihood weighting with a look ahead at the findings (:mod:`bayou.inference.sampling.look_ahead`)."""

    name = "weighting"

    def sampled(self, problem: PreparedQuestion, targets: Sequence[Scope]) -> SamplingResult:
        """Draw until the options say stop."""
        graph, plan = problem.graph, problem.plan
        if plan.sampler is None or not graph.numbers:
            return SamplingResult.without_draws(targets, plan.log_bound)
        done = weighted_run(plan.sampler, graph.cards, targets, self.options)
        if done.positive == 0:
            raise NoEstimate.no_sample(done.rows, self.name, more=MORE)
        reasons = _doubts_of_few(done.rows) if plan.is_exact else _doubts(done)
        return done.sampled(plan.log_bound, reasons)


def _doubts_of_few(rows: int) -> tuple[str, ...]:
    """The doubt about independent rows of equal weight: that they are too few."""
    few = f"only {counted(rows, 'row')} {'was' if rows == 1 else 'were'} drawn: {MORE}"
    return (few,) if rows < FEWEST_INDEPENDENT else ()


def _doubts(done: WeightedRun) -> tuple[str, ...]:
    if done.total_certified >= FEWEST_CERTIFIED:
        return ()
    found = []
    if done.effective < FEWEST_EFFECTIVE:
        found.append(
            f"its rows are worth only {done.effective:.3g} independent ones, because the findings are very "
            f"unlikely where rows are drawn: {MORE}"
        )
    if done.largest > LARGEST_SHARE * done.total:
        found.append(f"a single row has {done.largest / done.total:.1%} of all weight")
    return tuple(found)


class WeightedRun:
    """Sums over the rows drawn so far, in units of exp(log_scale)."""

    def __init__(self, cards: Sequence[int], targets: Sequence[Scope]) -> None:
        self.targets = [target for target in targets if target]
        self.places = [bool(target) for target in targets]
        sizes = [prod(cards[v] for v in target) for target in self.targets]
        self.ends = np.cumsum([0, *sizes]).tolist()
        self.rows, self.positive, self.log_scale = 0, 0, -inf
        self.total = self.squares = self.largest = 0.0
        self.sums, self.square_sums = np.zeros(self.ends[-1]), np.zeros(self.ends[-1])

    def draw(self, sampler: RowSampler, seed: int, rows: int) -> None:
        """Add further rows."""
        scopes = [list(target) for target in self.targets]
        scale, total, squares, largest, positive, sums, square_sums = sampler.weighted_sums(
            seed, self.rows, rows, scopes
        )
        self.rows += rows
        self.positive += positive
        if scale == -inf:
            return
        unit = max(scale, self.log_scale)
        old, new = exp(self.log_scale - unit), exp(scale - unit)
        self.log_scale = unit
        self.total = self.total * old + total * new
        self.largest = max(self.largest * old, largest * new)
        self.squares = self.squares * old**2 + squares * new**2
        self.sums = self.sums * old + sums * new
        self.square_sums = self.square_sums * old**2 + square_sums * new**2

    @property
    def effective(self) -> float:
        """The number of independent rows of equal weight that these rows are worth."""
        return self.total**2 / self.squares if self.squares else 0.0

    @property
    def total_certified(self) -> float:
        """The sum of the weights in units of the largest possible weight, 1."""
        return self.total * exp(min(self.log_scale, 0.0))

    def shares(self) -> list[CellEstimates]:
        """The estimated probabilities of each target."""
        found = []
        for start, end in zip(self.ends, self.ends[1:], strict=False):
            p = self.sums[start:end] / self.total
            own = self.square_sums[start:end]
            variance = (own * (1 - p) ** 2 + np.maximum(self.squares - own, 0.0) * p**2) / self.total**2
            error = np.sqrt(variance * self.rows / max(self.rows - 1, 1))
            sizes = np.minimum(effective_sizes(p, error, self.effective), self.effective)
            found.append(CellEstimates(p, error, sizes))
        inside = iter(found)
        return [next(inside) if drawn else certain() for drawn in self.places]

    def sampled(self, log_bound: float, reasons: tuple[str, ...]) -> SamplingResult:
        """The result: log P(findings) is the log of the bound times the mean weight."""
        log_evidence = log_bound + self.log_scale + log(self.total / self.rows)
        error = sqrt(max(1 / self.effective - 1 / self.rows, 0.0))
        return SamplingResult(
            self.shares(), self.rows, self.effective, log_evidence, reasons, log_evidence_error=error
        )


def weighted_run(
    sampler: RowSampler, cards: Sequence[int], targets: Sequence[Scope], options: EngineOptions
) -> WeightedRun:
    """Draw rows until the options say stop, or their accuracy is reached."""
    run = WeightedRun(cards, targets)
    for rows in options.rounds():
        run.draw(sampler, options.seed, rows)
        if options.accuracy is None or not run.positive or run.rows < FIRST_LOOK:
            continue
        if run.sampled(0.0, ()).margin <= options.accuracy:
            break
    return run
