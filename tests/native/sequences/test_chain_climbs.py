"""Many climbs of EM in one kernel against their plain numpy reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import climb_chains
from bayou._native.reference.temporal import chain_climbs as reference


def climbs(seed: int, states: int, *, symbols: int, columns: int, covariance: int, count: int) -> list[Any]:
    """Random parameters of so many climbs, and rows with gaps in the symbols, weights and pseudocounts."""
    chance = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(chance.integers(0, 20, 3)), [70]]).astype(np.int64)
    rows = int(starts[-1])
    codes = chance.integers(0, symbols + 1, rows).astype(np.uint8)
    codes[codes == symbols] = 255
    numbers = chance.normal(0, 3, (rows, columns)) + codes[:, None] % 5
    tables = [
        chance.dirichlet(np.ones(states), (count, 1)),
        chance.dirichlet(np.ones(states), (count, states)),
    ]
    if symbols:
        tables.append(chance.dirichlet(np.ones(symbols), (count, states)))
    linked = covariance in (reference.FULL, reference.SHARED)
    slopes = chance.normal(0, 0.3, (count, states, columns * (columns - 1) // 2)) * linked
    variances = chance.uniform(1, 9, (count, states, columns))
    parts = [*tables, chance.normal(0, 3, (count, states, columns)), slopes, variances]
    cells = sum(table[0].size for table in tables)
    return [
        np.ascontiguousarray(np.concatenate([part.reshape(count, -1) for part in parts], axis=1)),
        states,
        starts,
        chance.uniform(0.5, 2.0, len(starts) - 1) if seed % 2 else None,
        [codes] if symbols else [],
        [symbols] if symbols else [],
        [numbers[:, j] for j in range(columns)],
        covariance,
        np.full(columns, 1e-6),
        chance.uniform(0, 1, cells) * (seed % 3 == 0),
    ]


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(1, 10),
)
def test_steps_of_em_are_those_of_the_reference(
    seed: int, states: int, symbols: int, columns: int, covariance: int, count: int
) -> None:
    given_ = climbs(seed, states, symbols=symbols, columns=columns, covariance=covariance, count=count)
    found, expected = climb_chains(*given_, 2, -1.0), reference.climb_chains(*given_, 2, -1.0)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_a_climb_does_not_depend_on_threads_and_neighbours_and_never_falls() -> None:
    given_ = climbs(1, 3, symbols=4, columns=2, covariance=reference.FULL, count=21)
    one, two = (climb_chains(*given_, 12, 0.3, threads=threads) for threads in (1, 2))
    for part, other in zip(one, two, strict=True):
        assert np.array_equal(part, other)
    assert len(set(one[2].tolist())) > 1  # some end sooner
    alone = climb_chains(given_[0][7:8], *given_[1:], 12, 0.3)
    assert all(np.array_equal(part, other[7:8]) for part, other in zip(alone, one, strict=True))
    now, reached = given_[0], np.full(21, -np.inf)
    for _ in range(10):
        now, value, _ = climb_chains(now, *given_[1:], 1, 0.0)
        assert (value >= reached - 1e-9).all()
        reached = value


def test_a_climb_that_can_not_emit_a_row_is_given_up_and_others_go_on() -> None:
    given_ = climbs(2, 2, symbols=3, columns=0, covariance=reference.FULL, count=3)
    given_[0][1, 6:12] = [1, 0, 0, 1, 0, 0]
    found = climb_chains(*given_, 4, -1.0)
    assert found[1][1] == -np.inf
    assert found[2].tolist() == [4, 0, 4]
    assert np.isfinite(found[1][[0, 2]]).all()


def test_climbs_without_a_step_stay_where_they_are_and_have_no_objective() -> None:
    given_ = climbs(2, 2, symbols=3, columns=1, covariance=reference.FULL, count=9)
    for kernel in (climb_chains, reference.climb_chains):
        moved, reached, taken = kernel(*given_, 0, 0.0)
        assert np.array_equal(moved, given_[0])
        assert np.isnan(reached).all()
        assert not taken.any()


def test_a_state_that_nothing_visits_keeps_its_parameters() -> None:
    given_ = climbs(4, 2, symbols=0, columns=2, covariance=reference.FULL, count=1)
    given_[0][0, :6] = [1, 0, 1, 0, 1, 0]
    moved = climb_chains(*given_, 2, 0.0)[0]
    np.testing.assert_array_equal(moved[0, [4, 5, 8, 9, 11, 14, 15]], given_[0][0, [4, 5, 8, 9, 11, 14, 15]])
    assert not np.isclose(moved[0, 6:8], given_[0][0, 6:8]).any()


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, np.zeros((1, 3)), "expected 12 numbers for each climb"),
        (1, 17, "from 0 to 16"),
        (2, np.array([1, 2]), "first rows"),
        (9, np.zeros(3), "pseudocounts has length 3"),
        (7, 5, "covariance"),
    ],
)
def test_wrong_sizes_are_refused(place: int, value: Any, said: str) -> None:
    given_ = climbs(2, 2, symbols=3, columns=0, covariance=reference.FULL, count=3)
    given_[place] = value
    with pytest.raises(ValueError, match=said):
        climb_chains(*given_, 1, 0.0)
