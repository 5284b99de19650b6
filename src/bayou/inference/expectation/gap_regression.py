"""Missing numbers of many rows at once, with known states: their means, covariances and log densities.

For given states, variable k is Normal(aₖ + bₖ · parents, σₖ²). Its distance from its line in standard
deviations, zₖ = (xₖ − aₖ − bₖ · parents) / σₖ, is linear in all numbers: z = L x − c. So

    log P(x) = Σₖ (−½ log 2π − log σₖ) − ½ |z|²,

and with h the missing and o the observed numbers, z = L_h h + (L_o o − c) is a least-squares problem in h.
Its solution ĥ is the conditional mean, (L_hᵀ L_h)⁻¹ the conditional covariance, and integrating h out leaves

    log P(o) = Σₖ (−½ log 2π − log σₖ) + ½ |h| log 2π − log |det R| − ½ |ẑ|²,

where L_h = Q R and ẑ are the distances at ĥ. In the code h starts on its lines (distance 0, parents first):
the residuals r of that start give ĥ = h − R⁻¹ Qᵀ r and ẑ = r − Q Qᵀ r.

The columns are taken children first, where the matrix is nearly triangular already, so that its QR
decomposition keeps variances that a covariance matrix would lose. Rows with the same gaps and states share a
decomposition, and those with equally many gaps are decomposed together. No σ may be 0.

Paige and Saunders (1977), Least squares estimation of discrete linear dynamic systems using orthogonal
transformations, SIAM J. Numer. Anal. 14. Why :mod:`bayou.inference.mixed.gaussian_conditioning` exists beside
this file is said there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.inference.expectation.expected_sums import Groups, RealFamily
from bayou.typing import BoolArray, FloatArray, IntArray

_LOG_TWO_PI = float(np.log(2 * np.pi))
_KEY_BITS = 2.0**55
_ROWS_FOR_A_LOOP = 64
"""Kinds of rows with more rows than this, on average, are multiplied one kind after the other."""


@dataclass
class FilledNumbers:
    """Rows without gaps: ``values`` (variables, rows) with the expected value of each gap, and the log
    densities of what was observed.

    ``rows`` are those with gaps, ``which`` the kind of each, ``first`` a row of each kind;
    ``covariances`` (kinds, variables, variables) are those of the missing numbers, 0 elsewhere.
    """

    values: FloatArray
    logs: FloatArray
    rows: npt.NDArray[np.intp]
    which: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    covariances: FloatArray


def fill(families: Sequence[RealFamily], values: FloatArray, groups: Sequence[Groups]) -> FilledNumbers:
    """Put expected values into the gaps (NaN) of ``values``, which is changed; parents come first.

    No deviation may be 0.
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

    A gap is filled with the value on the line, its distance is 0.
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
        logs += (-0.5 * _LOG_TWO_PI - np.log(family.deviation))[at]
    return residuals, logs


def _condition(
    families: Sequence[RealFamily],
    filled: FilledNumbers,
    residuals: FloatArray,
    gaps: BoolArray,
    groups: Sequence[Groups],
) -> None:
    """Move the missing numbers to where all distances together are least."""
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
        # The determinant of a triangle inverted is that of the triangle, inverted.
        volume = np.log(np.abs(np.einsum("uii->ui", inverse))).sum(axis=1) + 0.5 * length * _LOG_TWO_PI
        mine = np.flatnonzero(of_row == length)
        place = np.searchsorted(chosen, filled.which[mine])
        filled.logs[rows[mine]] += volume[place]
        moving = pulled[filled.which[mine]]
        _move(filled.values, residuals, rows[mine[moving]], place[moving], q, inverse, hidden)


def _pulled(families: Sequence[RealFamily], kinds: BoolArray) -> BoolArray:
    """Kinds of rows in which a missing number has an observed child; in the others all stay on the lines."""
    children = np.zeros((len(families), len(families)), dtype=bool)
    for family in families:
        children[list(family.places[:-1]), family.places[-1]] = True
    return np.asarray((kinds & (children @ ~kinds)).any(axis=0))


def _keys(gaps: BoolArray, groups: Sequence[Groups], families: Sequence[RealFamily]) -> IntArray:
    """A number for each row; those with the same gaps and the same lines through these have the same."""
    parts: list[tuple[npt.NDArray[np.unsignedinteger], int]] = [
        (packed, 256) for packed in np.packbits(gaps, axis=0)
    ]
    known: dict[tuple[object, ...], tuple[npt.NDArray[np.unsignedinteger], int]] = {}
    matters: dict[tuple[object, ...], BoolArray] = {}
    for family, group in zip(families, groups, strict=True):
        if group is not None:
            touched: BoolArray = np.asarray(gaps[list(family.places)].any(axis=0))
            matters[family.discrete] = np.logical_or(touched, matters.get(family.discrete, touched))
            known[family.discrete] = (group, family.groups)
    parts += [(np.where(matters[key], group, 0), size) for key, (group, size) in known.items()]
    key, bound = np.zeros(gaps.shape[1], dtype=np.int64), 1.0
    for codes, size in parts:
        if bound * size > _KEY_BITS:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            bound = float(len(key))
        key = key * size + codes
        bound *= size
    return key


def _lines(families: Sequence[RealFamily], groups: Sequence[Groups], kinds: int) -> FloatArray:
    """For each kind of row the matrix that takes numbers to distances from their lines."""
    lines = np.zeros((kinds, len(families), len(families)))
    for k, (family, group) in enumerate(zip(families, groups, strict=True)):
        at = 0 if group is None else group
        lines[:, k, k] = 1 / family.deviation[at]
        for position, parent in enumerate(family.places[:-1]):
            lines[:, k, parent] = -(family.coefficients[:, position] / family.deviation)[at]
    return lines


def _solved(lines: FloatArray, hidden: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Orthogonal columns for the missing numbers of each kind, and the triangle beside them, inverted.

    Lines go children first as the columns do: where nothing is observed the matrix is triangular as it is.
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
    """Rows of the kinds ``place``: the missing numbers move, and with them the distances."""
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
