"""The factor graph of a question: the tables of its variables with the findings entered.

A finding is looked up in the tables, which cuts the graph at the observed variable. Noisy nodes come as
chains of small tables, and those observed in their weakest state as one factor for each parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from bayou._native import loopy_beliefs
from bayou.errors import TooWide
from bayou.inference.exact.compiled_query import signature_of
from bayou.inference.exact.density_factors import densities, scaled
from bayou.inference.exact.plan_cache import REMEDIES, plans_of
from bayou.inference.loopy.convergence import Convergence
from bayou.inference.question import Question, evidence_columns
from bayou.memory import amount_text, count_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

TOLERANCE = 1e-9
"""Messages whose largest change in a sweep is at most this have converged."""
MOST_SWEEPS = 1000
"""The most sweeps; where no damping makes progress, fewer."""


@dataclass(frozen=True)
class LoopyGraph:
    """Tables over variables (by number; auxiliary ones come last), those from ``first_log`` on in logs.

    ``log_constant`` is the log of a constant factor of P(findings).
    """

    cards: list[int]
    scopes: list[list[int]]
    tables: list[FloatArray]
    first_log: int
    log_constant: float


@dataclass(frozen=True)
class LoopyBeliefs:
    """The beliefs of all variables of a graph one after the other, and log P(findings) (-inf: impossible)."""

    flat: FloatArray
    starts: list[int]
    log_evidence: float
    convergence: Convergence

    def of(self, variable: int) -> FloatArray:
        """The probabilities of the states of a variable, given by its number."""
        return self.flat[self.starts[variable] : self.starts[variable + 1]]


def loopy_graph(network: FrozenNetwork, names: list[Name], question: Question) -> LoopyGraph:
    """Return the graph of a question about these (relevant) variables; raise TooWide if it is too large."""
    plans = plans_of(network)
    signature, findings = signature_of(network, names, question, measured=scaled({}))
    observed = dict(zip(signature.observed, findings.codes.tolist(), strict=True))
    scopes: list[list[int]] = []
    tables: list[FloatArray] = []
    for number in signature.factors:
        for piece in plans.pieces[number]:
            scope, table = plans.scopes[piece], plans.tables[piece]
            if not observed.keys().isdisjoint(scope):
                table = np.ascontiguousarray(table[tuple(observed.get(v, slice(None)) for v in scope)])
                scope = [v for v in scope if v not in observed]
            scopes.append(scope)
            tables.append(table)
    scopes += [list(scope) for scope in signature.given]
    tables += findings.given
    first_log = len(tables)
    # Densities of numbers stay logs: they may be further apart than floats go.
    measured = densities(network, names, evidence_columns(network, question)) if plans.continuous else None
    for found, logs in measured.logs.items() if measured else ():
        scopes.append(list(found))
        tables.append(np.ascontiguousarray(logs[0]))
    _check_size(tables)
    return LoopyGraph(plans.cards, scopes, tables, first_log, findings.log_scale)


def _check_size(tables: list[FloatArray]) -> None:
    """Refuse tables that take more memory, or sweeps that take more work, than the limits allow."""
    cells = sum(table.size for table in tables)
    needed, work = 8.0 * cells + 100.0 * max((t.size for t in tables), default=0), 2.0 * cells * MOST_SWEEPS
    allowed = current_limits()
    if needed > allowed.memory or work > allowed.work:
        raise TooWide(
            f"Loopy propagation on tables of {count_text(cells)} entries needs {amount_text(needed)} and "
            f"goes through up to {work:.3g} entries in {MOST_SWEEPS:,} sweeps (limits: "
            f"{amount_text(allowed.memory)} and {allowed.work:.3g}). {REMEDIES}"
        )


def propagated(graph: LoopyGraph) -> LoopyBeliefs:
    """Send messages until they converge, or until more of them would not help."""
    flat, log_total, residual, sweeps, is_forest = loopy_beliefs(
        graph.cards, graph.scopes, graph.tables, graph.first_log, TOLERANCE, MOST_SWEEPS
    )
    starts = list(accumulate(graph.cards, initial=0))
    verdict = Convergence(sweeps, residual, residual <= TOLERANCE, is_forest)
    return LoopyBeliefs(flat, starts, log_total + graph.log_constant, verdict)
