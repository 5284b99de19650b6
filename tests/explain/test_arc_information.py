"""The information of arcs, against sums over the joint distribution."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import joint_by_hand, law, networks

import bayou
from bayou.errors import ImpossibleEvidence, UnknownVariable
from bayou.explain import arc_information


def information(joint: dict[tuple[int, ...], float], x: int, u: int, others: list[int]) -> float:
    """Σ p(x, u, o) log2 [p(x, u | o) / p(x | o) p(u | o)] over a table of assignments."""

    def summed(axes: list[int]) -> dict[tuple[int, ...], float]:
        sums: dict[tuple[int, ...], float] = {}
        for codes, p in joint.items():
            key = tuple(codes[axis] for axis in axes)
            sums[key] = sums.get(key, 0.0) + p
        return sums

    whole, with_x, with_u, alone = (
        summed(axes) for axes in ([x, u, *others], [x, *others], [u, *others], others)
    )
    total = 0.0
    for (a, b, *rest), p in whole.items():
        if p > 0:
            o = tuple(rest)
            total += p * np.log2(p * alone[o] / (with_x[(a, *o)] * with_u[(b, *o)]))
    return total


@given(networks(most=5), st.data())
@law
def test_both_numbers_are_those_of_the_joint_distribution(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.permutations(net.names))
    pick = {name: data.draw(st.sampled_from(net.states(name))) for name in names}
    evidence = {name: pick[name] for name in names[: data.draw(st.integers(0, 1))]}
    do = {name: pick[name] for name in names[1:2] if data.draw(st.booleans())}
    soft = {names[-1]: [data.draw(st.sampled_from([0.5, 2.0])) for _ in net.states(names[-1])]}
    joint = joint_by_hand(net, do)
    place = {name: k for k, name in enumerate(net.names)}
    for codes in joint:
        agrees = all(codes[place[n]] == net.variables[n].code(s) for n, s in evidence.items())
        joint[codes] *= agrees * soft[names[-1]][codes[place[names[-1]]]]
    total = sum(joint.values())
    if total == 0:
        with pytest.raises(ImpossibleEvidence):
            net.arc_information(evidence, likelihood=soft, do=do)
        return
    joint = {codes: p / total for codes, p in joint.items()}
    found = net.arc_information(evidence, likelihood=soft, do=do)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arc_information, "MOST_ENTRIES", 0)
        one_by_one = net.arc_information(evidence, likelihood=soft, do=do)
    assert dict(one_by_one) == pytest.approx(dict(found), abs=1e-9)
    assert {(arc.parent, arc.child) for arc in found.arcs} == set(net.arcs)
    for arc in found.arcs:
        x, u = place[arc.child], place[arc.parent]
        others = [place[name] for name in net.parents(arc.child) if place[name] != u]
        if arc.child in do:
            assert (arc.alone, arc.given_others) == (0.0, 0.0)
        else:
            assert arc.alone == pytest.approx(information(joint, x, u, []), abs=1e-9)
            assert arc.given_others == pytest.approx(information(joint, x, u, others), abs=1e-9)


def causes() -> bayou.Network:
    return bayou.Network(
        "A -> X <- B; X -> Y",
        states={name: [0, 1] for name in "ABXY"},
        tables={
            "A": [0.5, 0.5],
            "B": [0.5, 0.5],
            "X": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]],
            "Y": [[0.9, 0.1], [0.1, 0.9]],
        },
    )


def test_causes_that_work_only_together_are_seen_given_each_other() -> None:
    found = causes().arc_information()
    assert found.bits("A", "X").alone == pytest.approx(0, abs=1e-12)
    assert found.bits("A", "X").given_others == pytest.approx(1)
    noisy = found.bits("X", "Y")
    assert noisy.alone == noisy.given_others == pytest.approx(1 + 0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
    assert found["A", "X"] == pytest.approx(1)
    assert found["X", "Y"] == pytest.approx(noisy.alone)
    given_b = causes().arc_information({"B": 0})
    assert given_b.bits("A", "X").alone == pytest.approx(1)
    assert given_b["B", "X"] == 0


def test_a_marginal_is_a_finding() -> None:
    net = causes()
    before = net.arc_information(marginal={"Y": {0: 0.5, 1: 0.5}}).bits("X", "Y")
    assert before.alone == pytest.approx(net.arc_information().bits("X", "Y").alone)
    sure = net.arc_information(marginal={"Y": {0: 1.0, 1: 0.0}})
    assert sure.bits("X", "Y").alone == pytest.approx(0, abs=1e-12)


def test_pictures_take_it_as_it_is() -> None:
    net = causes()
    found = net.arc_information({"Y": 1})
    assert net.to_svg(strengths=found) == net.to_svg(strengths=dict(found))
    assert net.to_svg(strengths=found) != net.to_svg()
    with_many_states = bayou.Network(
        "A -> B", tables={"A": [0.25] * 4, "B": np.eye(4)}, states={"A": [0, 1, 2, 3], "B": [0, 1, 2, 3]}
    )
    strong = with_many_states.arc_information()
    assert strong.bits("A", "B").alone == pytest.approx(2)
    assert strong["A", "B"] == 1.0
    with_many_states.to_svg(strengths=strong)


def test_noisy_nodes_count_and_numbers_are_left_out() -> None:
    causes_of = {f"c{k}": ["no", "yes"] for k in range(20)}
    net = bayou.Network(
        [*((name, "fever") for name in causes_of), ("c0", "ache"), ("c1", "ache"), ("c0", "heat")],
        states={**causes_of, "fever": ["no", "yes"], "ache": ["no", "yes"]},
        continuous=["heat"],
    )
    for name in causes_of:
        net.set_cpt(name, [0.9, 0.1])
    net.set_cpt("fever", bayou.NoisyOr(dict.fromkeys(causes_of, 0.3)))
    net.set_cpt("ache", bayou.NoisyOr({"c0": 0.5, "c1": 0.25}))
    net.set_cpt("heat", {"no": (37, 0.5), "yes": (39, 0.7)})
    found = net.arc_information({"heat": 38.0})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arc_information, "MOST_ENTRIES", 0)
        assert dict(net.arc_information({"heat": 38.0})) == pytest.approx(dict(found), abs=1e-9)
    assert {child for _, child in found.left_out} == {"fever", "heat"}
    assert "Left out" in str(found)
    p = net.query("c0", {"heat": 38.0})["yes"]
    joint = {}
    for a, b, x in np.ndindex(2, 2, 2):
        zero = (1 - 0.5 * a) * (1 - 0.25 * b)
        joint[a, b, x] = (p if a else 1 - p) * (0.1 if b else 0.9) * (1 - zero if x else zero)
    assert found.bits("c0", "ache").alone == pytest.approx(information(joint, 2, 0, []))
    assert found.bits("c0", "ache").given_others == pytest.approx(information(joint, 2, 0, [1]))


def test_it_prints_and_converts() -> None:
    found = causes().arc_information({"Y": 1})
    lines = str(found).splitlines()
    assert lines[0] == "Information of arcs in bits given Y=1"
    assert lines[2].startswith("A -> X")
    assert "<table>" in found._repr_html_()
    document: Any = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [arc["from"] for arc in document["arcs"]] == [arc.parent for arc in found.arcs]
    frame = found.to_frame()
    assert list(frame["strength"]) == [found[arc.parent, arc.child] for arc in found.arcs]
    with pytest.raises(UnknownVariable, match="name an arc as"):
        found.bits("Y", "A")
