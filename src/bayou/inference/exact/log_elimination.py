"""Variable elimination on logs, for findings that contradict each other so much that products underflow to 0.

A product of factors is a sum of their logs l, and summing a variable x out is log Σ_x exp(l(x) − m) + m with
m = max_x l(x).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bayou.errors import TooWide
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.inference.exact.density_factors import Logs
from bayou.inference.exact.factors import Factor
from bayou.inference.exact.local_factors import Evidence, table_factor
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


def eliminate_logs(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    evidence: Evidence,
    likelihood: Mapping[Name, FloatArray],
    measured: Logs,
) -> tuple[FloatArray, FloatArray]:
    """Return P(targets | findings) and log P(findings) for each row, whatever the range of the densities.

    This is slower than multiplying (one exponential per entry), but nothing underflows. The table of a row
    with impossible findings is all NaN.
    """
    factors = _log_factors(network, names, evidence, likelihood, measured)
    kept = [network.schema.index(name) for name in targets]
    scopes = [factor.scope for factor in factors]
    sizes = {
        number: network.schema.variables[number].cardinality for number in {*kept}.union(*map(set, scopes))
    }
    order = elimination_order(scopes, sizes, kept)
    _check(*elimination_cost(scopes, sizes, order, kept), max(len(factor.values) for factor in factors))
    for variable in order:
        touching = [factor for factor in factors if variable in factor.scope]
        factors = [factor for factor in factors if variable not in factor.scope]
        merged = _added(touching)
        axis = merged.scope.index(variable) + 1
        left = tuple(number for number in merged.scope if number != variable)
        factors.append(Factor(left, _log_sum(merged.values, axis)))
    final = _added([*factors, *(Factor((k,), np.zeros((1, sizes[k]))) for k in kept)]).spread(kept)
    flat = final.reshape(len(final), -1)
    total = _log_sum(flat, 1)
    with np.errstate(invalid="ignore"):
        shares = np.exp(flat - total[:, None])
    return (shares / shares.sum(axis=1, keepdims=True)).reshape(final.shape), total


def _log_factors(
    network: FrozenNetwork,
    names: Sequence[Name],
    evidence: Evidence,
    likelihood: Mapping[Name, FloatArray],
    measured: Logs,
) -> list[Factor]:
    local = [
        table_factor(network, name, evidence) for name in names if not network.schema[name].is_continuous
    ]
    for name, weights in likelihood.items():
        if name in evidence:
            local.append(Factor((), weights[np.asarray(evidence[name], dtype=np.int64)]))
        else:
            local.append(Factor((network.schema.index(name),), weights[None]))
    with np.errstate(divide="ignore"):
        factors = [Factor(factor.scope, np.log(factor.values)) for factor in local]
    return [*factors, *(Factor(scope, logs) for scope, logs in measured.items())]


def _added(factors: Sequence[Factor]) -> Factor:
    """The log of the product of factors that are given as logs."""
    scope = tuple(sorted({number for factor in factors for number in factor.scope}))
    total: FloatArray = np.zeros((1,) * (len(scope) + 1))
    for factor in sorted(factors, key=lambda factor: factor.values.size):
        total = total + factor.spread(scope)
    return Factor(scope, total)


def _log_sum(logs: FloatArray, axis: int) -> FloatArray:
    top = logs.max(axis=axis, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        summed: FloatArray = np.log(np.exp(logs - safe).sum(axis=axis)) + np.squeeze(safe, axis)
    return summed


def _check(largest: float, entries: float, rows: int) -> None:
    allowed = current_limits()
    if largest * 24 * rows > allowed.memory or entries * rows > allowed.work:
        raise TooWide(
            f"The real-valued findings contradict each other so much that the query must be computed in "
            f"logs, with a table of {largest:.3g} entries ({amount_text(largest * 24 * rows)} with its "
            f"inputs; the limit is {amount_text(allowed.memory)}). Drop a finding, or raise the limit "
            "(with bayou.limits(memory=…))."
        )
