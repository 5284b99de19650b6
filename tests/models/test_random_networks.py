from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadQuestion, UnknownVariable


@given(st.integers(1, 12), st.integers(0, 4), st.integers(0, 5), st.integers(0, 2**32))
def test_limits_are_kept_whatever_is_drawn(size: int, parents: int, real: int, seed: int) -> None:
    real = min(real, size)
    net = bayou.random_network(size, states=(1, 4), max_parents=parents, continuous=real, seed=seed)
    assert all(len(net.parents(name)) <= parents for name in net.names)
    assert sum(variable.is_continuous for variable in net.variables) == real
    assert all(variable.cardinality <= 4 for variable in net.variables)
    assert np.isfinite(net.entropy())


def test_the_number_of_arcs_is_the_one_asked_for_and_too_many_are_refused() -> None:
    assert len(bayou.random_network(6, arcs=15, max_parents=5, seed=1).arcs) == 15
    with pytest.raises(BadQuestion, match=r"arcs=16: 6 variables .* have at most 15 arcs"):
        bayou.random_network(6, arcs=16, max_parents=5, seed=1)


def test_a_low_concentration_makes_rows_extreme() -> None:
    low, high = (bayou.random_network(30, states=4, concentration=c, seed=2).entropy() for c in (0.1, 10.0))
    assert low < high / 2


def test_names_of_any_kind_and_states_by_name() -> None:
    net = bayou.random_network(["Größe", 7, ("a", 1)], states={7: 5}, seed=4)
    assert net.names == ("Größe", 7, ("a", 1))
    assert [variable.cardinality for variable in net.variables] == [2, 5, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variables": 0}, "at least one variable"),
        ({"variables": "AB"}, "give a number, or a list"),
        ({"states": 0}, "at least one state"),
        ({"states": (4, 2)}, "a range is"),
        ({"concentration": 0}, "positive number"),
        ({"max_parents": -1}, "0 or more"),
        ({"max_parents": "two"}, "max_parents='two'"),
        ({"states": 1.5}, "states=1.5"),
        ({"states": (2,)}, "least, most"),
        ({"arcs": 2.5}, "arcs=2.5"),
        ({"concentration": "even"}, "concentration='even'"),
        ({"seed": -1}, "seed=-1"),
        ({"continuous": 11}, "there are 10 variables"),
    ],
)
def test_nonsense_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        bayou.random_network(**arguments)
    with pytest.raises(UnknownVariable):
        bayou.random_network(["A"], states={"B": 2})


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    two, three = np.int64(2), np.int64(3)
    net = bayou.random_network(np.int64(4), states=three, continuous=two, arcs=two, seed=1)
    assert len(net.arcs) == 2
    with pytest.raises(BadQuestion, match="at least one variable"):
        bayou.random_network([])
