"""Random edits of networks with all kinds of nodes: each works, or is refused in bayou's own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.editing.test_edit_sequences import one_edit, tried

import bayou


def stated() -> bayou.Network:
    """Tables, a noisy-OR, a noisy-MAX, a function, Gaussians, a shared table, and a node without a table."""
    two = ["no", "yes"]
    net = bayou.Network(
        "Flu, Cold -> Fever -> Heat; Flu, Fever -> Both -> X -> Y; Cold -> A; Flu -> B; Flu -> U",
        states=dict.fromkeys(("Flu", "Cold", "Fever", "A", "B", "U"), two) | {"Heat": [0, 1, 2]},
        continuous=["X", "Y"],
        share={"step": ["A", "B"]},
    )
    net.set_cpt("Flu", [0.9, 0.1]).set_cpt("Cold", [0.7, 0.3]).set_cpt("A", [[0.9, 0.1], [0.2, 0.8]])
    net.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05))
    net.set_cpt("Heat", bayou.NoisyMax({"Fever": {"yes": [0.1, 0.5, 0.4]}}, leak=[0.8, 0.1, 0.1]))
    net.set_cpt("Both", bayou.Deterministic(lambda flu, fever: flu == fever == "yes"))
    net.set_gaussian("X", {False: (0.0, 1.0), True: (4.0, 2.0)})
    return net.set_gaussian("Y", {"mean": 1.0, "variance": 0.5, "coefficients": {"X": 2.0}})


def learned() -> bayou.Network:
    """A network whose states come from data, with a Poisson leaf, a noisy node and a Gaussian."""
    chance = np.random.default_rng(5)
    flu, cold = chance.random(60) < 0.4, chance.random(60) < 0.5
    ill = (flu & (chance.random(60) < 0.8)) | (cold & (chance.random(60) < 0.5))
    rows = {
        "Flu": flu.tolist(),
        "Cold": cold.tolist(),
        "Ill": ill.tolist(),
        "Calls": chance.poisson(1 + 4 * ill).tolist(),
        "Heat": (37 + ill + 0.3 * chance.standard_normal(60)).tolist(),
    }
    nodes = {"Ill": bayou.NoisyOr, "Calls": bayou.features.PoissonFeature()}
    return bayou.Network("Flu, Cold -> Ill; Ill -> Calls; Ill, Flu -> Heat", nodes=nodes).fit(rows)


def unknown() -> bayou.Network:
    """A network without states, with one table that waits for them."""
    net = bayou.Network("A -> B -> C; A -> C", states={"A": ["x", "y"], "B": [0, 1]})
    return net.set_cpt("A", [0.5, 0.5])


def everything(net: bayou.Network) -> dict[str, Any]:
    """What an edit could change; frozen parts by identity."""
    return {**net.__dict__, "_pending": dict(net._pending)}


@pytest.mark.parametrize("start", [stated, learned, unknown])
@pytest.mark.parametrize("seed", range(6))
def test_edits_of_all_kinds_of_nodes(start: Callable[[], bayou.Network], seed: int, tmp_path: Path) -> None:
    chance, net = np.random.default_rng(seed), start()
    done: Counter[str] = Counter()
    for step in range(60):
        before = everything(net)
        word, edit = some_edit(net, chance, step)
        if len(net.names) < 4 and word in ("remove_node", "absorb_node", "subnetwork"):
            continue
        edited = tried(net, edit)
        if edited is None:
            assert everything(net) == before, word
            continue
        net = edited
        done[word] += 1
        assert_sound(net, tmp_path)
    assert len(done) > 5


def some_edit(net: bayou.Network, chance: np.random.Generator, step: int) -> tuple[str, Any]:
    """An edit as of tables, or one that changes what a node is."""
    name = net.names[int(chance.integers(len(net.names)))]
    if chance.random() < 0.1:
        return "unshare", lambda n: n.unshare(name)
    if chance.random() < 0.1:
        return "clear_table", lambda n: n.clear_table(name)
    if chance.random() < 0.1:
        return "as table", lambda n: n.set_cpt(name, n.cpt(name))
    if len(net.names) > 9 and chance.random() < 0.5:
        return "remove_node", lambda n: n.remove_node(name)
    return one_edit(net, chance, step)


def assert_sound(net: bayou.Network, folder: Path) -> None:
    """Tables are valid, all that has parameters answers, and a file gives the same network."""
    assert set(net.structure.kinds) <= set(net.names)
    frozen = net._frozen
    if frozen is None:
        assert net.structure.undeclared
        return
    assert frozen.dag == net.dag
    assert dict(frozen.kinds) == dict(net.structure.kinds)
    users = {name for name in net.names if frozen.slots[name] in frozen.blocks}
    assert set(frozen.blocks) == {frozen.slots[name] for name in users}
    for name in users:
        finite = frozen.distribution(name).finite
        if finite is not None:
            np.testing.assert_allclose(finite.table.sum(axis=-1), 1, rtol=0, atol=1e-12)
        if set(net.dag.with_ancestors([name])) <= users and frozen.distribution(name).form != "density":
            net.query(name)
    net.save(folder / "net.bayou")
    again = bayou.load(folder / "net.bayou")
    assert again.same_as(net)
    assert dict(again.structure.kinds) == dict(net.structure.kinds)
