"""Imputation of all gaps of a row together, by the row's most probable completion.

With s the missing states and x the missing numbers of a row,

    ŝ = argmax_s P(s | findings) = argmax_s ∫ P(s, x | findings) dx,
    x̂_k = E[x_k | findings, ŝ, x̂_1 … x̂_(k−1)].

Without continuous variables, one compiled max-product plan serves all rows: each variable with gaps gets a
0/1 factor that allows the observed state, or every state where the cell is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.inference.exact.compiled_query import most_probable, signature_of
from bayou.inference.exact.plan_cache import Plan, plans_of
from bayou.inference.query import ask
from bayou.inference.question import Finding, Question, relevant
from bayou.inference.rows.batch_posteriors import representatives
from bayou.inference.rows.imputation import (
    GappyRows,
    ImputationInProgress,
    ImputedValues,
    findings,
    means_of_rows,
    most_probable_codes,
)
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

_LARGEST_GENERAL = 1e6
"""A plan for rows with any gaps may have this many table entries; else each gap pattern has its own plan."""


def fill_jointly(network: FrozenNetwork, part: GappyRows) -> ImputedValues:
    """Fill the gaps with the row's most probable completion.

    The states come first (missing numbers integrated out), then the means of the missing numbers, one after
    the other, given the states and the numbers filled before.
    """
    work = ImputationInProgress(part)
    names = tuple(name for name in part.gaps if name in part.codes)
    best = _best_states(network, part, names) if names else np.empty((part.rows, 0))
    for place, name in enumerate(names):
        where = np.flatnonzero(part.gaps[name])
        work.put(name, where, best[where, place])
    for name, where in work.open_cells():
        if name in part.numbers:
            work.put(name, where, means_of_rows(network, name, work.part(), where))
    return work.done()


def _best_states(network: FrozenNetwork, part: GappyRows, names: tuple[Name, ...]) -> FloatArray:
    """The codes of these variables in each row that has gaps (NaN where no completion is possible)."""
    best = np.full((part.rows, len(names)), np.nan)
    gaps = np.stack([part.gaps[name] for name in names], axis=1)
    missing = np.stack([is_missing_code(part.codes[n]) for n in names], axis=1)
    # A missing cell that is not to be filled (a state unknown to the network) is summed out: another plan.
    usual = gaps.any(axis=1) & (gaps == missing).all(axis=1)
    plan = _general_plan(network, names)
    if plan is None:
        usual[:] = False
    else:
        rows = np.flatnonzero(usual)
        best[rows] = _by_one_plan(network, plan, names, part, rows)
    solver = _RowByRow(network)
    for row in np.flatnonzero(gaps.any(axis=1) & ~usual).tolist():
        targets = tuple(name for name, gap in zip(names, gaps[row], strict=True) if gap)
        states = solver.completion(targets, findings(part, row))
        if states is not None:
            best[row, gaps[row]] = [states[name] for name in targets]
    return best


def _general_plan(network: FrozenNetwork, names: tuple[Name, ...]) -> Plan | None:
    """Return a plan for rows with any gaps, or None where it is too large or a variable is continuous.

    The choice depends on the network and the columns only, never on the rows: so of equally probable
    completions the same one is chosen however the table is divided into chunks.
    """
    if any(variable.is_continuous for variable in network.schema):
        return None
    anything = {name: np.ones(network.schema[name].cardinality) for name in names}
    asked = Question(names, likelihood=anything)
    relevant_names = relevant(network, asked)
    network.require(relevant_names)
    signature, _ = signature_of(network, relevant_names, asked)
    plans = plans_of(network)
    try:
        plan = plans.plan(replace(signature, maximised=tuple(network.schema.index(name) for name in names)))
    except TooWide:
        return None
    return plan if plan.core.entries <= _LARGEST_GENERAL else None


def _by_one_plan(
    network: FrozenNetwork,
    plan: Plan,
    names: tuple[Name, ...],
    part: GappyRows,
    rows: npt.NDArray[np.intp],
) -> FloatArray:
    """Run the plan once per distinct row: a finding allows one state of its variable, a gap all of them."""
    columns = [np.ascontiguousarray(part.codes[name][rows]) for name in names]
    first, which = representatives(columns, len(rows))
    cards = [network.schema[name].cardinality for name in names]
    allowed = [[*np.eye(card), np.ones(card)] for card in cards]
    codes = [np.minimum(c[first], card).tolist() for c, card in zip(columns, cards, strict=True)]
    numbers = [network.schema.index(name) for name in names]
    nothing: npt.NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
    best = np.full((len(first), len(names)), np.nan)
    for row, cells in enumerate(zip(*codes, strict=True)):
        given = [choices[cell] for choices, cell in zip(allowed, cells, strict=True)]
        log, _, states = plan.core.run(nothing, given)
        if np.isfinite(log):
            best[row] = states[numbers]
    result: FloatArray = best[which]
    return result


class _RowByRow:
    """One question per distinct row, and so one plan per pattern of gaps."""

    def __init__(self, network: FrozenNetwork) -> None:
        self.network = network
        self.answers: dict[tuple[object, ...], dict[Name, int] | None] = {}

    def completion(self, targets: tuple[Name, ...], found: Mapping[Name, Finding]) -> dict[Name, int] | None:
        """The states of the targets, or None where the findings are impossible."""
        key = (targets, tuple(found.items()))
        if key not in self.answers:
            self.answers[key] = self._solved(Question(targets, found))
        return self.answers[key]

    def _solved(self, question: Question) -> dict[Name, int] | None:
        names = relevant(self.network, question)
        self.network.require(names)
        schema = self.network.schema
        if any(schema[name].is_continuous and name not in question.evidence for name in names):
            return self._with_hidden_numbers(question)
        states, log = most_probable(self.network, names, question)
        return states if np.isfinite(log) else None

    def _with_hidden_numbers(self, question: Question) -> dict[Name, int] | None:
        """The largest entry of the targets' joint posterior, with the missing numbers integrated out."""
        try:
            table = ask(self.network, question).table
        except ImpossibleEvidence:
            return None
        assert table is not None
        best = int(most_probable_codes(table.reshape(1, -1))[0])
        codes = np.unravel_index(best, table.shape)
        return {name: int(code) for name, code in zip(question.targets, codes, strict=True)}
