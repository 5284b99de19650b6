"""Numpy reference of the counter-based random numbers, and of draws of states and normal numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.typing import CodeArray, FloatArray

_MISSING_GROUP = 0xFFFFFFFF
_ROUNDING = 1e-9
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: npt.NDArray[np.uint64], key: tuple[int, int]) -> npt.NDArray[np.uint64]:
    """Philox 4x32 with ten rounds (Salmon et al. 2011): rows of four 32-bit words, kept in 64 bits.

    >>> [hex(word) for word in philox(np.zeros((1, 4), np.uint64), (0, 0))[0].tolist()]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c0, c1, c2, c3 = counter.T
    k0, k1 = key
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (
            (p1 >> _HALF) ^ c1 ^ np.uint64(k0),
            p1 & _LOW,
            (p0 >> _HALF) ^ c3 ^ np.uint64(k1),
            p0 & _LOW,
        )
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1)


def sample_categorical(
    seed: int,
    stream: int,
    first_row: int,
    groups: npt.NDArray[np.uint32] | None,
    cumulative: FloatArray,
    n: int,
    threads: int = 0,
) -> CodeArray:
    """Codes drawn from rows of cumulative probabilities; row i depends only on (seed, stream, i).

    A missing group (0xFFFFFFFF) gives a missing code.

    >>> sample_categorical(7, 0, 0, None, np.array([[0.0, 1.0]]), 3).tolist()
    [1, 1, 1]
    """
    if groups is None and len(cumulative) != 1:
        raise ValueError(f"without groups cumulative must have one row, not {len(cumulative)}")
    group = np.zeros(n, np.uint32) if groups is None else groups
    _check_sampling(cumulative, group, n, threads)
    u = _uniforms(seed, stream, first_row, n)[0]
    states = cumulative.shape[1]
    dtype = np.dtype(f"uint{8 if states <= 255 else 16 if states <= 65535 else 32}")
    codes: CodeArray = np.full(n, missing_code(dtype), dtype)
    for g, row in enumerate(cumulative):
        chosen = group == g
        last = int(np.searchsorted(row, row[-1], side="left"))
        codes[chosen] = np.minimum(np.searchsorted(row, u[chosen], side="right"), last)
    return codes


def sample_normal(seed: int, stream: int, first_row: int, n: int, threads: int = 0) -> FloatArray:
    """Standard normal draws (Box and Muller, the cosine half); row i depends only on (seed, stream, i).

    >>> len(sample_normal(7, 0, 0, 3))
    3
    """
    if n < 0 or threads < 0:
        raise ValueError(f"n ({n}) and threads ({threads}) must be at least 0")
    u, v = _uniforms(seed, stream, first_row, n)
    normal: FloatArray = np.sqrt(-2.0 * np.log(1.0 - u)) * np.cos(2.0 * np.pi * v)
    return normal


def _uniforms(seed: int, stream: int, first_row: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Two numbers in [0, 1) with 53 random bits for each row."""
    if first_row + n > 2**64 - 1:
        raise ValueError("first_row + n is beyond 2**64: rows are counted in 64 bits")
    rows = np.uint64(first_row) + np.arange(n, dtype=np.uint64)
    stream_words = np.broadcast_to(np.array([stream & 0xFFFFFFFF, stream >> 32], np.uint64), (n, 2))
    counter = np.column_stack([rows & _LOW, rows >> _HALF, stream_words])
    words = philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    bits = (words[:, 1::2] << _HALF | words[:, 0::2]) >> np.uint64(11)
    uniforms = bits.astype(np.float64) * 2.0**-53
    return uniforms[:, 0], uniforms[:, 1]


def _check_sampling(cumulative: FloatArray, group: npt.NDArray[np.uint32], n: int, threads: int) -> None:
    if n < 0 or threads < 0:
        raise ValueError(f"n ({n}) and threads ({threads}) must be at least 0")
    if cumulative.ndim != 2 or cumulative.shape[1] == 0:
        raise ValueError("cumulative has no states: expected at least one")
    if len(group) != n:
        raise ValueError(f"groups has {len(group)} rows, but n is {n}")
    steps = np.diff(cumulative, axis=1, prepend=0.0)
    wrong = np.argwhere(~((steps >= 0) & (cumulative <= 1 + _ROUNDING)))
    if wrong.size:
        raise ValueError(
            f"cumulative, group {wrong[0, 0]}, state {wrong[0, 1]}: not a cumulative probability"
        )
    empty = np.flatnonzero(cumulative[:, -1] == 0)
    if empty.size:
        raise ValueError(f"cumulative, group {empty[0]}: no state has a positive probability")
    bad = np.flatnonzero((group >= len(cumulative)) & (group != _MISSING_GROUP))
    if bad.size:
        raise ValueError(f"groups, row {bad[0]}: group {group[bad[0]]} is not below {len(cumulative)}")
