"""Estimates from rows other than the data: random rows to start EM, and all rows but one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou import statistics
from bayou.codes import is_missing_cell
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import Prior
from bayou.errors import BayouWarning
from bayou.typing import ColumnArray, FloatArray

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution
    from bayou.distributions.distribution_kind import DistributionKind, StartingData

_HANDFUL = 24
"""The number of random values from which a random start learns each group."""


def start_by_chance(kind: DistributionKind, known: StartingData) -> Distribution:
    """Return the start of EM: the estimate from complete rows, or from a few random values per group.

    The random values are drawn from the distribution of the child alone, so the groups differ by chance.
    """
    family = known.family
    if known.complete is not None and not known.wild:
        return kind.estimate(known.complete, family, known.prior)
    alone = known.alone(family.child)
    single = Family(family.child)
    overall = kind.estimate(alone if alone is not None else known.complete, single, known.prior)
    rows = _HANDFUL * family.groups
    stream = RandomStream(int(known.chance.integers(2**63)), 0)
    values = overall.sample(FamilyRows(rows, (), np.zeros((rows, 0))), stream)
    places = np.unravel_index(np.repeat(np.arange(family.groups), _HANDFUL), family.shape or (1,))
    codes = [place.astype(np.uint32) for place in places][: len(family.shape)]
    answer = _answered(kind, family, FamilyRows(rows, codes, np.zeros((rows, 0)), values), None)
    return kind.estimate(answer, family, known.prior)


def learned_without_each(
    distribution: Distribution,
    rows: FamilyRows,
    weights: FloatArray,
    answer: Any,
    family: Family,
    prior: Prior,
) -> FloatArray:
    """Return log P(child | parents) of each row, learned without the row; 0 where the child is missing.

    Exact, but it takes one estimate per distinct row.
    """
    logs = np.zeros(rows.rows)
    log_of: dict[tuple[float, ...], float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        for row in np.flatnonzero(~_missing(rows.observed, family)):
            one = _row(rows, int(row))
            key = (*(int(code[0]) for code in one.codes), *one.inputs[0], one.observed[0], weights[row])
            if key not in log_of:
                own = _answered(type(distribution), family, one, weights[row : row + 1])
                rest = distribution.estimated_again(answer - own, family, prior)
                log_of[key] = float(rest.log_density(one)[0])
            logs[row] = log_of[key]
    return logs


def _missing(values: ColumnArray, family: Family) -> Any:
    return is_missing_cell(values) if family.child.is_continuous else values >= family.child.cardinality


def _row(rows: FamilyRows, row: int) -> FamilyRows:
    part = slice(row, row + 1)
    inputs = rows.inputs[part] if len(rows.inputs) else np.zeros((1, 0))
    return FamilyRows(1, [code[part] for code in rows.codes], inputs, rows.observed[part])


def _answered(kind: DistributionKind, family: Family, rows: FamilyRows, weights: FloatArray | None) -> Any:
    """The answer of some rows of a family to the request that a kind needs."""
    codes = {
        parent.name: np.asarray(code, dtype=np.uint32)
        for parent, code in zip(family.discrete, rows.codes, strict=True)
    }
    numbers = {parent.name: rows.inputs[:, k] for k, parent in enumerate(family.continuous)}
    if family.child.is_continuous:
        numbers[family.child.name] = np.asarray(rows.observed, dtype=np.float64)
    else:
        codes[family.child.name] = np.asarray(rows.observed, dtype=np.uint32)
    request: Any = kind.needs(family)
    variables = {variable.name: variable for variable in family.variables}
    return request.answer(statistics.Batch(rows.rows, codes, numbers, weights), variables)
