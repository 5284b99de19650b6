"""Rejection: rows of the network as it stands are drawn, and those that disagree with the findings dropped.

The rows that are left are independent draws from P(hidden | findings), so that the interval of a share is
that of any share of independent draws, whatever the findings. P(findings) is the share of rows that are left.
An uncertain finding with likelihood l(x) keeps a row with probability l(x) / max l.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np

from bayou.errors import NoEstimate
from bayou.inference.sampling.estimate import FEWEST_INDEPENDENT, MORE
from bayou.inference.sampling.factor_graph import FactorGraph, entered, given_factors, network_factors
from bayou.inference.sampling.look_ahead import DrawingPlan, DrawingStep, row_sampler
from bayou.inference.sampling.sampling_engine import (
    CellEstimates,
    PreparedQuestion,
    SamplingEngine,
    SamplingResult,
)
from bayou.inference.sampling.weighting import weighted_run
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope
from bayou.typing import IntArray


class RejectionEngine(SamplingEngine):
    """Rows drawn from the network; those that disagree with the findings are dropped."""

    name = "rejection"

    def sampled(self, problem: PreparedQuestion, targets: Sequence[Scope]) -> SamplingResult:
        """Draw until the options say stop."""
        graph = problem.graph
        forward, plan = forward_plan(problem)
        assert plan.sampler is not None
        place = {number: position for position, number in enumerate(forward.numbers)}
        scopes = [tuple(place[graph.numbers[v]] for v in target) for target in targets]
        run = weighted_run(plan.sampler, forward.cards, scopes, self.options)
        if run.positive == 0:
            raise NoEstimate.no_sample(run.rows, self.name, more=MORE)
        few = f"only {run.positive} of {run.rows:,} rows agree with the findings: {MORE}"
        done = run.sampled(plan.log_bound, (few,) if run.positive < FEWEST_INDEPENDENT else ())
        shares = [
            _of_possible_states(
                share, [(forward.cards[s], graph.states[v]) for s, v in zip(scope, target, strict=True)]
            )
            for share, scope, target in zip(done.shares, scopes, targets, strict=True)
        ]
        return replace(done, shares=shares)


def _of_possible_states(share: CellEstimates, axes: Sequence[tuple[int, IntArray]]) -> CellEstimates:
    """The cells of the states that zeros in the tables do not rule out; no row is in any other."""
    if not axes:
        return share
    shape = [card for card, _ in axes]
    cells = np.ix_(*(states for _, states in axes))
    return CellEstimates(
        *(a.reshape(shape)[cells].ravel() for a in (share.probability, share.error, share.size))
    )


def forward_plan(problem: PreparedQuestion) -> tuple[FactorGraph, DrawingPlan]:
    """A sampler that draws all variables, parents first, with weight 1 for rows that agree with the findings.

    Each uncertain or real finding becomes one more variable, drawn last, which must come out 1.
    """
    network, question = problem.network, problem.question
    codes = {
        network.schema.index(n): v for n, v in question.do.items() if not network.schema[n].is_continuous
    }
    factors, cards = network_factors(network, problem.names)
    factors = [entered(factor, {number: int(code) for number, code in codes.items()}) for factor in factors]
    extra, log_scale = given_factors(network, problem.names, question)
    must: list[tuple[int, int]] = [
        (network.schema.index(n), int(v))
        for n, v in question.evidence.items()
        if not network.schema[n].is_continuous
    ]
    for factor in extra:
        most = float(factor.values.max())
        log_scale += log(most)
        kept = factor.values / most
        number = len(cards)
        cards[number] = 2
        factors.append(PlainFactor((*factor.scope, number), np.stack([1 - kept, kept], axis=-1)))
        must.append((number, 1))
    numbers = tuple(factor.scope[-1] for factor in factors)
    place = {number: position for position, number in enumerate(numbers)}
    graph = FactorGraph(numbers, tuple(np.arange(cards[n]) for n in numbers), (), {}, 0.0)
    steps = [
        DrawingStep(place[f.scope[-1]], [PlainFactor(tuple(place[n] for n in f.scope), f.values)])
        for f in factors
    ]
    weights = [PlainFactor((place[n],), np.eye(cards[n])[code]) for n, code in must]
    return graph, DrawingPlan(row_sampler(graph, steps, weights), log_scale, False)
