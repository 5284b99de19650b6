"""How well linear Gaussians can explain moments: their maximal log-likelihood, for scores of structures."""

from __future__ import annotations

import numpy as np

from bayou.distributions.gaussian.gaussian_regression import (
    group_log_likelihoods,
    has_own_line,
    regression,
    regression_lines,
)
from bayou.statistics import GroupMoments
from bayou.typing import BoolArray, FloatArray, IntArray


def gaussian_evidence(moments: GroupMoments) -> tuple[float, int, float]:
    """Return the maximal log-likelihood, the number of parameters and of rows.

    A variable that is a linear function of its parents has no density: its log-likelihood is -inf.

    >>> data = GroupMoments(("x",), (), np.array(4.0), np.array([0.0]), np.array([[4.0]]))
    >>> gaussian_evidence(data)
    (-5.675754132818691, 2, 4.0)
    """
    intercept, coefficients, variance, _ = regression_lines(moments)
    parameters = int(intercept.size + coefficients.size + variance.size)
    if not np.all(np.isfinite(variance)):
        return -np.inf, parameters, moments.total
    logs = group_log_likelihoods(moments, intercept, coefficients, variance)
    return float(logs.sum()), parameters, moments.total


def evidence_of_groups(groups: GroupMoments, pooled: GroupMoments, owner: IntArray) -> FloatArray:
    """Return the log-likelihoods of the groups of many families at once.

    The arrays of ``groups`` have one axis for all groups of all families, those of ``pooled`` one for
    the families, each with its groups merged; ``owner`` is the family of each group. Groups with too few
    rows take the line of their family, as in :func:`gaussian_evidence`.
    """
    enough = has_own_line(groups)
    logs = np.zeros(len(enough))
    own = _some_groups(groups, enough)
    logs[enough] = group_log_likelihoods(own, *regression(own))
    if not np.all(enough):
        families, which = np.unique(owner[~enough], return_inverse=True)
        shared = [part[which] for part in regression(_some_groups(pooled, families))]
        logs[~enough] = group_log_likelihoods(_some_groups(groups, ~enough), *shared)
    return logs


def _some_groups(moments: GroupMoments, kept: BoolArray | IntArray) -> GroupMoments:
    """The moments of some of the groups, whose arrays have a single group axis."""
    return GroupMoments(moments.variables, (), moments.n[kept], moments.mean[kept], moments.scatter[kept])
