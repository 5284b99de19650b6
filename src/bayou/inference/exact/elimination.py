"""Variable elimination on a batch of rows with the same observed variables.

P(targets, evidence) = Σ_hidden Π_i P(x_i | parents of x_i). Each hidden variable is summed out of the product
of the factors that contain it; the result is a new factor. Zhang and Poole (1994), A simple approach to
Bayesian network computations, 10th Canadian Conference on Artificial Intelligence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bayou.errors import TooWide
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.inference.answer import Answer
from bayou.inference.engines import Engine
from bayou.inference.exact.density_factors import Densities, densities
from bayou.inference.exact.factors import Factor, product, scaled_product
from bayou.inference.exact.local_factors import Evidence, table_factor
from bayou.inference.exact.plan_cache import REMEDIES
from bayou.inference.question import Question, evidence_columns
from bayou.memory import amount_text, count_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class EliminationStep:
    """One elimination: the variable summed out, the factors multiplied, and the resulting factor."""

    variable: Name
    multiplied: tuple[Factor, ...]
    result: Factor


@dataclass
class EliminationTrace:
    """A record of an elimination for display: local factors by variable, the steps, the final factors."""

    local: list[tuple[Name, Factor]] = field(default_factory=list)
    weights: list[tuple[Name, Factor]] = field(default_factory=list)
    """The weights of uncertain findings, by variable."""
    steps: list[EliminationStep] = field(default_factory=list)
    final: list[Factor] = field(default_factory=list)
    log_scales: dict[int, float] = field(default_factory=dict)
    """By ``id`` the logs of what factors were divided by: only of those that would have underflowed."""

    def log_scale(self, factor: Factor) -> float:
        """The log of what the numbers of a factor have to be multiplied by."""
        return self.log_scales.get(id(factor), 0.0)


@dataclass(frozen=True)
class Elimination:
    """The unnormalised answer: for each row exp(log_scale) · values = P(targets, evidence)."""

    scope: tuple[Name, ...]
    values: FloatArray
    log_scale: FloatArray


def eliminate(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    evidence: Evidence,
    likelihood: Mapping[Name, FloatArray],
    trace: EliminationTrace | None = None,
    measured: Densities | None = None,
) -> Elimination:
    """Sum all variables but the targets out of the product of the local distributions of ``names``.

    Hidden continuous variables among ``names`` are integrated out first; ``measured`` are the densities of
    the real findings, if they have been computed already. A ``trace`` records every step.
    """
    found = densities(network, names, evidence) if measured is None else measured
    log_scale: FloatArray = found.log_scale
    factors = [*_local_factors(network, names, evidence, likelihood, trace), *found.factors]
    ids = {
        network.schema.index(name)
        for name in names
        if name not in evidence and not network.schema[name].is_continuous
    }
    kept = [network.schema.index(name) for name in targets]
    sizes = {variable: network.schema.variables[variable].cardinality for variable in ids}
    scopes = [factor.scope for factor in factors]
    order = elimination_order(scopes, sizes, kept)
    _refuse_if_too_wide(scopes, sizes, order, kept, max((len(f.values) for f in factors), default=1))
    for variable in order:
        touching = [factor for factor in factors if variable in factor.scope]
        factors = [factor for factor in factors if variable not in factor.scope]
        if trace is None:
            merged, logs = scaled_product(touching)
            log_scale = log_scale + logs
            merged = merged.sum_out([variable])
        else:
            multiplied, log = _displayed_product(touching, trace)
            merged = multiplied.sum_out([variable])
            trace.log_scales[id(merged)] = log
            trace.steps.append(
                EliminationStep(network.schema.variables[variable].name, tuple(touching), merged)
            )
        factors.append(merged)
    if trace is not None:
        trace.final.extend(factors)
    final, logs = scaled_product([*factors, *(Factor((k,), np.ones((1, sizes[k]))) for k in kept)])
    return Elimination(tuple(targets), final.spread(kept), log_scale + logs)


def _displayed_product(factors: Sequence[Factor], trace: EliminationTrace) -> tuple[Factor, float]:
    """The product of factors that are displayed, and the log of what it was divided by.

    It is not divided unless its numbers would fall below the smallest one.
    """
    before = sum(trace.log_scale(factor) for factor in factors)
    try:
        with np.errstate(under="raise"):
            return product(factors), before
    except FloatingPointError:
        scaled, logs = scaled_product(factors)
        return scaled, before + float(logs[0])


class EliminationEngine(Engine):
    """Variable elimination with numpy: easy to follow, and independent of the compiled core."""

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Sum everything but the targets out of the product of the tables."""
        done = eliminate(
            network, names, question.targets, evidence_columns(network, question), question.likelihood
        )
        values, total = done.values[0], float(done.values[0].sum())
        if total <= 0:
            return Answer(question.targets, None, None, -np.inf)
        log_evidence = float(done.log_scale[0] + np.log(total)) if question.has_findings else 0.0
        return Answer(question.targets, values / total, None, log_evidence)


def _local_factors(
    network: FrozenNetwork,
    names: Sequence[Name],
    evidence: Evidence,
    likelihood: Mapping[Name, FloatArray],
    trace: EliminationTrace | None,
) -> list[Factor]:
    factors: list[Factor] = []
    for name in names:
        if not network.schema[name].is_continuous:
            factors.append(table_factor(network, name, evidence))
            if trace is not None:
                trace.local.append((name, factors[-1]))
    for name, weights in likelihood.items():
        if name in evidence:
            factors.append(Factor((), weights[np.asarray(evidence[name], dtype=np.int64)]))
        else:
            factors.append(Factor((network.schema.index(name),), weights[None]))
        if trace is not None:
            trace.weights.append((name, factors[-1]))
    return factors


def _refuse_if_too_wide(
    scopes: Sequence[Sequence[int]],
    sizes: Mapping[int, int],
    order: Sequence[int],
    kept: Sequence[int],
    rows: int,
) -> None:
    largest, _ = elimination_cost(scopes, sizes, order, kept)
    # Half of the limit, because a product and its sum are in memory at the same time.
    most = current_limits().memory / 2
    if largest * 8 > most:
        raise TooWide(
            f"This query needs a table of {count_text(largest)} entries ({amount_text(largest * 8)}; the "
            f"limit is {amount_text(most)}). {REMEDIES}"
        )
    if largest * 8 * rows > 4 * most:
        raise TooWide(
            f"{rows:,} rows with tables of {largest:,} entries each do not fit into memory at once: use "
            "fewer rows at a time."
        )
