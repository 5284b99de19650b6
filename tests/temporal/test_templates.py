"""Templates: how arcs over time are written, which tables there are, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import (
    BadGraph,
    BadQuestion,
    BadVariable,
    ImpossibleEvidence,
    NotFitted,
    UnknownVariable,
)
from bayou.temporal.templates.contraction import contracted, planned
from bayou.temporal.templates.template_text import lagged_arcs


@pytest.mark.parametrize(
    "structure",
    [
        "Rain -> Rain'; Rain -> Umbrella; Rain -> Rain''",
        "Rain[t-1] -> Rain[t]; Rain -> Umbrella; Rain[t-2] -> Rain",
        "'Rain' -> \"Rain\"'; Rain' -> Umbrella'; Rain' -> 'Rain'''' # a comment with a ' in it",
        [("Rain", "Rain'"), ("Rain", "Umbrella"), ("Rain", "Rain''")],
        {"Rain'": ["Rain"], "Umbrella": "Rain", "Rain[t]": ["Rain[t-2]"]},
    ],
)
def test_notations_of_the_same_arcs(structure: Any) -> None:
    names, arcs = lagged_arcs(structure)
    assert set(names) == {"Rain", "Umbrella"}
    assert set(arcs) == {("Rain", "Rain", 1), ("Rain", "Umbrella", 0), ("Rain", "Rain", 2)}


@pytest.mark.parametrize(
    ("structure", "problem"),
    [
        ("Rain' -> Rain", "goes back in time"),
        ("Rain[t] -> Rain[t-1]", "goes back in time"),
        ("Rain -> Rain[t]", "to itself within one slice"),
        ("Rain[t-1] -> Rain'", "use the same at both"),
        ("Rain[1] -> Rain", "says the slice"),
        ("A -> B; B -> A", "cycle"),
        ("A -> B'; B' -> A'; A' -> B'", "cycle"),
    ],
)
def test_arcs_without_meaning(structure: str, problem: str) -> None:
    with pytest.raises(BadGraph, match=problem):
        bayou.DynamicNetwork(structure)


def test_tables_of_the_first_slices() -> None:
    net = bayou.DynamicNetwork(
        "X -> X'; X -> X''; C -> X; X -> Y; F -> Y; X -> L", constant=["C"], first="F", last=["L"]
    )
    assert net.tables == ("X", "X'", "X''", "C", "Y", "Y'", "F", "L")
    assert net.parents("X''") == ("X'", "X", "C")
    assert net.parents("Y") == ("X", "F")
    assert net.parents("Y'") == ("X'",)
    assert "arcs over up to 2 slices" in repr(net)
    assert repr(net).endswith("without parameters")


@pytest.mark.parametrize(
    ("structure", "roles", "problem"),
    [
        ("X -> C; X -> X'", {"constant": ["C"]}, "must be constant, too"),
        ("X -> F'", {"first": ["F"]}, "has none before it"),
        ("L -> X", {"last": ["L"]}, "only last ones depend on it"),
        ("X -> L'", {"last": ["L"]}, "must be in the last slice"),
        ("C -> X", {"constant": ["C"], "first": ["C"]}, "more than once"),
    ],
)
def test_variables_outside_time(structure: str, roles: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadGraph, match=problem):
        bayou.DynamicNetwork(structure, **roles)


def test_names_that_are_not_there() -> None:
    with pytest.raises(UnknownVariable, match="'Z' in constant"):
        bayou.DynamicNetwork("X -> X'", constant=["Z"])
    with pytest.raises(UnknownVariable, match="\"X''\" in tables"):
        bayou.DynamicNetwork("X -> X'", tables={"X''": [0.5, 0.5]})
    with pytest.raises(BadVariable, match="states of 'Y' are not known"):
        bayou.DynamicNetwork("X -> X'; Y", tables={"X": {0: 0.5, 1: 0.5}})
    with pytest.raises(NotFitted):
        bayou.DynamicNetwork("X -> X'", states={"X": [0, 1]}).score({"X": [0, 1]})
    world = bayou.examples.umbrella_world()
    with pytest.raises(BadQuestion, match="step of 'Rain' is 9"):
        world.filter({"Umbrella": ["yes"]}, do={"Rain": {9: "yes"}})
    with pytest.raises(UnknownVariable, match="'Snow' in ask"):
        world.filter({"Umbrella": ["yes"]}, ask="Snow")
    with pytest.raises(BadQuestion, match="'given'"):
        world.filter({"Umbrella": ["yes"]}, given={})


def test_impossible_sequences_name_their_step() -> None:
    net = bayou.DynamicNetwork("X -> X'", states={"X": [0, 1]}, tables={"X": [1, 0], "X'": np.eye(2)})
    with pytest.raises(ImpossibleEvidence, match=r"Sequence 1 .* step 2"):
        net.smooth([{"X": [0, 0]}, {"X": [0, None, 1]}])
    assert net.log_likelihoods([{"X": [0, 0]}, {"X": [0, None, 1]}]).tolist() == [0.0, -np.inf]


def test_states_that_underflow_are_not_called_impossible() -> None:
    net = bayou.DynamicNetwork(
        "X -> X'; X -> Y",
        states={"X": [0, 1], "Y": [0, 1]},
        tables={"X": [0.5, 0.5], "X'": np.eye(2), "Y": [[1, 0], [0.001, 0.999]]},
    )
    for zeros in (30, 300):
        rows = {"Y": [0] * zeros + [1]}
        assert net.score(rows) == pytest.approx(np.log(0.5) + zeros * np.log(0.001) + np.log(0.999))
        assert net.filter(rows)["X"].probabilities[-1].tolist() == [0, 1]


def test_passes_sum_what_einsum_sums() -> None:
    chance = np.random.default_rng(0)
    for _ in range(60):
        count = int(chance.integers(1, 8))
        sizes = {v: int(chance.integers(1, 4)) for v in range(count)}
        scopes = [
            tuple(chance.permutation(count)[: chance.integers(0, min(count, 4) + 1)].tolist())
            for _ in range(chance.integers(1, 6))
        ]
        used = sorted(set().union(*scopes))
        keep = tuple(chance.permutation(used)[: chance.integers(0, len(used) + 1)].tolist()) if used else ()
        tables = [chance.random([sizes[v] for v in scope]) for scope in scopes]
        made = contracted([*scopes, ()], keep, sizes, planned(scopes, keep, sizes), len(scopes))
        values = [*(table.ravel() for table in tables), np.ones(1)]
        for one in made.passes:
            for steps in ([axis[1:] for axis in one.axes], one.loops):
                cells = [np.zeros(1, dtype=np.int64)] * 3
                for size, *strides in steps:
                    cells = [
                        (c[:, None] + np.arange(size) * s).ravel()
                        for c, s in zip(cells, strides, strict=True)
                    ]
                left, right, out = cells
                sums = np.bincount(
                    out, values[one.left][left] * values[one.right][right], minlength=one.entries
                )
            values.append(sums)
        arguments = [
            part for scope, table in zip(scopes, tables, strict=True) for part in (table, list(scope))
        ]
        want = np.einsum(*arguments, list(keep))
        np.testing.assert_allclose(values[made.result].reshape(want.shape), want)
