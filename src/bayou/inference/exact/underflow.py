"""Detect answers in which densities of observed numbers underflowed to 0, and compute them again in logs.

The core itself notices products that underflow, and computes them in numbers of any range. But a density is
given to it as a factor f that is at most 1, and is 0 already where the density is below e^−745 times the
largest one. That takes log ranges

    Σ_i log(max f_i / min f_i)        (over positive values)

of more than SAFE_LOG_RANGE = 600, and it matters only if P(findings) is smaller than e^−600 times the product
of the factors' maxima.
"""

from __future__ import annotations

import numpy as np

from bayou.inference.exact.density_factors import Densities, Logs
from bayou.inference.exact.factors import SAFE_LOG_RANGE
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.question import Question, evidence_columns
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


def densities_underflowed(measured: Densities, question: Question, log_evidence: float) -> bool:
    """Whether products with the densities of observed numbers may have underflowed in a way that matters.

    All factors are at most 1, so the terms that underflowed to 0 add up to less than about e^-700. That
    matters only if P(findings), relative to the factors' maxima, is about as small, and it can be so only
    if the densities have a log range of that size.
    """
    if not np.isfinite(measured.log_scale[0]) or not measured.log_range[0] > SAFE_LOG_RANGE:
        return False
    with np.errstate(divide="ignore"):
        largest = sum(float(np.log(weights.max())) for weights in question.likelihood.values())
    return not log_evidence - measured.log_scale[0] - largest > -SAFE_LOG_RANGE


def table_in_logs(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Logs
) -> tuple[FloatArray | None, float]:
    """Return P(targets | findings) and log P(findings) (-inf: impossible), by elimination in logs."""
    evidence = evidence_columns(network, question)
    tables, logs = eliminate_logs(network, names, question.targets, evidence, question.likelihood, measured)
    return (tables[0], float(logs[0])) if np.isfinite(logs[0]) else (None, -np.inf)
