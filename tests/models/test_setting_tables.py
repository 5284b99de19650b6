"""Tables given to ``set_cpt``: data frames, and keys that name the parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars
import pytest

import bayou
from bayou.errors import BadTable, UnknownState


def unset() -> bayou.Network:
    storm = bayou.examples.storm()
    return bayou.Network(storm.dag, states={name: ["no", "yes"] for name in storm.names})


@pytest.mark.parametrize("to_frame", [lambda frame: frame, polars.from_pandas])
def test_every_table_goes_to_a_frame_and_back(to_frame: Callable[[Any], Any]) -> None:
    for name in ("asia", "child", "sachs"):
        net = getattr(bayou.examples, name)()
        again = net.copy()
        for variable in net.names:
            shuffled = net.cpt(variable).to_frame().sample(frac=1, random_state=1).iloc[:, ::-1]
            again.set_cpt(variable, to_frame(shuffled))
        for variable in net.names:
            found, expected = again.cpt(variable).to_array(), net.cpt(variable).to_array()
            np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_a_frame_tells_the_states_of_an_undeclared_variable() -> None:
    net = bayou.examples.rain_and_wet_grass()
    again = bayou.Network(net.dag)
    for name in net.names:
        again.set_cpt(name, net.cpt(name).to_frame())
    assert again.same_as(net)


def test_keys_may_name_the_parents_in_any_order() -> None:
    table = {
        "BusTourGroup=no, Storm=yes": {"yes": 0.1},
        "Storm=yes, BusTourGroup=yes": [0.6, 0.4],
        ("no", "no"): {"yes": 0.2},
        "Storm='no', BusTourGroup=yes": {"yes": 0.8},
    }
    net = unset().set_cpt("Campfire", table)
    expected = bayou.examples.storm().cpt("Campfire").to_array()
    np.testing.assert_allclose(net.cpt("Campfire").to_array(), expected, atol=1e-15)
    fresh = bayou.Network("A, B -> C", states={"A": ["no", "yes"], "B": [1, 2]})
    rows = {f"B={b}, A={a}": {"x": 0.5, "y": 0.5} for a in ("no", "yes") for b in (1, 2)}
    assert fresh.set_cpt("C", rows).states("C") == ("x", "y")


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ({"Storm=yes": [0.5, 0.5]}, BadTable, "does not name the state of 'BusTourGroup'"),
        ({"Storm=yes, Bus=no": [0.5, 0.5]}, BadTable, "'Bus' is not one of the parents"),
        ({"Storm=yes, Storm=no": [0.5, 0.5]}, BadTable, "names 'Storm' twice"),
        ({("yes", "maybe"): [0.5, 0.5]}, UnknownState, "states of 'Storm', 'BusTourGroup', in this order"),
    ],
)
def test_keys_that_cannot_be_read(table: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        unset().set_cpt("Campfire", table)


def test_frames_that_do_not_fit_are_refused() -> None:
    frame = bayou.examples.storm().cpt("Campfire").to_frame()
    with pytest.raises(BadTable, match="needs the columns 'Storm', 'BusTourGroup', 'Campfire' and one with"):
        unset().set_cpt("Campfire", frame.drop(columns="Storm"))
    with pytest.raises(BadTable, match="has two rows for"):
        unset().set_cpt("Campfire", frame.iloc[[0, 0, *range(1, 8)]])
    with pytest.raises(BadTable, match=r"has no rows for 'P\(Campfire \| Storm=no, BusTourGroup=no\)'"):
        unset().set_cpt("Campfire", frame.iloc[2:])


def test_a_gaussian_of_another_form_is_told_the_form() -> None:
    net = bayou.Network("age -> height", continuous=["age", "height"])
    with pytest.raises(BadTable, match=r"needs a mean and a variance, such as \(170, 49\); got 3"):
        net.set_gaussian("age", 3)
    with pytest.raises(BadTable, match=r"'coefficients': \{'age': 0.5\}\}; got \(0, 1\)"):
        net.set_gaussian("height", (0, 1))
