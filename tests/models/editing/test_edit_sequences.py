"""Long random sequences of edits: the network stays valid, answers, saves, loads; errors change nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.editing.joints import joint, valid

import bayou
from bayou.errors import BayouError

KEEPS_JOINT = {"add_arc", "reverse_arc", "absorb_node", "reorder_parents", "rename_node", "rename_state"}


def one_edit(net: bayou.Network, chance: np.random.Generator, step: int) -> tuple[str, Any]:
    """A random edit, which need not be possible."""
    names = list(net.names)

    def name() -> Any:
        return names[int(chance.integers(len(names)))]

    def state(of: Any) -> Any:
        states = net.states(of) or ("a number has no states",)
        return states[int(chance.integers(len(states)))]

    def row(of: Any) -> dict[Any, Any]:
        return {parent: state(parent) for parent in net.parents(of)}

    one, other = name(), name()
    arc = net.arcs[int(chance.integers(len(net.arcs)))] if net.arcs else (one, other)
    edits: list[tuple[str, Any]] = [
        ("add_node", lambda n: n.add_node(f"N{step}", ["a", "b", "c"][: 2 + step % 2], [one], "uniform")),
        ("add_arc", lambda n: n.add_arc(one, other)),
        ("add_arc", lambda n: n.add_arc(other, one)),
        ("remove_arc", lambda n: n.remove_arc(*arc)),
        ("reverse_arc", lambda n: n.reverse_arc(*arc)),
        ("absorb_node", lambda n: n.absorb_node(one)),
        ("remove_node", lambda n: n.remove_node(one)),
        ("rename_node", lambda n: n.rename_node(one, f"R{step}")),
        ("reorder_parents", lambda n: n.reorder_parents(one, list(n.parents(one))[::-1])),
        ("add_state", lambda n: n.add_state(one, f"s{step}", at=0)),
        ("remove_state", lambda n: n.remove_state(one, state(one))),
        ("rename_state", lambda n: n.rename_state(one, state(one), f"t{step}")),
        ("reorder_states", lambda n: n.reorder_states(one, list(n.states(one))[::-1])),
        ("merge_states", lambda n: n.merge_states(one, n.states(one)[:2], into=f"m{step}")),
        (
            "set_row",
            lambda n: n.set_row(one, chance.integers(0, 4, len(n.states(one))), row(one), normalise=True),
        ),
        ("set_probability", lambda n: n.set_probability(one, state(one), float(chance.random()), row(one))),
        ("subnetwork", lambda n: n.subnetwork([x for x in names if x != one] or names)),
    ]
    return edits[int(chance.integers(len(edits)))]


def tried(net: bayou.Network, edit: Any) -> bayou.Network | None:
    """The network after an edit; None if that is refused, in bayou's own words."""
    try:
        edited: bayou.Network = edit(net)
        return edited
    except BayouError:
        return None


@pytest.mark.parametrize("seed", range(8))
def test_thirty_edits_keep_a_network_valid(seed: int, tmp_path: Path) -> None:
    chance = np.random.default_rng(seed)
    net = bayou.random_network(5, states=(2, 3), arcs=5, seed=seed)
    done: Counter[str] = Counter()
    step = 0
    while sum(done.values()) < 30:
        step += 1
        assert step < 400, done
        before, arrays = net.copy(), {name: net.cpt(name).to_array() for name in net.names}
        word, edit = one_edit(net, chance, step)
        too_many = len(net.names) >= 7 or np.prod([float(len(net.states(n))) for n in net.names]) > 600
        if (word in ("add_node", "add_state") and too_many) or (len(net.names) < 3 and "node" in word):
            continue
        edited = tried(net, edit)
        if edited is None:
            assert net.same_as(before), word
            continue
        net = edited
        done[word] += 1
        assert all(np.array_equal(before.cpt(n).to_array(), arrays[n]) for n in before.names), word
        valid(net)
        if word in KEEPS_JOINT:
            both = [name for name in net.names if name in before.names]
            np.testing.assert_allclose(
                joint(net, both), joint(before, both), rtol=0, atol=1e-12, err_msg=word
            )
    asked = joint(net)
    for name in net.names:
        others = tuple(k for k, other in enumerate(net.names) if other != name)
        np.testing.assert_allclose(
            [net.query(name)[state] for state in net.states(name)], asked.sum(axis=others), rtol=0, atol=1e-12
        )
    net.save(tmp_path / "net.bayou")
    assert bayou.load(tmp_path / "net.bayou").same_as(net)
    assert len(done) > 5


def test_plans_of_the_old_network_do_not_answer_for_the_new_one() -> None:
    net = bayou.examples.rain_and_wet_grass()
    before = net.copy()
    for _ in range(3):
        assert net.query("Rain", {"WetGrass": "yes"})["yes"] == pytest.approx(0.18 / 0.26)
    net.set_probability("Rain", "yes", 0.5)
    for _ in range(3):
        assert net.query("Rain", {"WetGrass": "yes"})["yes"] == pytest.approx(0.9)
        assert before.query("Rain", {"WetGrass": "yes"})["yes"] == pytest.approx(0.18 / 0.26)
    net.rename_state("WetGrass", "yes", "wet").reverse_arc("Rain", "WetGrass")
    assert net.query("Rain", {"WetGrass": "wet"})["yes"] == pytest.approx(0.9)
    net.drop_plans()
    assert net.marginals({"WetGrass": "wet"})["Rain"]["yes"] == pytest.approx(0.9)
