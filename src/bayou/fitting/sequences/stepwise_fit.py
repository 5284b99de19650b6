"""Learning from sequences that come in batches, with unknown states: stepwise EM.

The statistics of a batch are expected with the present parameters and mixed into those of the batches before,

    s ← (1 − γₖ) s + γₖ ŝ,    γₖ = (k + 2)^−κ,    κ = 0.6,

for each row, and the parameters are estimated from s (Cappé and Moulines 2009, "On-line
expectation-maximization algorithm for latent data models"). Early batches, whose states were guessed with
poor parameters, are forgotten little by little. No batch is read twice, so the result is not that of one fit.
"""

from __future__ import annotations

from dataclasses import replace

from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import FittedChain, expected_of
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.statistics import Counts, CountTable, Statistics
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_problem import ChainProblem, floors_of
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.soft_statistics import labelled_rows
from bayou.temporal.stored_sequences import AnySequences

STEP_EXPONENT = 0.6
"""κ: above ½ and at most 1, so that Σ γₖ is infinite and Σ γₖ² is not."""


def step_size(step: int) -> float:
    """γₖ, the share that batch k (from 0) gets.

    >>> [round(step_size(k), 3) for k in (0, 1, 10, 100)]
    [0.66, 0.517, 0.225, 0.062]
    """
    return float((step + 2) ** -STEP_EXPONENT)


def stepped(before: FittedChain, rows: AnySequences) -> tuple[FittedChain, LearningTrace]:
    """The model after one more batch."""
    model = before.model
    log_likelihood, fresh = expected_of(model, rows)
    share = step_size(before.steps)
    old, new = rows_behind(model.chain, before.statistics), rows_behind(model.chain, fresh)
    # Statistics are kept for as many rows as were seen, so that a prior weighs as much as in one fit.
    mixed = before.statistics * ((1 - share) * (old + new) / old) + fresh * (share * (old + new) / new)
    problem = problem_of(before, mixed)
    network = problem.maximised(model.network, Expectation(log_likelihood, mixed))
    after = replace(
        before,
        model=ChainModel(model.chain, network),
        statistics=mixed,
        expected=True,
        steps=before.steps + 1,
    )
    gaps = rows.rows - labelled_rows(model.chain, rows)
    trace = LearningTrace(
        "stepwise",
        "one step for each batch",
        old + new,
        gaps,
        log_likelihoods=(log_likelihood,),
        iterations=after.steps,
    )
    return after, trace


def rows_behind(chain: ChainStructure, statistics: Statistics) -> float:
    """The weight of all rows that statistics are about: each is a first one or follows another."""
    state = chain.state.name
    tables: list[Counts] = [
        statistics[CountTable((state,))],
        statistics[CountTable((state, chain.next_state))],
    ]
    return float(sum(table.values.sum() for table in tables))


def problem_of(before: FittedChain, statistics: Statistics) -> ChainProblem:
    """The learning problem of a model that was learned before, for these statistics."""
    chain = before.model.chain
    fixed = {name: before.model.network.blocks[name] for name in before.kept}
    problem = ChainProblem(
        chain.structure,
        dict(chain.structure.declared),
        before.priors,
        fixed=fixed or None,
        chain=chain,
        kept=before.kept,
        bounds=before.bounds,
    )
    variances = {}
    for name in chain.gaussians:
        whole = problem.expected_answer(name, statistics).whole
        variances[name] = float(whole.scatter[-1, -1] / max(float(whole.n), 1e-300))
    return replace(problem, floors=floors_of(chain, variances))
