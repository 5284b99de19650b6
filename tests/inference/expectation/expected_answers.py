"""The answers of an E-step by the variable that they are about."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.inference import Expectation
from bayou.statistics import Counts, GroupMoments, Proposals


def tables(found: Expectation) -> dict[Any, np.ndarray]:
    """The expected counts of every variable with a table."""
    return {child: answer.values for child, answer in _answers(found, Counts).items()}


def moments(found: Expectation) -> dict[Any, GroupMoments]:
    """The expected moments of every Gaussian variable."""
    return _answers(found, GroupMoments)


def proposals(found: Expectation) -> dict[Any, Proposals]:
    """What the causes of every noisy node proposed."""
    return _answers(found, Proposals)


def _answers(found: Expectation, kind: type[Any]) -> dict[Any, Any]:
    chosen = {request: answer for request, answer in found.statistics.items() if isinstance(answer, kind)}
    return {request.variables[-1]: answer for request, answer in chosen.items()}
