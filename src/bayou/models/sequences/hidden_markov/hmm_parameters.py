"""Parameters of hidden Markov models from numbers that users give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.distributions import Distribution, LinearGaussian, Poisson, Table
from bayou.errors import BadQuestion, BadTable, listed
from bayou.schema import Variable
from bayou.temporal.bounded_tables import Bounds
from bayou.typing import FloatArray, Name

_CLOSE = 1e-6


def probabilities(what: str, given: Any, rows: Variable | None, columns: Variable) -> FloatArray:
    """A row of probabilities, or one for each state; given as arrays or as mappings by name.

    >>> probabilities("start", {"a": 0.25, "b": 0.75}, None, Variable("state", ["a", "b"])).tolist()
    [0.25, 0.75]
    """
    if rows is None:
        table = _row(what, given, columns)
    else:
        if isinstance(given, Mapping):
            absent = [state for state in rows.states if state not in given]
            if absent:
                raise BadTable(f"{what}: there is no row for the state {listed(absent)}.")
            parts = [given[state] for state in rows.states]
        else:
            parts = _rows(given)
        if len(parts) != rows.cardinality:
            raise BadTable(
                f"{what}: expected a row for each of the {rows.cardinality} states, not {len(parts)}."
            )
        table = np.array([_row(what, part, columns) for part in parts])
    if not np.all(table >= 0):
        bad = float(table[~(table >= 0)][0])
        raise BadTable(f"{what}: {bad:g} is no probability; give numbers from 0 to 1.")
    sums = table.sum(axis=-1)
    if not np.all(np.abs(sums - 1) <= _CLOSE):
        place = int(np.argmax(np.abs(np.ravel(sums) - 1)))
        row = "they sum" if rows is None else f"the row of {rows.states[place]!r} sums"
        raise BadTable(f"{what}: probabilities must sum to 1, but {row} to {np.ravel(sums)[place]:.6g}.")
    exact: FloatArray = table / sums[..., None]
    return exact


def _rows(given: Any) -> list[Any]:
    try:
        return list(np.atleast_1d(np.asarray(given)))
    except ValueError:  # rows of different lengths
        return list(given)


def _row(what: str, given: Any, columns: Variable) -> FloatArray:
    if isinstance(given, Mapping):
        values = np.zeros(columns.cardinality)
        for state, share in given.items():
            values[columns.code(state)] = share
        return values
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(())
    if values.shape != (columns.cardinality,):
        found = f"{given!r}" if values.ndim != 1 else f"{len(values)}"
        raise BadTable(
            f"{what}: expected {columns.cardinality} numbers in a row, one for each of "
            f"{listed(columns.states)}, not {found}."
        )
    return values


def gaussian_blocks(
    names: Sequence[Name], means: Any, covariances: Any, groups: tuple[int, ...], linked: bool
) -> dict[Name, Distribution]:
    """The regressions of columns on those before them that have these means and covariances, by group.

    ``covariances`` has a matrix for each group, or a row of variances, or one variance.
    """
    d, count = len(names), int(np.prod(groups))
    centre = _shaped("means", means, (count, d))
    full = _matrices(np.asarray(covariances, dtype=np.float64), count, d)
    blocks: dict[Name, Distribution] = {}
    for j, name in enumerate(names):
        inner, along = full[:, :j, :j], full[:, :j, j]
        if not linked and np.abs(along).max(initial=0.0) > 0:
            raise BadTable(
                "These covariances have entries between columns, but the model's columns are independent "
                'given the state: use covariance="full".'
            )
        slopes = np.linalg.solve(inner, along[:, :, None])[:, :, 0] if j else np.zeros((count, 0))
        variance = full[:, j, j] - (slopes * along).sum(axis=1)
        if not np.all(variance > 0):
            raise BadTable(
                f"covariances: the matrix of a state is not positive definite (at column {name!r})."
            )
        intercept = centre[:, j] - (slopes * centre[:, :j]).sum(axis=1)
        used: FloatArray = np.asarray(slopes if linked else np.zeros((count, 0)), dtype=np.float64)
        blocks[name] = LinearGaussian(
            intercept.reshape(groups), used.reshape(*groups, used.shape[1]), variance.reshape(groups)
        )
    return blocks


def _matrices(given: FloatArray, count: int, d: int) -> FloatArray:
    if given.size == count * d * d and (d > 1 or given.ndim == 3):
        made: FloatArray = given.reshape(count, d, d)
        if not np.allclose(made, made.transpose(0, 2, 1), rtol=1e-6, atol=0):
            raise BadTable(
                "covariances: a covariance must be symmetric: entry (i, j) is that of (j, i), too."
            )
        return made
    if given.size == count * d:
        diagonal: FloatArray = np.einsum("gi,ij->gij", given.reshape(count, d), np.eye(d))
        return diagonal
    if given.shape == (d, d):
        return np.broadcast_to(given, (count, d, d)).copy()
    if given.size in (1, count):
        round_: FloatArray = np.einsum("g,ij->gij", np.broadcast_to(given.ravel(), (count,)), np.eye(d))
        return round_
    raise BadTable(
        f"covariances have {given.size} numbers: expected a {d} × {d} matrix for each of {count} states (or "
        "components), or variances."
    )


def _shaped(what: str, given: Any, shape: tuple[int, ...]) -> FloatArray:
    values = np.asarray(given, dtype=np.float64)
    if values.size != int(np.prod(shape)):
        raise BadTable(f"{what}: expected numbers of shape {shape}, not {values.shape}.")
    if not np.all(np.isfinite(values)):
        raise BadTable(f"{what}: {values[~np.isfinite(values)][0]} is not finite; give finite numbers.")
    return values.reshape(shape)


def emission_block(name: Name, given: Any, state: Variable, column: Variable) -> Distribution:
    """The distribution of one column: a table, the rates of counts, or any distribution as it is."""
    if isinstance(given, Distribution):
        return given
    if not column.is_continuous:
        return Table(probabilities(f"emission of {name!r}", given, state, column))
    if isinstance(given, Mapping) and set(given) == {"rate"}:
        rate = _shaped("rate", given["rate"], (state.cardinality,))
        if not np.all(rate > 0):
            raise BadTable(f"emission of {name!r}: rates must be above 0.")
        return Poisson(rate, 0.0)
    raise BadTable(
        f"emission of {name!r}: give a table for symbols, {{'rate': […]}} for counts, set_gaussian() for "
        "numbers, or a distribution."
    )


def bounds_given(part: str, given: Any, shape: tuple[int, ...], *, end: bool = False) -> Bounds:
    """Lower and upper bounds of a table of this shape, from a pair of numbers or arrays; None is no bound.

    For ``end`` they are about the second column, P(the sequence ends | state).

    >>> low, high = bounds_given("start", (0.1, None), (3,))
    >>> low.tolist(), high.tolist()
    ([0.1, 0.1, 0.1], [1.0, 1.0, 1.0])
    """
    if not isinstance(given, Sequence) or len(given) != 2:
        raise BadQuestion(f"bounds={{{part!r}: …}}: give a pair (low, high) of numbers or arrays.")
    own = shape[:-1] if end else shape
    try:
        low, high = (
            np.broadcast_to(np.asarray(default if one is None else one, dtype=np.float64), own).copy()
            for one, default in zip(given, (0.0, 1.0), strict=True)
        )
    except ValueError:
        raise BadQuestion(f"bounds of {part!r}: expected numbers, or arrays of shape {own}.") from None
    if end:
        low, high = np.stack([1 - high, low], axis=-1), np.stack([1 - low, high], axis=-1)
    if not (np.all(low >= 0) and np.all(low <= high) and np.all(high <= 1)):
        raise BadQuestion(f"bounds of {part!r}: they must satisfy 0 ≤ low ≤ high ≤ 1 everywhere.")
    least, most = low.sum(axis=-1).max(), high.sum(axis=-1).min()
    if least > 1 + _CLOSE or most < 1 - _CLOSE:
        why = (
            f"lower bounds sum to {least:.4g}, above 1" if least > 1 else f"upper ones to {most:.4g}, below 1"
        )
        raise BadQuestion(f"bounds of {part!r}: no row of probabilities satisfies them ({why}).")
    return low, high
