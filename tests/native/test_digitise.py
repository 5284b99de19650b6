"""Numbers to codes by cuts: against the reference, for every type, stride and number of threads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SMALL = st.integers(-3, 3).map(float)


@st.composite
def values_and_cuts(draw: st.DrawFn) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    cuts = np.array(sorted(set(draw(st.lists(FINITE | SMALL, max_size=70)))), dtype=np.float64)
    on_a_cut = st.sampled_from(cuts.tolist()) if len(cuts) else SMALL
    extreme = st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.7e308])
    values = draw(st.lists(FINITE | SMALL | on_a_cut | extreme, max_size=60))
    return np.array(values, dtype=np.float64), cuts


@given(values_and_cuts(), st.integers(0, 3))
def test_codes_are_those_of_searchsorted(
    case: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]], threads: int
) -> None:
    values, cuts = case
    got = _core.digitise(values, cuts, threads)
    expected = reference.digitise(values, cuts)
    assert got.dtype == expected.dtype == np.uint8
    np.testing.assert_array_equal(got, expected)
    for value, code in zip(values.tolist(), got.tolist(), strict=True):
        assert code == (255 if value != value else sum(cut < value for cut in cuts.tolist()))


@pytest.mark.parametrize("kind", ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("stride", [1, 3, -1, -2])
def test_every_type_of_numbers_and_every_stride(kind: str, stride: int) -> None:
    values = (np.random.default_rng(0).normal(60, 30, 5000) % 120).astype(kind)[::stride]
    cuts = np.array([10.0, 20.0, 60.5, 99.0])
    np.testing.assert_array_equal(_core.digitise(values, cuts), reference.digitise(values, cuts))


@pytest.mark.parametrize(
    ("n_cuts", "kind"),
    [(0, "u1"), (48, "u1"), (49, "u1"), (254, "u1"), (255, "u2"), (65534, "u2"), (65535, "u4")],
)
@pytest.mark.parametrize("rows", [0, 1, 1023, 1025, 140_000])
def test_the_type_of_codes_has_room_for_a_gap(n_cuts: int, kind: str, rows: int) -> None:
    values = np.random.default_rng(n_cuts).uniform(-2, n_cuts + 2, rows)
    values[::7] = np.nan
    values[1::5] = np.floor(values[1::5])
    cuts = np.arange(n_cuts, dtype=np.float64)
    got = _core.digitise(values, cuts)
    assert got.dtype == np.dtype(kind)
    np.testing.assert_array_equal(got, reference.digitise(values, cuts))
    np.testing.assert_array_equal(got, _core.digitise(values, cuts, 1))


@pytest.mark.parametrize("kernel", [_core.digitise, reference.digitise])
@pytest.mark.parametrize("cuts", [[2.0, 1.0], [1.0, 1.0], [np.nan], [0.0, np.nan], [0.0, -0.0]])
def test_cuts_that_do_not_ascend_are_refused(kernel: object, cuts: list[float]) -> None:
    assert callable(kernel)
    with pytest.raises(ValueError, match="cut"):
        kernel(np.zeros(3), np.array(cuts))


@pytest.mark.parametrize("kernel", [_core.digitise, reference.digitise])
@pytest.mark.parametrize(
    "values", [np.array(["1"]), np.zeros((2, 2)), np.zeros(2, complex), np.zeros(2, bool)]
)
def test_what_is_no_column_of_numbers_is_refused(kernel: object, values: npt.NDArray[np.generic]) -> None:
    assert callable(kernel)
    with pytest.raises(ValueError, match="values: expected a one-dimensional array"):
        kernel(values, np.array([1.0]))
