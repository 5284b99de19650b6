"""Posteriors of many rows with findings about real variables: rows with the same gaps together, in blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code
from bayou.graphs.ordering import elimination_cost, elimination_order
from bayou.inference.exact.density_factors import Densities, Logs, scaled
from bayou.inference.exact.elimination import eliminate
from bayou.inference.exact.factors import SAFE_LOG_RANGE
from bayou.inference.exact.local_factors import Evidence, density_logs
from bayou.inference.exact.log_elimination import eliminate_logs
from bayou.inference.exact.plan_cache import Plan, Signature, plans_of
from bayou.inference.mixed.components import components, may_be_constant
from bayou.inference.mixed.log_densities import log_densities
from bayou.memory import current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.typing import ColumnArray, FloatArray, IntArray, Name

_BLOCK_ENTRIES = 2**22
"""The approximate number of table entries in a block of rows."""
_WIDE_TABLE = 2**10
"""If the discrete part has larger tables than this, each row is run through a compiled plan, which is then
faster than numpy on all rows at once."""


@dataclass(frozen=True)
class PatternAnswer:
    """For each row P(targets | findings) as a flat vector (NaN: impossible findings), and log P(findings)."""

    table: FloatArray
    log_evidence: FloatArray


def pattern_posterior(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    columns: Mapping[Name, ColumnArray],
    rows: int,
    independent_gaps: Mapping[Name, ColumnArray] | None = None,
) -> PatternAnswer:
    """Return the posteriors of rows in which all ``columns`` are observed; ``names`` are relevant variables.

    ``independent_gaps`` are columns with gaps (see :mod:`bayou.inference.mixed.gap_patterns`).
    """
    independent_gaps = independent_gaps or {}
    size = prod(network.schema[name].cardinality for name in targets)
    table, logs = np.full((rows, size), np.nan), np.full(rows, -np.inf)
    within = [name for name in names if not (name in independent_gaps and network.schema[name].is_continuous)]
    extra = [name for name in independent_gaps if network.schema[name].is_continuous]
    largest, by_plan = _discrete_part(network, within, targets, columns, extra)
    for block in _blocks(network, within, columns, rows, 1 if by_plan else largest, extra):
        evidence: dict[Name, ColumnArray] = {
            name: column[block] if column.dtype.kind in "fO" else column[block].astype(np.int64)
            for name, column in columns.items()
        }
        logs_of = log_densities(network, within, evidence)
        for name, column in independent_gaps.items():
            _add(logs_of, *_logs_with_gaps(network, name, column[block], evidence))
        measured = scaled(logs_of)
        run = _by_plan if by_plan else _by_elimination
        table[block], logs[block] = run(
            network, within, targets, evidence, measured, block.stop - block.start
        )
        step = max(1, _BLOCK_ENTRIES // largest)
        _again_in_logs(network, within, targets, evidence, measured, table[block], logs[block], step)
    return PatternAnswer(table, logs)


def _add(logs: Logs, scope: tuple[int, ...], values: FloatArray) -> None:
    logs[scope] = logs[scope] + values if scope in logs else values


def _logs_with_gaps(
    network: FrozenNetwork, name: Name, column: ColumnArray, evidence: Evidence
) -> tuple[tuple[int, ...], FloatArray]:
    """The scope and the log densities of a column with gaps; a missing cell has log density 0 everywhere.

    Of a discrete column the log density is 0 for the observed state and -inf for the others.
    """
    variable = network.schema[name]
    if not variable.is_continuous:
        codes = column.astype(np.int64)
        gap = is_missing_code(column)
        fits = (codes[:, None] == np.arange(variable.cardinality)) | gap[:, None]
        return (network.schema.index(name),), np.where(fits, 0.0, -np.inf)
    return density_logs(network, name, {**evidence, name: column})


def is_narrow(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    observed: Collection[Name],
    independent_gaps: Sequence[Name],
) -> bool:
    """Whether the tables of the discrete part stay small if only these variables are ``observed``.

    ``independent_gaps`` are real variables with gaps: factors over their discrete parents, not hidden
    variables. A variance of 0 among them counts as not narrow.
    """
    if any(may_be_constant(network, name) for name in independent_gaps):
        return False
    return not _discrete_part(
        network, [n for n in names if n not in independent_gaps], targets, observed, independent_gaps
    )[1]


def _discrete_part(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    columns: Collection[Name],
    independent_gaps: Sequence[Name],
) -> tuple[int, bool]:
    """The entries of the largest table per row, and whether to run a compiled plan instead of numpy."""
    schema = network.schema
    discrete = [name for name in names if not schema[name].is_continuous]
    scopes = [
        [schema.index(n) for n in (*(p.name for p in network.parents(name)), name) if n not in columns]
        for name in discrete
    ]
    scopes += [
        [schema.index(name) for name in border]
        for border in _borders(network, names, columns, independent_gaps)
    ]
    sizes = {number: schema.variables[number].cardinality for scope in scopes for number in scope}
    kept = [schema.index(name) for name in targets]
    order = elimination_order(scopes, sizes, kept)
    largest, _ = elimination_cost(scopes, sizes, order, kept)
    factored = any(not network.finite(name).is_tabled for name in discrete)
    return max(largest, 1), factored or largest > _WIDE_TABLE


def _borders(
    network: FrozenNetwork, names: Sequence[Name], columns: Collection[Name], independent_gaps: Sequence[Name]
) -> list[list[Name]]:
    """The hidden discrete variables that each density of real findings depends on."""
    parts, alone = components(network, names, columns)
    borders = [list(part.border) for part in parts]
    for name in (*alone, *independent_gaps):
        borders.append([p.name for p in network.discrete_parents(name) if p.name not in columns])
    return borders


def _blocks(
    network: FrozenNetwork,
    names: Sequence[Name],
    columns: Collection[Name],
    rows: int,
    largest: int,
    independent_gaps: Sequence[Name],
) -> Iterator[slice]:
    """Slices of rows whose tables and densities fit into a block together."""
    borders = _borders(network, names, columns, independent_gaps)
    densest = sum(prod(network.schema[name].cardinality for name in border) for border in borders)
    parts, alone = components(network, names, columns)
    densest += sum(len(part.hidden) ** 2 for part in parts)
    densest += max((network.family(name).groups for name in (*alone, *independent_gaps)), default=0)
    entries = min(_BLOCK_ENTRIES, int(current_limits().memory / 64))
    step = max(1, entries // max(largest, densest, 1))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def _by_elimination(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    evidence: Evidence,
    measured: Densities,
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """Tables and log P(findings) of all rows, by variable elimination in numpy."""
    done = eliminate(network, names, targets, evidence, {}, measured=measured)
    values = done.values.reshape(len(done.values), -1)
    total = values.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        table, logs = values / total, done.log_scale + np.log(total[:, 0])
    return np.broadcast_to(table, (rows, table.shape[1])), np.broadcast_to(logs, (rows,))


def _by_plan(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    evidence: Evidence,
    measured: Densities,
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """Tables and log P(findings) of all rows, by one compiled plan run on each row."""
    schema = network.schema
    discrete = [name for name in names if not schema[name].is_continuous]
    seen = [name for name in discrete if name in evidence]
    plan = plans_of(network).plan(
        Signature(
            tuple(schema.index(name) for name in discrete),
            tuple(schema.index(name) for name in seen),
            tuple(factor.scope for factor in measured.factors),
            joint=tuple(schema.index(name) for name in targets),
            marginals=False,
        )
    )
    codes = np.zeros((rows, len(seen)), dtype=np.uint32)
    for place, name in enumerate(seen):
        codes[:, place] = evidence[name]
    given = [np.ascontiguousarray(factor.values) for factor in measured.factors]
    order = _order_of(plan, [schema.index(name) for name in targets], schema)
    table, logs = np.full((rows, len(order)), np.nan), np.empty(rows)
    for row in range(rows):
        log, flat, _ = plan.core.run(codes[row], [values[row] for values in given])
        logs[row] = log + measured.log_scale[row if len(measured.log_scale) > 1 else 0]
        if np.isfinite(logs[row]):
            table[row] = flat[order] if targets else 1.0
    return table, logs


def _order_of(plan: Plan, targets: Sequence[int], schema: Schema) -> IntArray:
    """Indices into a plan's flat table that put its entries in the order of the targets."""
    stored = sorted(targets, key=lambda number: plan.rank[number])
    sizes = [schema.variables[number].cardinality for number in stored]
    places = np.arange(prod(sizes)).reshape(sizes)
    return places.transpose([stored.index(number) for number in targets]).reshape(-1)


def _again_in_logs(
    network: FrozenNetwork,
    names: Sequence[Name],
    targets: Sequence[Name],
    evidence: Evidence,
    measured: Densities,
    table: FloatArray,
    logs: FloatArray,
    step: int,
) -> None:
    """Recompute in logs, in place, the rows whose products may have underflowed to 0 (see underflow.py)."""
    possible = np.isfinite(measured.log_scale)
    with np.errstate(invalid="ignore"):
        small = ~(logs - measured.log_scale > -SAFE_LOG_RANGE)
    again: npt.NDArray[np.intp] = np.flatnonzero(possible & (measured.log_range > SAFE_LOG_RANGE) & small)
    table[~np.isfinite(logs)] = np.nan
    for start in range(0, len(again), step):
        part = again[start : start + step]
        mine = {name: column[part] for name, column in evidence.items()}
        found = {
            scope: values[part] if len(values) > 1 else values for scope, values in measured.logs.items()
        }
        tables, totals = eliminate_logs(network, names, targets, mine, {}, found)
        table[part] = tables.reshape(len(tables), -1)
        logs[part] = totals
