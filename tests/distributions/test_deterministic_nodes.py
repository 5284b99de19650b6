"""Functions of parents: stated, asked, saved as codes, learned as the data show them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadData, BadTable, UnknownState

DICE = dict.fromkeys(range(1, 7), 1 / 6)


def two_dice() -> bayou.Network:
    return bayou.Network(
        "first die, second die -> sum",
        tables={"first die": DICE, "second die": DICE, "sum": bayou.Deterministic(lambda a, b: a + b)},
    )


def test_a_function_declares_its_own_states_and_answers() -> None:
    net = two_dice()
    assert net.states("sum") == tuple(range(2, 13))
    assert net.query("sum")[7] == pytest.approx(1 / 6)
    assert net.query("first die", {"sum": 11})[5] == pytest.approx(0.5)
    assert net.query("first die", {"sum": 11}, engine="enumeration")[6] == pytest.approx(0.5)
    assert net.node("sum")(3, 4) == 7
    assert net.parameter_count().free == 5 + 5
    assert "sum = f(first die, second die)" in str(net)
    drawn = net.sample(300, seed=1)
    assert np.array_equal(drawn["first die"] + drawn["second die"], drawn["sum"])


@given(st.data())
def test_a_mapping_and_a_callable_state_the_same_function(data: st.DataObject) -> None:
    states = {"A": [1, "1", True], "B": ["no", "yes"], "C": ["x", "y", "z"]}
    chosen = {
        (kind, a, b): data.draw(st.sampled_from(states["C"]))
        for kind, a in (("int", 1), ("str", "1"), ("bool", True))
        for b in states["B"]
    }
    net = bayou.Network("A, B -> C", states=states)
    net.set_cpt("C", bayou.Deterministic(lambda a, b: chosen[type(a).__name__, a, b]))
    for code, a in enumerate(states["A"]):
        for place, b in enumerate(states["B"]):
            row = net.frozen.table("C")[code, place]
            assert row.tolist() == [float(s == chosen[type(a).__name__, a, b]) for s in states["C"]]


def test_a_mapping_by_the_states_of_one_parent_or_of_several() -> None:
    net = bayou.Network("A -> B", states={"A": [("t", 1), "u"], "B": ["no", "yes"]})
    net.set_cpt("B", bayou.Deterministic({("t", 1): "yes", "u": "no"}))
    assert net.node("B")(("t", 1)) == "yes"
    xor = bayou.Network("A, B -> C", states={"A": [0, 1], "B": [0, 1], "C": [False, True]})
    xor.set_cpt("C", bayou.Deterministic({(0, 0): False, (0, 1): True, (1, 0): True, (1, 1): False}))
    assert xor.cpt("C")[1, 0, True] == 1.0


def test_it_is_saved_as_codes_and_never_as_code(tmp_path: Path) -> None:
    net = two_dice()
    net.save(tmp_path / "würfel.bayou")
    with zipfile.ZipFile(tmp_path / "würfel.bayou") as archive:
        assert all(name.endswith((".json", ".npy")) for name in archive.namelist())
    again = bayou.load(tmp_path / "würfel.bayou")
    assert again.same_as(net)
    assert again.node("sum")(6, 6) == 12
    net.save(tmp_path / "dice.bif")
    loaded = bayou.load(tmp_path / "dice.bif")
    assert loaded.frozen.table("sum").tolist() == net.frozen.table("sum").tolist()


@pytest.mark.parametrize(
    ("node", "error", "message"),
    [
        (
            bayou.Deterministic(lambda a: "maybe"),
            UnknownState,
            r"'maybe' as the function's value for P\(B \| A=0\)",
        ),
        (bayou.Deterministic(lambda a: 1 / a), BadTable, r"fails for P\(B \| A=0\).*ZeroDivisionError"),
        (bayou.Deterministic(lambda: 1), BadTable, "fails for"),
        (bayou.Deterministic({0: "no"}), BadTable, r"P\(B \| A=1\) is missing"),
        (bayou.Deterministic({0: "no", 1: "yes", 2: "no"}), UnknownState, "2 is not a state of 'A'"),
        (bayou.Deterministic(lambda a: [a]), BadTable, r"P\(B \| A=0\) is \[0\], which cannot be a state"),
        (bayou.Deterministic(), BadTable, "give a callable"),
    ],
)
def test_a_function_that_is_stated_wrongly_is_refused(
    node: bayou.Deterministic, error: type[Exception], message: str
) -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": ["no", "yes"]})
    with pytest.raises(error, match=message):
        net.set_cpt("B", node)


def test_it_is_learned_as_the_function_that_the_data_show() -> None:
    rows = {"A": [0, 0, 1, 1, 1], "B": ["x", "y", "x", "y", "y"], "C": [False, True, True, False, False]}
    net = bayou.Network("A, B -> C", nodes={"C": bayou.Deterministic}).fit(rows)
    assert [net.node("C")(a, b) for a in (0, 1) for b in "xy"] == [False, True, True, False]
    assert net.query("C", {"A": 1, "B": "y"})[True] == 0.0


def test_a_contradiction_names_the_values_of_the_rows() -> None:
    rows = {"A": [0, 1, 1], "C": ["groß", "klein", "groß"]}
    with pytest.raises(BadData, match=r"'C' is not a function.*A=1 the data have both 'groß' and 'klein'"):
        bayou.Network("A -> C", nodes={"C": bayou.Deterministic}).fit(rows)


def test_what_the_data_never_show_stays_unknown_with_a_warning() -> None:
    net = bayou.Network("A -> C", states={"A": [0, 1, 2]}, nodes={"C": bayou.Deterministic()})
    with pytest.warns(bayou.BayouWarning, match="1 of 3 parent combinations of 'C' never occur"):
        net.fit({"A": [0, 1, 1], "C": ["a", "b", "b"]})
    assert net.node("C")(2) is None
    assert net.cpt("C")[2, "a"] == 0.5
    assert "(unknown)" in str(net.node("C"))


def test_forgetting_the_rows_that_contradict_makes_it_a_function_again() -> None:
    net = bayou.Network("A -> C", nodes={"C": bayou.Deterministic}).fit({"A": [0, 1], "C": ["a", "b"]})
    with pytest.raises(BadData):
        net.partial_fit({"A": [1], "C": ["a"]})
    assert net.node("C")(1) == "b"
    net.partial_fit({"A": [1], "C": ["b"]}).forget({"A": [1], "C": ["b"]})
    assert net.node("C")(1) == "b"
