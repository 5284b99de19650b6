"""Answers whose products of floats became 0 on the way: how that is noticed, and the answer made in logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import TooWide
from bayou.inference.exact.density_factors import Densities, Logs
from bayou.inference.exact.factors import SAFE_LOG_RANGE
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.exact.plan_cache import plans_of
from bayou.inference.question import Question, evidence_columns
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


def underflowed(
    network: FrozenNetwork, names: Sequence[Name], question: Question, log_evidence: float
) -> bool:
    """Whether findings that a plan calls impossible may be possible: products of floats became 0.

    Of a thousand findings half may speak for one state and half for another: the product of each half is 0
    for what the other half favours, though the product of all is not. That takes factors whose values lie
    far apart in logs, all together further than :data:`SAFE_LOG_RANGE`.
    """
    if np.isfinite(log_evidence):
        return False
    plans = plans_of(network)
    spread = sum(plans.log_range(plans.numbers[name]) for name in names if name not in plans.continuous)
    for weights in question.likelihood.values():
        known = weights[weights > 0]
        spread += float(np.log(known.max() / known.min())) if len(known) else 0.0
    return spread > SAFE_LOG_RANGE


def densities_underflowed(measured: Densities, log_evidence: float) -> bool:
    """Whether products with the densities of findings about numbers may have become 0 where it matters.

    All factors are at most 1, so what became 0 on the way weighs less than e^-700 together: it matters only
    if the whole answer is about as small, and only densities that far apart can make it so.
    """
    if not np.isfinite(measured.log_scale[0]):
        return False
    return bool(
        measured.log_range[0] > SAFE_LOG_RANGE and not log_evidence - measured.log_scale[0] > -SAFE_LOG_RANGE
    )


def table_in_logs(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs
) -> tuple[FloatArray | None, float]:
    """P(targets | findings) and log P(findings) (-inf: impossible), by elimination in logs."""
    evidence = evidence_columns(network, question)
    tables, logs = eliminate_logs(network, names, question.targets, evidence, question.likelihood, measured)
    return (tables[0], float(logs[0])) if np.isfinite(logs[0]) else (None, -np.inf)


def table_after_underflow(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs | None = None
) -> tuple[FloatArray | None, float]:
    """The answer where a plan called the findings impossible; they are so where logs would be too wide."""
    try:
        return table_in_logs(network, names, question, measured or {})
    except TooWide:
        return None, -np.inf


def marginals_after_underflow(
    network: FrozenNetwork,
    names: list[Name],
    question: Question,
    targets: Sequence[Name],
    measured: Logs | None = None,
) -> tuple[dict[Name, FloatArray], float]:
    """The same for each of some discrete variables; no tables where the findings are impossible."""
    found: dict[Name, FloatArray] = {}
    log_evidence = -np.inf
    for name in targets:
        table, log_evidence = table_after_underflow(
            network, names, replace(question, targets=(name,)), measured
        )
        if table is None:
            return {}, -np.inf
        found[name] = table
    return found, log_evidence
