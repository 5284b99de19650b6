"""MDL cuts and distinct values: against the reference, and a plain Fayyad–Irani from its definition."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import FloatArray

MISSING = 0xFFFFFFFF
ROWS = [0, 1, 2, 3, 8, 40, 150, 700, 2000, 9000]


def _bits(labels: list[int]) -> float:
    n = len(labels)
    return -sum(count / n * math.log2(count / n) for count in Counter(labels).values())


def _fayyad_irani(rows: list[tuple[float, int]]) -> list[float]:
    """The lecture's rule word for word on sorted rows: every boundary tried, both parts cut again."""
    labels = [label for _, label in rows]
    n = len(rows)
    tries = []
    for at in range(1, n):
        if rows[at - 1][0] == rows[at][0]:
            continue
        after = at / n * _bits(labels[:at]) + (n - at) / n * _bits(labels[at:])
        tries.append((after, at))
    if not tries or len(set(labels)) < 2:
        return []
    least = min(after for after, _ in tries)
    at = next(at for after, at in tries if after <= least + 1e-12)
    left, right = labels[:at], labels[at:]
    k, k_left, k_right = (len(set(part)) for part in (labels, left, right))
    gain = _bits(labels) - least
    delta = math.log2(3**k - 2) - (k * _bits(labels) - k_left * _bits(left) - k_right * _bits(right))
    if gain < math.log2(n - 1) / n + delta / n:
        return []
    cut = (rows[at - 1][0] + rows[at][0]) / 2
    return [*_fayyad_irani(rows[:at]), cut, *_fayyad_irani(rows[at:])]


@st.composite
def labelled_columns(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, int]:
    """Values with ties, classes that follow them more or less."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.sampled_from(ROWS)), draw(st.integers(1, 5))
    classes = random.integers(0, k, n)
    values = random.normal(size=n) + classes * draw(st.sampled_from([0.0, 0.3, 1.0, 5.0]))
    if draw(st.booleans()):
        values = np.round(values, draw(st.integers(-1, 2)))
    if draw(st.booleans()):
        values[np.abs(values) < 0.5] *= -1  # classes that come back: several cuts
    return values, classes.astype(np.uint32), k


@settings(max_examples=60, deadline=None)
@given(labelled_columns())
def test_cuts_are_those_of_the_definition(data: tuple[FloatArray, FloatArray, int]) -> None:
    values, classes, k = data
    values, classes = values[:700], classes[:700]
    rows = sorted(zip(values.tolist(), classes.tolist(), strict=True))
    (cuts,) = _core.mdl_cuts([values], classes, k)
    np.testing.assert_allclose(cuts, _fayyad_irani(rows), rtol=1e-14)


@settings(max_examples=80, deadline=None)
@given(labelled_columns(), st.sampled_from(["none", "whole", "fraction"]), st.sampled_from([0.0, 0.2]))
def test_cuts_are_those_of_the_reference(
    data: tuple[FloatArray, FloatArray, int], kind: str, gaps: float
) -> None:
    values, classes, k = data
    random = np.random.default_rng(len(values))
    values[random.random(len(values)) < gaps] = np.nan
    values[random.random(len(values)) < gaps / 10] = np.inf
    values[random.random(len(values)) < gaps / 10] = -np.inf
    classes[random.random(len(values)) < gaps] = MISSING
    whole = random.integers(0, 4, len(values)).astype(float)
    weights = {"none": None, "whole": whole, "fraction": whole * 0.37 + 0.1}[kind]
    got = _core.mdl_cuts([values, -values], classes, k, weights, 2)
    expected = reference.mdl_cuts([values, -values], classes, k, weights)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(
        _core.value_counts(values, classes, k, weights),
        reference.value_counts(values, classes, k, weights),
        strict=True,
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_a_whole_weight_is_that_many_equal_rows() -> None:
    random = np.random.default_rng(3)
    classes = random.integers(0, 3, 800).astype(np.uint32)
    values = np.round(random.normal(size=800) + classes, 1)
    weights = random.integers(0, 5, 800)
    repeated = [np.repeat(values, weights)], np.repeat(classes, weights)
    weighted = _core.mdl_cuts([values], classes, 3, weights.astype(float))
    assert len(weighted[0]) > 1
    np.testing.assert_array_equal(weighted[0], _core.mdl_cuts(*repeated, 3)[0])


@pytest.mark.parametrize("n_classes", [2, 3, 50, 300])
def test_large_columns_with_many_classes_agree_with_the_reference(n_classes: int) -> None:
    random = np.random.default_rng(n_classes)
    classes = random.integers(0, n_classes, 60_000).astype(np.uint32)
    values = random.normal(size=60_000) + 12.0 * classes / n_classes
    values[::3] = np.round(values[::3], 2)
    (got,) = _core.mdl_cuts([values], classes, n_classes)
    assert len(got) > 3
    np.testing.assert_array_equal(got, reference.mdl_cuts([values], classes, n_classes)[0])


def test_values_whose_first_bits_agree_are_told_apart() -> None:
    classes = np.arange(4000, dtype=np.uint32) // 2000
    values = 1e9 + np.arange(4000.0) * 1e-6
    mixed = np.random.default_rng(0).permutation(4000)
    (cuts,) = _core.mdl_cuts([values[mixed]], classes[mixed], 2)
    np.testing.assert_array_equal(cuts, [0.5 * values[1999] + 0.5 * values[2000]])


def test_nothing_to_cut() -> None:
    zeros = np.zeros(100, np.uint32)
    half = np.arange(100, dtype=np.uint32) % 2
    values = np.arange(100.0)
    nothing: list[tuple[FloatArray, FloatArray]] = [
        (values, zeros),
        (np.full(100, 3.0), half),
        (np.full(100, np.nan), half),
        (values, np.full(100, MISSING, np.uint32)),
        (np.where(half, 0.0, -0.0), half),
    ]
    for column, classes in nothing:
        assert _core.mdl_cuts([column], classes, 2)[0].tolist() == []
    assert _core.mdl_cuts([], half, 2) == []
    assert _core.mdl_cuts([values[:0]], half[:0], 2)[0].tolist() == []


def test_cuts_beside_infinite_values_put_them_on_their_own_side() -> None:
    classes = np.repeat(np.array([0, 1], np.uint32), 50)
    largest = np.finfo(float).max
    for low, high in [
        (-np.inf, 1.0),
        (1.0, np.inf),
        (-np.inf, np.inf),
        (-np.inf, -largest),
        (largest, np.inf),
    ]:
        (cuts,) = _core.mdl_cuts([np.repeat([low, high], 50)], classes, 2)
        assert len(cuts) == 1
        assert low <= cuts[0] < high
        np.testing.assert_array_equal(cuts, reference.mdl_cuts([np.repeat([low, high], 50)], classes, 2)[0])


def test_cuts_are_the_same_for_any_number_of_threads() -> None:
    random = np.random.default_rng(5)
    classes = random.integers(0, 3, 5000).astype(np.uint32)
    columns = [random.normal(size=5000) + j * classes / 4 for j in range(7)]
    once = _core.mdl_cuts(columns, classes, 3, None, 1)
    for threads in (2, 5):
        for first, second in zip(once, _core.mdl_cuts(columns, classes, 3, None, threads), strict=True):
            np.testing.assert_array_equal(first, second)


def test_bad_input_is_named() -> None:
    values, classes = np.zeros(4), np.array([0, 1, 2, MISSING], np.uint32)
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match="classes, row 2: class 2"):
            kernels.mdl_cuts([values], classes, 2)
        with pytest.raises(ValueError, match="n_classes must be 1"):
            kernels.mdl_cuts([values], None, 2)
        with pytest.raises(ValueError, match="rows"):
            kernels.mdl_cuts([values, values[:2]], classes, 3)
        with pytest.raises(ValueError, match="rows"):
            kernels.value_counts(values, classes[:2], 3)
        with pytest.raises(ValueError, match="threads"):
            kernels.mdl_cuts([values], classes, 3, None, -1)
        for bad in (-1.0, np.nan, np.inf):
            with pytest.raises(ValueError, match="weights, row 1"):
                kernels.value_counts(values, classes, 3, np.array([1, bad, 1, 1]))
    with pytest.raises(ValueError, match="float64"):
        _core.mdl_cuts([np.zeros(4, np.float32)], classes, 3)
    with pytest.raises(ValueError, match="1e300"):
        _core.mdl_cuts([values], classes, 3, np.full(4, 1e300))
