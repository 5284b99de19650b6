"""Constraints as users type them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.errors import BadGraph, UnknownVariable
from bayou.graphs import Dag
from bayou.learning.search.constraints import arcs_from, constraints_from, starting_parents
from bayou.schema import Variable

NAMES = ["Alter", "größe in cm", 7, "Krank"]
STATES = [Variable(name, ["a", "b"]) for name in NAMES]


def allowed_arcs(found) -> set[tuple[int, int]]:
    return set(zip(*(axis.tolist() for axis in np.nonzero(found.allowed)), strict=True))


@pytest.mark.parametrize(
    "given",
    [
        "Alter -> 7; 'größe in cm' -> Krank",
        [("Alter", 7), ("größe in cm", "Krank")],
        ["Alter -> 7", ("größe in cm", "Krank")],
        {7: ["Alter"], "Krank": "größe in cm"},
        Dag.from_arcs([("Alter", 7), ("größe in cm", "Krank")]),
    ],
)
def test_arcs_are_read_from_everything_that_says_arcs(given):
    assert sorted(arcs_from(given, NAMES, "require")) == [(0, 2), (1, 3)]


def test_a_single_pair_is_one_arc_and_nothing_is_none():
    assert arcs_from(("Alter", 7), NAMES, "forbid") == [(0, 2)]
    assert arcs_from(None, NAMES, "forbid") == arcs_from([], NAMES, "forbid") == []


def test_tiers_ban_arcs_to_earlier_groups_and_leave_the_rest_free():
    found = constraints_from(STATES, tiers=[["Alter"], ["Krank", 7]])
    everything = {(a, b) for a in range(4) for b in range(4) if a != b}
    assert everything - allowed_arcs(found) == {(3, 0), (2, 0)}


def test_a_fixed_part_keeps_its_arcs_and_gets_no_others_inside():
    found = constraints_from(STATES, fixed="Alter -> Krank; 7")
    everything = {(a, b) for a in range(4) for b in range(4) if a != b}
    assert everything - allowed_arcs(found) == {(3, 0), (0, 2), (2, 0), (2, 3), (3, 2)}
    assert np.argwhere(found.required).tolist() == [[0, 3]]


def test_continuous_parents_of_discrete_variables_are_banned():
    found = constraints_from([Variable("x"), Variable("y"), Variable("s", [0, 1])])
    assert allowed_arcs(found) == {(0, 1), (1, 0), (2, 0), (2, 1)}


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (
            {"require": "Alter -> 7", "forbid": "Alter -> 7"},
            r"Alter -> 7 is required, but forbid= rules it out",
        ),
        ({"require": "7 -> Alter", "tiers": [["Alter"], [7]]}, r"required, but tiers= puts 7 after 'Alter'"),
        ({"require": "Alter -> Krank -> 7 -> Alter"}, r"required arcs form a cycle: .* Remove or reverse"),
        (
            {"require": "Alter, 7 -> Krank", "max_parents": 1},
            r"'Krank' is required .*'Alter', 7.* max_parents=1",
        ),
        ({"require": "7 -> Alter", "fixed": "Alter, 7"}, r"7 -> Alter is required, but fixed="),
        ({"require": [("Alter", "Alter")]}, r"require= has an arc from 'Alter' to itself"),
        ({"forbid": ["Alter"]}, r"has no arrow"),
        ({"forbid": [3.5]}, r"forbid= has 3.5, which is not an arc"),
        ({"forbid": 3}, r"takes \(parent, child\) pairs"),
        ({"require": {"Alter", "Krank"}}, r"has no arrow"),
        ({"tiers": "Alter"}, r"tiers= takes groups of names"),
        ({"tiers": {"Alter": 2, 7: 1}}, r"tiers= takes groups of names"),
        ({"tiers": {"Alter", 7}}, r"tiers= takes groups of names"),
        ({"tiers": [["Alter"], ["Alter"]]}, r"'Alter' in group 1 and in group 2"),
        ({"max_parents": -1}, r"max_parents=-1"),
        ({"max_parents": True}, r"max_parents=True"),
    ],
)
def test_contradictions_and_nonsense_are_refused_by_name(stated, message):
    with pytest.raises(BadGraph, match=message):
        constraints_from(STATES, **stated)


@pytest.mark.parametrize("where", ["require", "forbid", "fixed"])
def test_unknown_names_get_the_nearest_one(where):
    with pytest.raises(UnknownVariable, match=rf"'Alte' in {where}. Did you mean 'Alter'"):
        constraints_from(STATES, **{where: "Alte -> Krank"})
    with pytest.raises(UnknownVariable, match="in tiers"):
        constraints_from(STATES, tiers=[["Alte"]])


def test_a_required_arc_from_numbers_to_states_says_why_not():
    with pytest.raises(BadGraph, match="'x' is continuous and 's' has states"):
        constraints_from([Variable("x"), Variable("s", [0, 1])], require="x -> s")


def test_a_start_gets_the_required_arcs_and_must_be_legal():
    found = constraints_from(STATES, require="Alter -> Krank", forbid="7 -> Alter", max_parents=1)
    assert starting_parents("7 -> 'größe in cm'", STATES, found) == ((), (2,), (), (0,))
    with pytest.raises(BadGraph, match="start= has the arc 7 -> Alter"):
        starting_parents("7 -> Alter", STATES, found)
    with pytest.raises(BadGraph, match="The arcs of start= and the required ones form a cycle"):
        starting_parents("Krank -> Alter", STATES, found)
    with pytest.raises(BadGraph, match="start= gives 'Krank' 2 parents"):
        starting_parents("7 -> Krank", STATES, found)


def test_names_that_are_tuples_are_names():
    x, y, z = ("u", "x"), ("u", "y"), "z"
    variables = [Variable(name, [0, 1]) for name in (x, y, z)]
    assert allowed_arcs(constraints_from(variables, tiers=[y, [x, z]])) == {(1, 0), (1, 2), (0, 2), (2, 0)}
    assert arcs_from({z: x, y: [x, z]}, [x, y, z], "require") == [(0, 2), (0, 1), (2, 1)]
