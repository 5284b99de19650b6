"""The sample of rows by hashes: the kernel gives what its reference gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

Columns = tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]


def make_columns(rng: np.random.Generator, rows: int, cards: list[int], numeric: int) -> Columns:
    columns: list[np.ndarray[Any, Any]] = []
    tables: list[np.ndarray[Any, Any]] = []
    for card in cards:
        kind = np.uint8 if card < 255 else np.uint16 if card < 65535 else np.uint32
        codes = rng.integers(0, card, rows).astype(kind)
        codes[rng.random(rows) < 0.1] = np.iinfo(kind).max
        columns.append(codes)
        tables.append(rng.integers(0, 2**63, card + 1).astype(np.uint64))
    for _ in range(numeric):
        values = rng.choice([0.0, -0.0, 1.5, -2.0, np.nan, np.inf], rows)
        columns.append(values)
        tables.append(np.empty(0, dtype=np.uint64))
    return columns, tables


def check(columns: Columns, weights: np.ndarray[Any, Any] | None, size: int, threads: int) -> None:
    for largest in (2**64 - 1, 2**63, 2**56, 0):
        expected = reference.sample_rows(*columns, weights, size, largest)
        found = _core.sample_rows(*columns, weights, size, largest, threads)
        assert found[0].tolist() == expected[0].tolist()
        assert found[1].tolist() == expected[1].tolist()
        np.testing.assert_allclose(found[2], expected[2], rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 300),
    st.lists(st.sampled_from([1, 2, 3, 254, 300, 70_000]), min_size=0, max_size=4),
    st.integers(1, 2),
    st.sampled_from([0, 1, 5, 50, 1000]),
    st.sampled_from([None, "whole", "real"]),
)
def test_as_the_reference(
    seed: int, rows: int, cards: list[int], numeric: int, size: int, weighted: str | None
) -> None:
    rng = np.random.default_rng(seed)
    weights = {None: None, "whole": rng.integers(0, 5, rows).astype(float), "real": rng.random(rows)}[
        weighted
    ]
    check(make_columns(rng, rows, cards, numeric), weights, size, threads=1)


@pytest.mark.parametrize("cards", [[2, 2], [10] * 6, [3, 400]])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_blocks_and_threads(cards: list[int], weighted: bool) -> None:
    """Blocks have 65,536 rows; some of these tables have few distinct rows, some have many."""
    rng = np.random.default_rng(5)
    rows = 200_000
    columns = make_columns(rng, rows, cards, 0)
    weights = rng.random(rows) if weighted else None
    check(columns, weights, 500, threads=1)
    one, four = (_core.sample_rows(*columns, weights, 500, threads=threads) for threads in (1, 4))
    for left, right in zip(one, four, strict=True):
        assert left.tobytes() == right.tobytes()


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.sample_rows([np.zeros(2, np.uint8)], []),
        lambda: _core.sample_rows([np.zeros(2, np.uint8)], [np.empty(0, np.uint64)]),
        lambda: _core.sample_rows([np.zeros(2, np.int64)], [np.zeros(3, np.uint64)]),
        lambda: _core.sample_rows([np.zeros(2), np.zeros(3)], [np.empty(0, np.uint64)] * 2),
    ],
)
def test_bad_arguments(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="column"):
        call()
