"""Exact answers with real variables: groups of them become discrete factors, the rest is a discrete network.

Within a group (see :mod:`bayou.inference.hybrid_components`) there is a Gaussian for each combination of the
discrete states on its border; what the findings say about the border goes into the compiled engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import TooWide
from bayou.inference.compiled_query import all_marginals, joint_posterior
from bayou.inference.factors import SAFE_REACH
from bayou.inference.hybrid_components import Component, check_component, components
from bayou.inference.hybrid_factors import Densities, Logs, densities
from bayou.inference.hybrid_gaussian import component_moments
from bayou.inference.hybrid_logs import eliminate_logs
from bayou.inference.limits import amount_text, current_limits
from bayou.inference.local_factors import Evidence
from bayou.inference.mixtures import JointMixture
from bayou.inference.plan_cache import plans_of
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, IntArray, Name


def hybrid_table(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[FloatArray | None, float]:
    """P(discrete targets | findings) and log P(findings) (-inf: impossible), hidden reals integrated out."""
    evidence = evidence_columns(network, question)
    if measured is None:
        measured = densities(network, names, evidence)
    table, log_evidence = joint_posterior(network, names, question, measured)
    if underflows(measured, log_evidence):
        return _in_logs(network, names, question, measured.logs)
    if np.isfinite(measured.taken[0]) and lost(network, names, question, log_evidence):
        return table_in_logs(network, names, question, measured.logs)
    return table, log_evidence


def _in_logs(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs
) -> tuple[FloatArray | None, float]:
    evidence = evidence_columns(network, question)
    tables, logs = eliminate_logs(network, names, question.targets, evidence, question.likelihood, measured)
    return (tables[0], float(logs[0])) if np.isfinite(logs[0]) else (None, -np.inf)


def table_in_logs(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs | None = None
) -> tuple[FloatArray | None, float]:
    """The answer where a plan found the findings impossible; its word counts where logs are too wide."""
    try:
        return _in_logs(network, names, question, measured or {})
    except TooWide:
        return None, -np.inf


def lost(network: FrozenNetwork, names: Sequence[Name], question: Question, log_evidence: float) -> bool:
    """Whether findings that a plan calls impossible may only have been too much for products of floats.

    Half of a thousand findings may speak for one state and half for another: each half says 0 of the other.
    """
    if np.isfinite(log_evidence):
        return False
    plans = plans_of(network)
    reach = sum(plans.reach(plans.numbers[name]) for name in names if name not in plans.continuous)
    for weights in question.likelihood.values():
        known = weights[weights > 0]
        reach += float(np.log(known.max() / known.min())) if len(known) else 0.0
    return reach > SAFE_REACH


def underflows(measured: Densities, log_evidence: float) -> bool:
    """Whether the products of a run may have lost what counts.

    All factors are at most 1, so what became 0 on the way weighs less than e^-700 together: it matters only
    if the whole answer is about as small, and only densities that far apart can make it so.
    """
    if not np.isfinite(measured.taken[0]):
        return False
    return bool(measured.reach[0] > SAFE_REACH and not log_evidence - measured.taken[0] > -SAFE_REACH)


def hybrid_marginals(
    network: FrozenNetwork, question: Question, targets: Sequence[Name]
) -> tuple[dict[Name, FloatArray], float]:
    """The posterior of each of these discrete variables, in one pass, and log P(findings)."""
    names = relevant(network, replace(question, targets=tuple(targets)))
    evidence = evidence_columns(network, question)
    measured = densities(network, names, evidence)
    tables, log_evidence = all_marginals(network, names, replace(question, targets=()), measured)
    if underflows(measured, log_evidence):
        for name in targets:
            found, logs = eliminate_logs(
                network, names, (name,), evidence, question.likelihood, measured.logs
            )
            tables[name], log_evidence = found[0], float(logs[0])
    elif np.isfinite(measured.taken[0]) and lost(network, names, question, log_evidence):
        return marginals_in_logs(network, names, question, targets, measured.logs)
    return {name: tables[name] for name in targets}, log_evidence


def marginals_in_logs(
    network: FrozenNetwork,
    names: list[Name],
    question: Question,
    targets: Sequence[Name],
    measured: Logs | None = None,
) -> tuple[dict[Name, FloatArray], float]:
    """The same as :func:`table_in_logs` for each of some discrete variables; none where it is impossible."""
    found: dict[Name, FloatArray] = {}
    log_evidence = -np.inf
    for name in targets:
        table, log_evidence = table_in_logs(network, names, replace(question, targets=(name,)), measured)
        if table is None:
            return {}, -np.inf
        found[name] = table
    return found, log_evidence


def hybrid_mixtures(
    network: FrozenNetwork, question: Question, targets: Sequence[Name]
) -> dict[Name, JointMixture | None]:
    """The posterior of each of these continuous variables on its own; what they share is worked out once."""
    known: dict[tuple[Name, ...], Densities] = {}
    result = {}
    for target in targets:
        asked = replace(question, targets=(target,))
        names = relevant(network, asked)
        key = tuple(names)
        if key not in known:
            known[key] = densities(network, names, evidence_columns(network, asked))
        result[target], _ = hybrid_mixture(network, names, asked, known[key])
    return result


def hybrid_mixture(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[JointMixture | None, float]:
    """The joint posterior of the continuous targets and log P(findings) (-inf: impossible).

    The weights are the posterior of the borders of their groups; for each combination of states there the
    groups are independent Gaussians. ``measured`` are the densities of the findings, if they are known.
    """
    evidence = evidence_columns(network, question)
    parts, _ = components(network, names, evidence)
    chosen = [part for part in parts if not set(question.targets).isdisjoint(part.hidden)]
    border = sorted({name for part in chosen for name in part.border}, key=network.schema.index)
    check_mixture(network, chosen, border, question.targets)
    table, log_evidence = hybrid_table(network, names, replace(question, targets=tuple(border)), measured)
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
    """Means and covariances for these combinations; between the groups there is no covariance."""
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
    """Refuse a mixture that would not fit: of each group, and of all groups together."""
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
