"""One row of a table, and one probability of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.models.editing.joints import valid

import bayou
from bayou.errors import BadQuestion, BadTable, NotFitted, UnknownState, UnknownVariable


@law
@given(networks(), st.data())
def test_one_row_is_set_and_all_others_stay_to_the_bit(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    before = net.cpt(name).to_array()
    index = tuple(data.draw(st.integers(0, size - 1)) for size in before.shape[:-1])
    given_ = {p: net.states(p)[k] for p, k in zip(net.parents(name), index, strict=True)}
    counts = data.draw(st.lists(st.integers(0, 9), min_size=before.shape[-1], max_size=before.shape[-1]))
    assume(sum(counts) > 0)
    edited = net.copy().set_row(name, counts, given_, normalise=True)
    expected = before.copy()
    expected[index] = np.array(counts) / sum(counts)
    after = edited.cpt(name).to_array()
    np.testing.assert_allclose(after[index], expected[index], rtol=0, atol=1e-15)
    rest = np.ones(before.shape[:-1], dtype=bool)
    rest[index] = False
    np.testing.assert_array_equal(after[rest], before[rest])
    valid(edited)


@law
@given(networks(), st.data())
def test_the_rest_of_a_row_adapts_in_proportion(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    before = net.cpt(name).to_array()
    size = before.shape[-1]
    assume(size > 1)
    index = tuple(data.draw(st.integers(0, count - 1)) for count in before.shape[:-1])
    given_ = {p: net.states(p)[k] for p, k in zip(net.parents(name), index, strict=True)}
    code = data.draw(st.integers(0, size - 1))
    locked = sorted(data.draw(st.sets(st.integers(0, size - 1), max_size=size - 2)) - {code})
    row, states = before[index], net.states(name)
    p = data.draw(st.floats(0, 1)) * (1 - row[locked].sum())
    edited = net.copy().set_probability(name, states[code], p, given_, locked=[states[k] for k in locked])
    after = edited.cpt(name).to_array()[index]
    assert after[code] == pytest.approx(p, abs=1e-12)
    np.testing.assert_allclose(after[locked], row[locked], rtol=0, atol=1e-12)
    free = [k for k in range(size) if k != code and k not in locked]
    rest = 1 - p - row[locked].sum()
    total = row[free].sum()
    expected = row[free] * rest / total if total > 0 else np.full(len(free), rest / len(free))
    np.testing.assert_allclose(after[free], expected, rtol=0, atol=1e-12)
    valid(edited)


def test_rows_are_named_in_the_ways_of_set_cpt() -> None:
    net = bayou.examples.storm()
    for given_ in ({"BusTourGroup": "no", "Storm": "yes"}, "Storm=yes, BusTourGroup=no", ("yes", "no")):
        edited = net.copy().set_row("Campfire", {"yes": 0.25}, given_)
        assert edited.cpt("Campfire")["yes", "no", "yes"] == 0.25
    assert net.copy().set_row("Storm", [0.5, 0.5]).cpt("Storm")["yes"] == 0.5
    assert net.copy().set_row("Lightning", [0.5, 0.5], "yes").cpt("Lightning")["yes", "yes"] == 0.5
    shared = bayou.Network("A; B", states={"A": [0, 1], "B": [0, 1]}, share={"coin": ["A", "B"]})
    shared.set_cpt("A", [0.5, 0.5]).set_probability("B", 1, 0.75)
    assert shared.cpt("A")[1] == 0.75


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (("Campfire", [0.5, 0.5]), {}, BadTable, "told by the states of 'Storm', 'BusTourGroup'"),
        (("Campfire", [0.5, 0.5], {"Storm": "yes"}), {}, BadTable, "give the state of 'BusTourGroup', too"),
        (("Campfire", [0.5, 0.5], {"Strom": "yes"}), {}, UnknownVariable, "Did you mean 'Storm'"),
        (("Campfire", [0.5, 0.5], "Storm=yes"), {}, BadTable, "does not name the state of"),
        (("Campfire", [0.5, 0.5], ("yes", "mabe")), {}, UnknownState, "'mabe' is not a state"),
        (("Storm", [0.5, 0.5], "yes"), {}, BadTable, "told by no parent states"),
        (("Campfire", [0.5, 0.5], ["yes", ["no"]]), {}, BadTable, "told by states of its parents, not by"),
        (("Campfire", "abc", ["yes", "no"]), {}, BadTable, "neither a mapping of states nor an array"),
        (("Storm", [0.5, 0.6]), {}, BadTable, r"sums to 1.1, not to 1.*net.set_row\(…, normalise=True\)"),
        (("Storm", [0.5, -0.5]), {"normalise": True}, BadTable, "not a probability"),
        (("Storm", [0, 0]), {"normalise": True}, BadTable, "no positive entry"),
        (("Storm", [0.5]), {}, BadTable, "needs 2 numbers"),
        (("Storm", {"maybe": 1}), {}, UnknownState, "'maybe' in P"),
        (("Sturm", [0.5, 0.5]), {}, UnknownVariable, "Did you mean 'Storm'"),
    ],
)
def test_rows_that_cannot_be_set(arguments: Any, options: Any, kind: type, message: str) -> None:
    net = bayou.examples.storm()
    before = net.copy()
    with pytest.raises(kind, match=message):
        net.set_row(*arguments, **options)
    assert net.same_as(before)


def test_probabilities_that_cannot_be_set() -> None:
    net = bayou.Network("Sky", tables={"Sky": {"clear": 0.5, "cloudy": 0.3, "dark": 0.2}})
    before = net.copy()
    for p in (1.5, -0.1, "half", float("nan"), True):
        with pytest.raises(BadQuestion, match="give a number from 0 to 1"):
            net.set_probability("Sky", "clear", p)
    with pytest.raises(BadTable, match=r"'cloudy', 'dark' keep 0.5, so it must be 0.5"):
        net.set_probability("Sky", "clear", 0.4, locked=["cloudy", "dark"])
    with pytest.raises(BadTable, match=r"'dark' keep 0.2, so at most 0.8 is left"):
        net.set_probability("Sky", "clear", 0.9, locked=["dark"])
    with pytest.raises(UnknownState, match="'drak'"):
        net.set_probability("Sky", "clear", 0.9, locked=["drak"])
    assert net.same_as(before)
    assert net.set_probability("Sky", "clear", 0.5, locked=["cloudy", "dark"]).cpt("Sky")["clear"] == 0.5


def test_only_tables_have_rows() -> None:
    net = bayou.Network("S -> X; S -> F; S -> U", states={"S": [0, 1], "U": [0, 1]}, continuous=["X"])
    net.set_cpt("S", [0.5, 0.5]).set_cpt("F", bayou.Deterministic({0: "a", 1: "b"}))
    net.set_gaussian("X", {0: (0, 1), 1: (1, 1)})
    with pytest.raises(BadTable, match=r"net\.set_gaussian"):
        net.set_row("X", [0, 1], 0)
    with pytest.raises(BadTable, match=r"Deterministic.*net.set_cpt\('F', net.cpt\('F'\)\)"):
        net.set_row("F", [0.5, 0.5], 0)
    with pytest.raises(NotFitted, match="'U' has no table yet"):
        net.set_probability("U", 1, 0.5, 0)
    net.set_cpt("F", net.cpt("F")).set_row("F", [0.5, 0.5], 0)
    assert net.cpt("F")[0, "a"] == 0.5
