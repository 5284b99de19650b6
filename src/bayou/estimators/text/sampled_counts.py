"""A sample of the rows of a sparse matrix of word counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from bayou.schema import Variable
from bayou.sources.weights import Weights
from bayou.statistics.rows.row_sample import hash_numbers, mixed
from bayou.statistics.text.word_sample import WordSample
from bayou.typing import CodeArray

_STEP = np.uint64(0x9E3779B97F4A7C15)


def sampled_rows(
    counts: sparse.csr_array,
    words: Sequence[str],
    codes: CodeArray,
    classes: Variable,
    weights: Weights | None,
) -> WordSample:
    """Return some of the rows: those with the smallest hashes of their counts and classes."""
    factors = mixed((counts.indices.astype(np.uint64) + np.uint64(1)) * _STEP) | np.uint64(1)
    cells = hash_numbers(counts.data.astype(np.float64)) * factors
    cells[counts.data == 0] = 0
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    hashes = np.zeros(counts.shape[0], dtype=np.uint64)
    np.add.at(hashes, rows, cells)

    def counted(chosen: list[int]) -> list[dict[str, float]]:
        parts = [slice(counts.indptr[row], counts.indptr[row + 1]) for row in chosen]
        pairs = [
            zip(counts.indices[some].tolist(), counts.data[some].tolist(), strict=True) for some in parts
        ]
        return [{words[column]: float(often) for column, often in each if often} for each in pairs]

    labels = [classes.states[code] for code in codes.tolist()]
    ones = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
    return WordSample.of(hashes, labels, ones, counted)
