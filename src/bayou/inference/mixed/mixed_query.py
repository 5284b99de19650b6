"""Exact answers with real variables: groups of them become discrete factors, the rest is a discrete network.

With the groups G, their borders B(G) and the densities N_G of their findings (the notation of
:mod:`bayou.inference.mixed.components`), discrete targets t have the posterior

    P(t | findings) ∝ Σ_(other states) P(states) · Π_G N_G(findings about G; B(G)),

a query of a discrete network with one more factor per group, run by the compiled engine. Continuous targets
x in groups with the common border b are a mixture of Gaussians with the posterior of b as weights:

    P(x | findings) = Σ_b P(b | findings) · N(x; m(b), V(b)),

where m(b) and V(b) are the moments of x given the findings and b. Groups are independent given b, so V(b) has
one block per group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayou.distributions import FINITE, GAUSSIAN
from bayou.errors import TooWide
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.engines import Engine
from bayou.inference.exact.compiled_query import all_marginals, joint_posterior
from bayou.inference.exact.density_factors import Densities, densities
from bayou.inference.exact.local_factors import Evidence
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.exact.underflow import densities_underflowed, table_in_logs
from bayou.inference.mixed.components import Component, check_component, components
from bayou.inference.mixed.gaussian_conditioning import component_moments
from bayou.inference.mixtures import JointMixture
from bayou.inference.question import Question, evidence_columns, refuse_densities, relevant
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, IntArray, Name


class MixedEngine(Engine):
    """Exact answers to questions that involve continuous variables; used in place of discrete engines."""

    handles_numbers = True

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Return a table for discrete targets, a mixture of Gaussians for continuous ones."""
        if any(network.schema[name].is_continuous for name in question.targets):
            joint, log_evidence = joint_mixture(network, names, question)
            return _mixture_answer(question.targets, joint, log_evidence if question.has_findings else 0.0)
        table, log_evidence = mixed_table(network, names, question)
        return Answer(question.targets, table, None, log_evidence if question.has_findings else 0.0)

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """Return the posteriors of discrete targets (in one pass) and Gaussian ones; others are left out."""
        forms = {name: network.distribution(name).form for name in question.targets}
        continuous = [name for name, form in forms.items() if form == GAUSSIAN]
        discrete = [name for name, form in forms.items() if form == FINITE]
        tables, log_evidence = mixed_marginals(network, question, discrete)
        if not np.isfinite(log_evidence):
            return MarginalAnswers(-np.inf)
        found = mixtures_of_targets(network, question, continuous)
        mixtures = {name: joint.single(name) for name, joint in found.items() if joint is not None}
        return MarginalAnswers(log_evidence, tables, mixtures)


def _mixture_answer(targets: tuple[Name, ...], joint: JointMixture | None, log_evidence: float) -> Answer:
    if joint is None:
        return Answer(targets, None, None, -np.inf)
    if len(targets) > 1:
        return Answer(targets, None, None, log_evidence, joint.merged())
    return Answer(targets, None, joint.single(targets[0]), log_evidence)


def mixed_table(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[FloatArray | None, float]:
    """Return P(discrete targets | findings) and log P(findings), hidden real variables integrated out.

    Impossible findings give the log -inf. ``measured`` are the densities of the real findings, if they have
    been computed already.
    """
    evidence = evidence_columns(network, question)
    if measured is None:
        measured = densities(network, names, evidence)
    table, log_evidence = joint_posterior(network, names, question, measured)
    if densities_underflowed(measured, question, log_evidence):
        return table_in_logs(network, names, question, measured.logs)
    return table, log_evidence


def mixed_marginals(
    network: FrozenNetwork, question: Question, targets: Sequence[Name]
) -> tuple[dict[Name, FloatArray], float]:
    """Return the posterior of each of these discrete variables (in one pass), and log P(findings)."""
    names = relevant(network, replace(question, targets=tuple(targets)))
    evidence = evidence_columns(network, question)
    measured = densities(network, names, evidence)
    found_tables, log_evidence = all_marginals(network, names, replace(question, targets=()), measured)
    tables = {name: found_tables[name] for name in targets}
    if densities_underflowed(measured, question, log_evidence):
        for name in targets:
            found, logs = eliminate_logs(
                network, names, (name,), evidence, question.likelihood, measured.logs
            )
            tables[name], log_evidence = found[0], float(logs[0])
    return tables, log_evidence


def mixtures_of_targets(
    network: FrozenNetwork, question: Question, targets: Sequence[Name]
) -> dict[Name, JointMixture | None]:
    """Return the posterior of each of these continuous variables; shared densities are computed once."""
    computed: dict[tuple[Name, ...], Densities] = {}
    result = {}
    for target in targets:
        asked = replace(question, targets=(target,))
        names = relevant(network, asked)
        key = tuple(names)
        if key not in computed:
            computed[key] = densities(network, names, evidence_columns(network, asked))
        result[target], _ = joint_mixture(network, names, asked, computed[key])
    return result


def joint_mixture(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[JointMixture | None, float]:
    """Return the joint posterior of the continuous targets, and log P(findings) (-inf: impossible).

    The weights are the posterior of the borders of the targets' groups; given the states of the border, the
    groups are independent Gaussians. ``measured`` are the densities of the real findings, if they have been
    computed already.
    """
    refuse_densities(network, question.targets)
    evidence = evidence_columns(network, question)
    parts, _ = components(network, names, evidence)
    chosen = [part for part in parts if not set(question.targets).isdisjoint(part.hidden)]
    border = sorted({name for part in chosen for name in part.border}, key=network.schema.index)
    check_mixture(network, chosen, border, question.targets)
    table, log_evidence = mixed_table(network, names, replace(question, targets=tuple(border)), measured)
    if table is None:
        return None, -np.inf
    weights = table.ravel()
    alive = np.flatnonzero(weights > 0)
    codes = np.unravel_index(alive, table.shape) if border else ()
    columns = dict(zip(border, codes, strict=True))
    return (
        _joint_moments(network, chosen, question.targets, columns, evidence, weights[alive]),
        log_evidence,
    )


def _joint_moments(
    network: FrozenNetwork,
    chosen: Sequence[Component],
    targets: tuple[Name, ...],
    columns: dict[Name, IntArray],
    evidence: Evidence,
    weights: FloatArray,
) -> JointMixture:
    """Return the mixture with means and covariances for these combinations of border states.

    Covariances between variables of different groups are 0.
    """
    count = len(weights)
    means = np.zeros((count, len(targets)))
    covariances = np.zeros((count, len(targets), len(targets)))
    for part in chosen:
        mine = [name for name in targets if name in part.hidden]
        at = np.array([targets.index(name) for name in mine])
        moments = component_moments(network, part, mine, columns, evidence, count)
        means[:, at] = moments.means
        covariances[:, at[:, None], at[None, :]] = moments.covariances
    return JointMixture(targets, weights, means, covariances)


def check_mixture(
    network: FrozenNetwork, chosen: Sequence[Component], border: Sequence[Name], targets: Sequence[Name]
) -> None:
    """Raise TooWide if the mixture of one group, or of all groups together, exceeds the limits."""
    for part in chosen:
        check_component(part, len(targets))
    count = 1.0
    for name in border:
        count *= network.schema[name].cardinality
    needed, allowed = 8 * count * (28 + 4 * len(targets) + 4 * len(targets) ** 2), current_limits().memory
    if needed > allowed:
        shown = ", ".join(label(name) for name in targets)
        raise TooWide(
            f"The joint posterior of {shown} mixes {count:.3g} Gaussians ({amount_text(needed)}; the limit "
            f"is {amount_text(allowed)}). Ask for fewer of them at a time, observe more variables, or "
            "raise the limit (with bayou.limits(memory=…))."
        )
