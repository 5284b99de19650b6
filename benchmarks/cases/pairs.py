"""All pairwise tables of many small variables: the heart of Chow–Liu trees, TAN and mutual information."""

from __future__ import annotations

import numpy as np

from case import Case, Work

VARIABLES, ROWS, STATES = 200, 100_000, 4


def _codes(scale: float) -> np.ndarray:
    chance = np.random.default_rng(4)
    return chance.integers(0, STATES, (VARIABLES, int(ROWS * scale)), dtype=np.uint8)


def numpy_gemm(scale: float) -> Work:
    """One-hot float32 X and one product XᵀX by BLAS; making X is part of the work."""
    codes = _codes(scale)

    def count() -> np.ndarray:
        hot = np.zeros((VARIABLES * STATES, codes.shape[1]), dtype=np.float32)
        for state in range(STATES):
            hot[state::STATES] = codes == state
        return hot @ hot.T

    def check(products: np.ndarray) -> float:
        tables = products.reshape(VARIABLES, STATES, VARIABLES, STATES)
        above = np.triu_indices(VARIABLES, 1)
        return float(np.square(tables.transpose(0, 2, 1, 3)[above], dtype=np.float64).sum())

    return Work(count, check, codes.nbytes)


def bayou_pairs(scale: float) -> Work:
    """The kernel on coded columns; making its bit planes is part of the work."""
    from bayou._native import count_pairs

    codes = _codes(scale)
    columns, cards = list(codes), [STATES] * VARIABLES
    return Work(
        lambda: count_pairs(columns, cards),
        lambda answer: float(np.square(answer[0], dtype=np.float64).sum()),
        codes.nbytes,
    )


CASE = Case(
    "pairs",
    "inside: all pairwise 4×4 tables, 200 variables × 100,000 rows",
    {"bayou": bayou_pairs, "numpy one-hot XᵀX": numpy_gemm},
    targets={"numpy one-hot XᵀX": 20},
    memory=2.0,
)
