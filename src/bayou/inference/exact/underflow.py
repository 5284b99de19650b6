"""Detect answers whose products of floats underflowed to 0, and compute them again in logs.

A plan multiplies factors f_i that are at most 1 after rescaling, the product of some of them before that of
others. Floats end at about e^−745, so a partial product can underflow only if the log ranges

    Σ_i log(max f_i / min f_i)        (over positive values)

add up to more than SAFE_LOG_RANGE = 600. A result is suspect if this holds and P(findings) came out as 0, or,
with densities of observed numbers, smaller than e^−600 times the product of the densities' maxima.
"""

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
    """Whether findings to which a plan gives probability 0 may be possible after all, because of underflow.

    Of a thousand findings, half may favour one state and half another: the product of each half underflows
    to 0 for the state that the other half favours, though P(findings) itself is not 0. That takes factors
    whose log ranges add up to more than :data:`SAFE_LOG_RANGE`.
    """
    if np.isfinite(log_evidence):
        return False
    plans = plans_of(network)
    spread = sum(plans.log_range(plans.numbers[name]) for name in names if name not in plans.continuous)
    for weights in question.likelihood.values():
        positive = weights[weights > 0]
        spread += float(np.log(positive.max() / positive.min())) if len(positive) else 0.0
    return spread > SAFE_LOG_RANGE


def densities_underflowed(measured: Densities, log_evidence: float) -> bool:
    """Whether products with the densities of observed numbers may have underflowed in a way that matters.

    All factors are at most 1, so the terms that underflowed to 0 add up to less than about e^-700. That
    matters only if P(findings), relative to the densities' maxima, is about as small, and it can be so only
    if the densities have a log range of that size.
    """
    if not np.isfinite(measured.log_scale[0]):
        return False
    return bool(
        measured.log_range[0] > SAFE_LOG_RANGE and not log_evidence - measured.log_scale[0] > -SAFE_LOG_RANGE
    )


def table_in_logs(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs
) -> tuple[FloatArray | None, float]:
    """Return P(targets | findings) and log P(findings) (-inf: impossible), by elimination in logs."""
    evidence = evidence_columns(network, question)
    tables, logs = eliminate_logs(network, names, question.targets, evidence, question.likelihood, measured)
    return (tables[0], float(logs[0])) if np.isfinite(logs[0]) else (None, -np.inf)


def table_after_underflow(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs | None = None
) -> tuple[FloatArray | None, float]:
    """Return the answer in logs after a plan found the findings impossible.

    If elimination in logs is too wide, the findings stay impossible (None, -inf).
    """
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
    """Return the same for each of some discrete variables; no tables if the findings are impossible."""
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
