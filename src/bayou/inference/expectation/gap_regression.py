"""Missing numbers of many rows whose states are known: conditional means, covariances, log densities.

For given states, variable k is Normal(aₖ + bₖ · parents, σₖ²). Its distance from its regression line in
standard deviations, zₖ = (xₖ − aₖ − bₖ · parents) / σₖ, is linear in all numbers: z = L x − c. So

    log P(x) = Σₖ (−½ log 2π − log σₖ) − ½ |z|²,

and with h the missing and o the observed numbers, z = L_h h + (L_o o − c) is a least-squares problem in h.
Its solution ĥ is the conditional mean, (L_hᵀ L_h)⁻¹ the conditional covariance, and integrating h out leaves

    log P(o) = Σₖ (−½ log 2π − log σₖ) + ½ |h| log 2π − log |det R| − ½ |ẑ|²,

where L_h = Q R and ẑ are the distances at ĥ. In the code h starts on its regression lines (distance 0,
parents first): the residuals r of that start give ĥ = h − R⁻¹ Qᵀ r and ẑ = r − Q Qᵀ r.

The columns are ordered children first, which makes the matrix nearly triangular, so that its QR decomposition
keeps small variances that a covariance matrix would round away. Rows with the same gaps and states (a *kind*
of row) share a decomposition; kinds with the same number of gaps are decomposed together. No σ may be 0.

Paige and Saunders (1977), Least squares estimation of discrete linear dynamic systems using orthogonal
transformations, SIAM J. Numer. Anal. 14. :mod:`bayou.inference.mixed.gaussian_conditioning` explains why both
modules exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.inference.expectation.expected_sums import Groups, RealFamily
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import BoolArray, FloatArray, IntArray

_LARGEST_KEY = 2.0**55
"""Keys of rows are renumbered before they could exceed this."""
_ROWS_FOR_A_LOOP = 64
"""If the kinds have more rows than this on average, they are multiplied one after the other."""


@dataclass
class FilledNumbers:
    """``values`` (variables, rows) with the expected value in each gap; ``logs``: log P(observed numbers).

    ``rows`` are the rows with gaps, ``which`` the kind of each of them, ``first`` one row of each kind;
    ``covariances`` (kinds, variables, variables) are those of the missing numbers, 0 elsewhere.
    """

    values: FloatArray
    logs: FloatArray
    rows: npt.NDArray[np.intp]
    which: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    covariances: FloatArray


def fill(families: Sequence[RealFamily], values: FloatArray, groups: Sequence[Groups]) -> FilledNumbers:
    """Put the conditional means into the gaps (NaN) of ``values``, in place.

    ``families`` are ordered parents first; no standard deviation may be 0.
    """
    gaps = np.isnan(values)
    rows = np.flatnonzero(gaps.any(axis=0))
    size = len(families)
    residuals, logs = _residuals(families, values, gaps, groups)
    nothing = np.zeros(0, dtype=np.intp)
    filled = FilledNumbers(values, logs, rows, nothing, nothing, np.zeros((0, size, size)))
    if len(rows):
        _condition(families, filled, residuals, gaps[:, rows], groups)
    with np.errstate(over="ignore", invalid="ignore"):
        for residual in residuals:
            filled.logs -= 0.5 * residual * residual
    filled.logs[np.isnan(filled.logs)] = -np.inf
    return filled


def _residuals(
    families: Sequence[RealFamily], values: FloatArray, gaps: BoolArray, groups: Sequence[Groups]
) -> tuple[FloatArray, FloatArray]:
    """Distances from the lines in standard deviations, and the logs of the densities' constants.

    A gap is filled with the value on its line, so its distance is 0.
    """
    residuals, logs = np.empty_like(values), np.zeros(values.shape[1])
    for k, (family, group) in enumerate(zip(families, groups, strict=True)):
        at = 0 if group is None else group
        with np.errstate(over="ignore", invalid="ignore"):
            centre = family.intercept[at]
            for position, parent in enumerate(family.places[:-1]):
                centre = centre + family.coefficients[at, position] * values[parent]
            if gaps[k].any():
                values[k] = np.where(gaps[k], centre, values[k])
            residuals[k] = (values[k] - centre) / family.deviation[at]
        logs += (-0.5 * LOG_TWO_PI - np.log(family.deviation))[at]
    return residuals, logs


def _condition(
    families: Sequence[RealFamily],
    filled: FilledNumbers,
    residuals: FloatArray,
    gaps: BoolArray,
    groups: Sequence[Groups],
) -> None:
    """Move the missing numbers to the least-squares solution; add the determinants to the log densities."""
    rows, size = filled.rows, len(families)
    key = _keys(gaps, [None if group is None else group[rows] for group in groups], families)
    _, first, filled.which = np.unique(key, return_index=True, return_inverse=True)
    filled.first = rows[first]
    kinds = gaps[:, first]
    lines = _lines(families, [None if g is None else g[filled.first] for g in groups], len(first))
    filled.covariances = np.zeros((len(first), size, size))
    lengths, pulled = kinds.sum(axis=0), _pulled(families, kinds)
    of_row = lengths[filled.which]
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        backwards = np.argsort(~kinds[::-1, chosen].T, axis=1, kind="stable")[:, :length]
        hidden = size - 1 - backwards
        q, inverse = _solved(lines[chosen], hidden)
        filled.covariances[chosen[:, None, None], hidden[:, :, None], hidden[:, None, :]] = (
            inverse @ np.swapaxes(inverse, 1, 2)
        )
        # −log |det R|: `inverse` is R⁻¹, a triangular matrix.
        volume = np.log(np.abs(np.einsum("uii->ui", inverse))).sum(axis=1) + 0.5 * length * LOG_TWO_PI
        mine = np.flatnonzero(of_row == length)
        place = np.searchsorted(chosen, filled.which[mine])
        filled.logs[rows[mine]] += volume[place]
        moving = pulled[filled.which[mine]]
        _move(filled.values, residuals, rows[mine[moving]], place[moving], q, inverse, hidden)


def _pulled(families: Sequence[RealFamily], kinds: BoolArray) -> BoolArray:
    """A mask of the kinds in which a missing number has an observed child; else the start is the solution."""
    children = np.zeros((len(families), len(families)), dtype=bool)
    for family in families:
        children[list(family.places[:-1]), family.places[-1]] = True
    return np.asarray((kinds & (children @ ~kinds)).any(axis=0))


def _keys(gaps: BoolArray, groups: Sequence[Groups], families: Sequence[RealFamily]) -> IntArray:
    """A number for each row, equal for rows of one kind: the same gaps, and the same lines through them."""
    parts: list[tuple[npt.NDArray[np.unsignedinteger], int]] = [
        (packed, 256) for packed in np.packbits(gaps, axis=0)
    ]
    by_parents: dict[tuple[object, ...], tuple[npt.NDArray[np.unsignedinteger], int]] = {}
    matters: dict[tuple[object, ...], BoolArray] = {}
    for family, group in zip(families, groups, strict=True):
        if group is not None:
            touched: BoolArray = np.asarray(gaps[list(family.places)].any(axis=0))
            matters[family.discrete] = np.logical_or(touched, matters.get(family.discrete, touched))
            by_parents[family.discrete] = (group, family.groups)
    parts += [(np.where(matters[key], group, 0), size) for key, (group, size) in by_parents.items()]
    key, bound = np.zeros(gaps.shape[1], dtype=np.int64), 1.0
    for codes, size in parts:
        if bound * size > _LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            bound = float(len(key))
        key = key * size + codes
        bound *= size
    return key


def _lines(families: Sequence[RealFamily], groups: Sequence[Groups], kinds: int) -> FloatArray:
    """The matrix L of each kind of row, which maps numbers to distances from their lines."""
    lines = np.zeros((kinds, len(families), len(families)))
    for k, (family, group) in enumerate(zip(families, groups, strict=True)):
        at = 0 if group is None else group
        lines[:, k, k] = 1 / family.deviation[at]
        for position, parent in enumerate(family.places[:-1]):
            lines[:, k, parent] = -(family.coefficients[:, position] / family.deviation)[at]
    return lines


def _solved(lines: FloatArray, hidden: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Q and R⁻¹ of L_h = Q R for each kind.

    The rows of L are reversed to children first, like the columns: with nothing observed, L is triangular.
    """
    q, triangle = np.linalg.qr(np.take_along_axis(lines[:, ::-1], hidden[:, None, :], axis=2))
    return np.ascontiguousarray(q[:, ::-1]), np.linalg.inv(triangle)


def _move(
    values: FloatArray,
    residuals: FloatArray,
    rows: npt.NDArray[np.intp],
    place: npt.NDArray[np.intp],
    q: FloatArray,
    inverse: FloatArray,
    hidden: npt.NDArray[np.intp],
) -> None:
    """Update the missing numbers and the residuals of ``rows``; ``place`` is the kind of each row."""
    with np.errstate(over="ignore", invalid="ignore"):
        if len(q) * _ROWS_FOR_A_LOOP < len(rows):
            order = np.argsort(place, kind="stable")
            edges = np.searchsorted(place[order], np.arange(1, len(q)))
            for kind, part in enumerate(np.split(rows[order], edges)):
                away = q[kind].T @ residuals[:, part]
                values[hidden[kind][:, None], part] -= inverse[kind] @ away
                residuals[:, part] -= q[kind] @ away
            return
        turned = q[place]
        away = np.swapaxes(turned, 1, 2) @ residuals[:, rows].T[:, :, None]
        values[hidden[place], rows[:, None]] -= (inverse[place] @ away)[:, :, 0]
        residuals[:, rows] -= (turned @ away)[:, :, 0].T
