"""Questions answered by loopy belief propagation.

Pearl's messages are sent on a graph with cycles as if it had none, again and again, until they stop changing.
What they then say is exact on polytrees and often close elsewhere, but there is no bound on the error.
Murphy, Weiss and Jordan (1999), Loopy belief propagation for approximate inference: an empirical study.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import ClassVar

import numpy as np

from bayou.distributions import FINITE
from bayou.errors import BadQuestion, TooWide, counted, listed, warn_user
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.engines import Engine
from bayou.inference.exact.compiled_query import joint_too_large
from bayou.inference.exact.plan_cache import plans_of
from bayou.inference.loopy.convergence import Convergence
from bayou.inference.loopy.loopy_graph import LoopyBeliefs, loopy_graph, propagated
from bayou.inference.question import Question, relevant
from bayou.memory import count_text
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

MOST_RUNS = 10_000
"""The most runs for a joint posterior: one for each combination of states of the first targets."""


class LoopyEngine(Engine):
    """Approximate answers by messages on a graph with cycles; log P(findings) is Bethe's approximation.

    Real-valued variables may be given or summed out, but not asked for.
    """

    handles_numbers: ClassVar[bool] = True
    is_exact: ClassVar[bool] = False

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Propagate until the messages converge; several targets need several runs."""
        _refuse_numbers(network, question.targets)
        _check_runs(network, question)
        runs: list[LoopyBeliefs] = []
        table = _joint(network, names, question, runs)
        log_evidence, total = runs[0].log_evidence, float(table.sum())
        if log_evidence == -np.inf or total == 0:
            return Answer(question.targets, None, None, -np.inf)
        verdict = Convergence.of_all([run.convergence for run in runs if np.isfinite(run.log_evidence)])
        _warn_unless_converged(verdict)
        log_evidence = log_evidence if question.has_findings else 0.0
        return Answer(question.targets, table / total, None, log_evidence, convergence=verdict)

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """The marginals of all discrete targets from one run; others are left out."""
        targets = [name for name in question.targets if network.distribution(name).form == FINITE]
        if plans_of(network).continuous:
            names = relevant(network, replace(question, targets=tuple(targets)))
        found = propagated(loopy_graph(network, names, question))
        if found.log_evidence == -np.inf:
            return MarginalAnswers(-np.inf)
        _warn_unless_converged(found.convergence)
        tables = {name: found.of(network.schema.index(name)) for name in targets}
        return MarginalAnswers(found.log_evidence, tables, convergence=found.convergence)


def _joint(
    network: FrozenNetwork, names: list[Name], question: Question, runs: list[LoopyBeliefs]
) -> FloatArray:
    """P(targets | findings) by the chain rule: P(a | e) · P(b | a, e) · …, one run for each factor.

    Each run is added to ``runs``; where its findings are impossible, the table is 0.
    """
    run = propagated(loopy_graph(network, names, question))
    runs.append(run)
    if not question.targets:
        return np.ones(())
    sizes = [network.schema[name].cardinality for name in question.targets]
    if run.log_evidence == -np.inf:
        return np.zeros(sizes)
    first, *others = question.targets
    belief = run.of(network.schema.index(first))
    if not others:
        return belief
    table = np.zeros(sizes)
    for code in np.flatnonzero(belief > 0).tolist():
        evidence = {**question.evidence, first: code}
        given = replace(question, targets=tuple(others), evidence=evidence)
        table[code] = belief[code] * _joint(network, names, given, runs)
    return table


def _refuse_numbers(network: FrozenNetwork, targets: list[Name] | tuple[Name, ...]) -> None:
    real = [name for name in targets if network.schema[name].is_continuous]
    if real:
        raise BadQuestion(
            f"Loopy propagation answers questions about discrete variables, and {listed(real)} can be any "
            'number: ask for the discrete variables, or use engine="compiled".'
        )


def _check_runs(network: FrozenNetwork, question: Question) -> None:
    """Raise TooWide for a joint posterior that is too large or takes too many runs."""
    problem = joint_too_large(network, question)
    runs = prod(network.schema[name].cardinality for name in question.targets[:-1])
    if problem is None and runs > MOST_RUNS:
        problem = (
            f"This joint posterior of {counted(len(question.targets), 'target')} takes more than "
            f"{count_text(runs)} runs of loopy propagation (at most {MOST_RUNS:,}): ask for fewer targets at "
            "a time."
        )
    if problem:
        raise TooWide(problem)


def _warn_unless_converged(verdict: Convergence) -> None:
    if not verdict.converged:
        warn_user(
            f"{verdict} Damping was tried. Use an exact engine where its tables fit (its plan tells), "
            "observe more variables, or average the answers given each state of one variable on the cycles."
        )
