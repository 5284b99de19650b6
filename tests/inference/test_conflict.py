"""Impossible findings are named by a smallest set of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.errors import ImpossibleEvidence


def named(net: bayou.Network, given: dict, **more: object) -> str:
    with pytest.raises(ImpossibleEvidence) as caught:
        net.log_evidence(given, **more)
    text = str(caught.value)
    return text[text.index("): ") + 3 : text.index(". Remove")]


@needs_shared_data
def test_three_findings_of_asia_conflict_and_the_others_do_not_matter() -> None:
    net = bayou.load(SHARED / "networks" / "asia.bif.gz")
    extra = {"asia": "yes", "smoke": "no", "xray": "yes", "bronc": "no", "dysp": "yes"}
    found = named(net, {**extra, "either": "yes", "lung": "no", "tub": "no"})
    assert sorted(found.split(", ")) == ["either=yes", "lung=no", "tub=no"]


def parity(size: int) -> bayou.Network:
    """Coins, their parity counted along the way, and a copy of the first coin."""
    parents: dict[str, list[str]] = {"c0": [], "Kopie": ["c0"]}
    for k in range(1, size):
        parents[f"c{k}"] = []
        parents[f"p{k}"] = [f"c{k}", "c0" if k == 1 else f"p{k - 1}"]
    net = bayou.Network(parents, states={name: [0, 1] for name in parents})
    for name, above in parents.items():
        exclusive = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
        net.set_cpt(name, exclusive if len(above) == 2 else np.eye(2) if above else [0.5, 0.5])
    return net


def test_a_smaller_conflict_is_found_than_the_one_that_can_not_shrink() -> None:
    # Without the last of these findings the other five conflict, and none of the five can be left out.
    given = {"p3": 1, "c3": 0, "c2": 0, "c1": 0, "c0": 0, "Kopie": 1}
    assert named(parity(4), given) == "c0=0, Kopie=1"


def test_where_the_search_would_be_too_large_a_set_that_can_not_shrink_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bayou.inference.conflict.MOST_TRIALS", 3)
    given = {"p3": 1, "c3": 0, "c2": 0, "c1": 0, "c0": 0, "Kopie": 1}
    assert named(parity(4), given) == "p3=1, c3=0, c2=0, c1=0, c0=0"


def test_uncertain_findings_can_be_part_of_it() -> None:
    assert named(parity(2), {"c0": 0}, likelihood={"Kopie": [0, 1]}) == "c0=0, the likelihood of Kopie"
    assert named(parity(2), {"c0": 0}, likelihood={"Kopie": [0, 0]}) == "the likelihood of Kopie"


def test_only_interventions_that_bear_on_the_conflict_are_named() -> None:
    with pytest.raises(ImpossibleEvidence) as caught:
        parity(3).query("c2", {"Kopie": 1}, do={"c0": 0, "c1": 1})
    assert "do(c0=0)" in str(caught.value)
    assert "do(c1=1)" not in str(caught.value)


@given(networks(most=4, names=["a", "b", "c", "d"], states=[["no", "yes"], ["u", "v", "w"]]), st.data())
@law
def test_no_smaller_set_of_findings_is_impossible(net: bayou.Network, data: st.DataObject) -> None:
    given = {name: data.draw(st.sampled_from(net.states(name))) for name in net.names}
    joint = net.joint()

    def probability(part: dict) -> float:
        index = tuple(net.states(n).index(part[n]) if n in part else slice(None) for n in joint.names)
        return float(np.sum(joint.to_array()[index]))

    if probability(given) > 0:
        return
    found = named(net, given).split(", ")
    smallest = next(
        size
        for size in range(1, len(given) + 1)
        if any(probability(dict(part)) == 0 for part in itertools.combinations(given.items(), size))
    )
    assert len(found) == smallest
    assert probability(dict(text.split("=") for text in found)) == 0
