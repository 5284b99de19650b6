"""Gaps filled with the row's most probable completion: all of them together."""

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
    Completed,
    Filling,
    GappyRows,
    findings,
    means_of_rows,
    most_probable_codes,
)
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

_LARGEST_GENERAL = 1e6
"""Table entries up to which one plan serves rows with any gaps; beyond, each gap pattern has its own."""


def fill_jointly(network: FrozenNetwork, part: GappyRows) -> Completed:
    """The row's most probable completion: states first (numbers integrated out), then the numbers' means."""
    work = Filling(part)
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
    """The codes of these variables in each row that has gaps (NaN where there is no completion)."""
    best = np.full((part.rows, len(names)), np.nan)
    gaps = np.stack([part.gaps[name] for name in names], axis=1)
    lacking = np.stack([is_missing_code(part.codes[n]) for n in names], axis=1)
    # A cell that is neither open nor known (a value never seen) is summed out, which needs its own plan.
    usual = gaps.any(axis=1) & (gaps == lacking).all(axis=1)
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
    """A plan for rows with any gaps, or None where it is too large or numbers are found beside states.

    Whether there is one depends on the network and the columns, never on the rows: of equally probable
    completions the same one is chosen whatever the chunks.
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
    """Each distinct row is a run: a finding allows one state of its variable, a gap allows them all."""
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
    """A question a row: a plan for each pattern of gaps, equal rows once."""

    def __init__(self, network: FrozenNetwork) -> None:
        self.network = network
        self.known: dict[tuple[object, ...], dict[Name, int] | None] = {}

    def completion(self, targets: tuple[Name, ...], found: Mapping[Name, Finding]) -> dict[Name, int] | None:
        """The states of the targets, or None where the findings are impossible."""
        key = (targets, tuple(found.items()))
        if key not in self.known:
            self.known[key] = self._solved(Question(targets, found))
        return self.known[key]

    def _solved(self, question: Question) -> dict[Name, int] | None:
        names = relevant(self.network, question)
        self.network.require(names)
        schema = self.network.schema
        if any(schema[name].is_continuous and name not in question.evidence for name in names):
            return self._with_hidden_numbers(question)
        states, log = most_probable(self.network, names, question)
        return states if np.isfinite(log) else None

    def _with_hidden_numbers(self, question: Question) -> dict[Name, int] | None:
        """Numbers are hidden between findings: the joint posterior of the targets, and its largest entry."""
        try:
            table = ask(self.network, question).table
        except ImpossibleEvidence:
            return None
        assert table is not None
        best = int(most_probable_codes(table.reshape(1, -1))[0])
        codes = np.unravel_index(best, table.shape)
        return {name: int(code) for name, code in zip(question.targets, codes, strict=True)}
