"""log P of many rows at once, each with its own gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bayou._native import sum_log_tables
from bayou.codes import is_missing_cell
from bayou.distributions import FamilyRows
from bayou.inference.exact.compiled_query import entries_side_by_side, rows_posterior
from bayou.inference.expectation.expected_counts import row_logs
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import CodeArray, ColumnArray, FloatArray, Name

_LARGE_CLIQUES = 2**14
"""Above this many table entries per row, computing rows one by one is considered."""
_ONE_BY_ONE = 10
"""An entry takes this many times as long where rows are computed one by one, up and down the tree."""


def log_probability(
    network: FrozenNetwork, codes: Mapping[Name, CodeArray], numbers: Mapping[Name, FloatArray], rows: int
) -> FloatArray:
    """Return log P(observed cells) for each row; missing cells are summed out exactly.

    ``codes`` has the discrete columns (largest code = missing), ``numbers`` the continuous ones (NaN =
    missing).
    """
    network.require(network.dag.nodes)
    gaps = _gaps(network, codes, numbers, rows)
    if not numbers and gaps.any():
        return _discrete_rows(network, codes, gaps, rows)
    columns: dict[Name, ColumnArray] = {**codes, **numbers}
    complete = ~gaps.any(axis=1)
    if complete.all():
        return _product(network, network.dag.nodes, columns, rows)
    result = np.empty(rows)
    whole = {name: column[complete] for name, column in columns.items()}
    result[complete] = _product(network, network.dag.nodes, whole, int(complete.sum()))
    rest = {name: column[~complete] for name, column in columns.items()}
    # Imported here because discrete rows do not need it.
    from bayou.inference.mixed.gap_patterns import gap_posterior

    result[~complete] = gap_posterior(network, None, rest, int((~complete).sum())).log_evidence
    return result


def _discrete_rows(
    network: FrozenNetwork, codes: Mapping[Name, CodeArray], gaps: npt.NDArray[np.bool_], rows: int
) -> FloatArray:
    """log P of rows of a discrete network: complete rows as a product of table entries, others by a plan."""
    complete = ~gaps.any(axis=1)
    result = np.empty(rows)
    whole = {name: column[complete] for name, column in codes.items()}
    result[complete] = _product(network, network.dag.nodes, whole, int(complete.sum()))
    seen = [name for k, name in enumerate(network.dag.nodes) if not gaps[:, k].all()]
    names = relevant(network, Question((), dict.fromkeys(seen, 0)))
    rest = {name: np.ascontiguousarray(codes[name][~complete]) for name in seen}
    result[~complete] = _gappy_rows(network, names, rest, int((~complete).sum()))
    return result


def _gappy_rows(
    network: FrozenNetwork, names: list[Name], codes: Mapping[Name, CodeArray], rows: int
) -> FloatArray:
    """log P of rows with gaps, many at once; where cliques are large, row by row if that is less work."""
    whole = entries_side_by_side(network, names, list(codes))
    if whole > _LARGE_CLIQUES:
        logs = row_logs(network, names, Batch(rows, codes, {}), whole / _ONE_BY_ONE)
        if logs is not None:
            return logs
    return rows_posterior(network, names, None, codes, rows)[0]


def _gaps(
    network: FrozenNetwork, codes: Mapping[Name, CodeArray], numbers: Mapping[Name, FloatArray], rows: int
) -> np.typing.NDArray[np.bool_]:
    gaps = np.empty((rows, len(network.dag.nodes)), dtype=bool)
    for position, name in enumerate(network.dag.nodes):
        gaps[:, position] = is_missing_cell(numbers[name] if name in numbers else codes[name])
    return gaps


def _product(
    network: FrozenNetwork, names: Sequence[Name], columns: Mapping[Name, ColumnArray], rows: int
) -> FloatArray:
    """Σ_i log P(x_i | parents of x_i) of each row; these variables and their parents must be observed."""
    discrete = [name for name in names if not network.schema[name].is_continuous]
    tabled = [name for name in discrete if network.finite(name).is_tabled]
    others = set(names).difference(tabled)
    place = {name: k for k, name in enumerate(discrete)}
    with np.errstate(divide="ignore"):
        logs = [np.log(network.table(name)) for name in tabled]
    families = [[*(place[p.name] for p in network.parents(name)), place[name]] for name in tabled]
    cards = [network.schema[name].cardinality for name in discrete]
    total: FloatArray = np.zeros(rows)
    if tabled:
        total += sum_log_tables([columns[name] for name in discrete], cards, families, logs)
    for name in names:
        if name in others:
            total += _log_density(network, name, columns, rows)
    return total


def _log_density(
    network: FrozenNetwork, name: Name, columns: Mapping[Name, ColumnArray], rows: int
) -> FloatArray:
    """log P(name | parents) of each row, from the variable's distribution."""
    family = network.family(name)
    inputs = [np.asarray(columns[parent.name]) for parent in family.continuous]
    stacked = np.stack(inputs, axis=-1) if inputs else np.zeros((rows, 0))
    codes = [columns[parent.name] for parent in family.discrete]
    return network.distribution(name).log_density(FamilyRows(rows, codes, stacked, columns[name]))
