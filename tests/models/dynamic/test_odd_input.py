"""What strangers give to dynamic networks: empty sequences, wrong shapes, wrong names, gaps everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, UnknownVariable

EMPTY: dict[str, list[Any]] = {"Umbrella": []}
WORLD = bayou.examples.umbrella_world


def test_a_sequence_without_steps() -> None:
    world = WORLD()
    for ask in (world.filter, world.smooth):
        assert len(ask(EMPTY)["Rain"]) == 0
        assert [len(one["Rain"]) for one in ask([EMPTY, {"Umbrella": ["yes"]}])] == [0, 1]
    assert world.most_probable(EMPTY).log_probability == 0
    assert world.score(EMPTY) == 0
    assert len(world.score_steps(EMPTY)) == 0
    ahead = world.forecast(EMPTY, 2)
    np.testing.assert_array_equal(ahead["Rain"].probabilities, world.forecast(None, 2)["Rain"].probabilities)
    keyed: dict[str, list[Any]] = {"id": [], "Umbrella": []}
    assert world.filter(keyed, sequence="id") == []
    assert world.forecast(keyed, 2, sequence="id") == []
    assert world.log_likelihoods(keyed, sequence="id").tolist() == []
    with pytest.raises(BadData, match="There is no sequence"):
        world.filter([])


def test_gaps_everywhere_say_what_the_tables_say() -> None:
    world = WORLD()
    nothing = world.smooth({"Umbrella": [None] * 4})
    np.testing.assert_allclose(nothing["Rain"].probabilities, world.forecast(None, 4)["Rain"].probabilities)
    assert nothing.log_likelihood == pytest.approx(0, abs=1e-12)


def test_jumps_in_time_are_steps_that_nobody_saw() -> None:
    world = WORLD()
    jumped = world.filter({"t": [0, 3], "Umbrella": ["yes", "no"]}, time="t", gaps="missing")
    plain = world.filter({"Umbrella": ["yes", None, None, "no"]})
    np.testing.assert_array_equal(jumped["Rain"].probabilities, plain["Rain"].probabilities)
    with pytest.raises(BadData, match="have the same time"):
        world.filter({"t": [0, 0], "Umbrella": ["yes", "no"]}, time="t")


@pytest.mark.parametrize(
    ("how", "kind", "problem"),
    [
        ({"do": 3}, BadQuestion, "do= takes a mapping"),
        ({"do": {"Snow": "yes"}}, UnknownVariable, "'Snow' in do"),
        ({"do": {"Rain": {-1: "yes"}}}, BadQuestion, "from 0 to 1"),
        ({"do": {"Rain": ["yes"] * 3}}, BadQuestion, "from 0 to 1"),
        ({"likelihood": {"Umbrella": {1: "yes"}}}, BadData, "a number for each of its states"),
        ({"likelihood": {"Umbrella": {1: [1]}}}, BadData, "a number for each of its states"),
        ({"likelihood": {"Umbrella": {1: [0, 0]}}}, BadData, "not all 0"),
        ({"likelihood": 3}, BadQuestion, "likelihood= takes a mapping"),
        ({"engine": "loopy"}, BadQuestion, "engine='loopy'"),
        ({"ask": "Rain'"}, UnknownVariable, "Did you mean 'Rain'"),
    ],
)
def test_arguments_that_make_no_sense(how: dict[str, Any], kind: type[Exception], problem: str) -> None:
    for ask in (WORLD().filter, WORLD().smooth):
        with pytest.raises(kind, match=problem):
            ask({"Umbrella": ["yes", None]}, **how)


def test_columns_that_were_set_must_be_there() -> None:
    net = bayou.DynamicNetwork("A -> A'; A -> B", states={"A": [0, 1], "B": [0, 1]})
    rows = {"B": [0, 1, 1, 0]}
    with pytest.raises(BadQuestion, match=r"do names 'A', of which the data have no values"):
        net.fit(rows, do=["A"])
    always = net.fit(rows, do={"A": 1})
    assert always.cpt("B").to_array()[1].tolist() == [0.5, 0.5]


def test_tables_can_be_normalised_as_told() -> None:
    world = WORLD()
    with pytest.raises(BadTable, match="normalise=True"):
        world.set_cpt("Rain", [2, 6])
    assert world.set_cpt("Rain", [2, 6], normalise=True).cpt("Rain")["yes"] == 0.75


def test_messages_and_print_read_well() -> None:
    net = bayou.DynamicNetwork("A -> A'", states={"A": [0, 1]})
    assert repr(net).startswith("DynamicNetwork with 1 variable a slice and 2 tables")
    with pytest.raises(UnknownVariable, match=r"The variables are: 'A', \"A'\"\.$"):
        net.fit({"A": [0, 1]}, prior={"B": 1})


def test_a_likelihood_of_a_constant_counts_once() -> None:
    net = bayou.DynamicNetwork(
        "Kind -> Sign",
        constant=["Kind"],
        states={"Kind": ["a", "b"], "Sign": [0, 1]},
        tables={"Kind": [0.5, 0.5], "Sign": [[0.5, 0.5], [0.5, 0.5]]},
    )
    for seen in ({"a": 0.2, "b": 0.9}, [0.2, 0.9], {2: {"a": 0.2, "b": 0.9}}):
        found = net.smooth({"Sign": [0, 1, 1]}, likelihood={"Kind": seen})
        np.testing.assert_allclose(found["Kind"].probabilities, [[2 / 11, 9 / 11]] * 3, atol=1e-12)
        assert found.log_likelihood == pytest.approx(np.log(0.55) - 3 * np.log(2))
