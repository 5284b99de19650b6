"""What is saved comes back: typed states, sharing, priors, counts and moments; BIF keeps names and tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import SIMPLE_STATES, TEXT_NAMES, Sample, law, networks, samples

import bayou
from bayou.errors import BayouWarning

PRIORS: list[Any] = [
    0,
    0.5,
    bayou.BDeu(7),
    bayou.MEstimate(3),
    bayou.Dirichlet(0.125),
]


@pytest.fixture(autouse=True)
def _rows_without_counts_are_uniform() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        yield


def saved_and_loaded(net: bayou.Network, ending: str) -> bayou.Network:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"ein Netz{ending}"
        net.save(path)
        return bayou.load(path)


@given(networks())
@law
def test_a_stated_network_comes_back_to_the_last_bit(net: bayou.Network) -> None:
    back = saved_and_loaded(net, ".bayou")
    assert back.same_as(net)
    for name in net.names:
        kinds = [type(state) for state in net.states(name)]
        assert [type(state) for state in back.states(name)] == kinds
    assert [type(name) for name in back.names] == [type(name) for name in net.names]


@given(samples(least=2), st.sampled_from(PRIORS), st.booleans(), st.data())
@law
def test_a_learned_network_comes_back_and_goes_on_learning(
    sample: Sample, prior: Any, declared: bool, data: st.DataObject
) -> None:
    full = [
        all(sample.columns[name][row] is not None for name in sample.columns) for row in range(sample.rows)
    ]
    if not declared and not any(full):
        return
    first = [full.index(True)] if any(full) else [0]
    rest = [row for row in range(sample.rows) if row not in first]
    net = sample.network(declared=declared).fit(
        sample.part(first), prior=prior, weights=sample.some_weights(first)
    )
    back = saved_and_loaded(net, ".bayou")
    assert back.same_as(net)
    assert back.statistics.rows == net.statistics.rows
    for request in net.statistics:
        assert back.statistics[request] == net.statistics[request]
        assert back.statistics[request].values.dtype == net.statistics[request].values.dtype
    for network in (net, back):
        network.partial_fit(sample.part(rest), weights=sample.some_weights(rest))
    assert back.same_as(net)


def test_priors_by_name_sharing_order_and_continuous_nodes_come_back() -> None:
    random = np.random.default_rng(9)
    net = bayou.Network(
        "class -> R1, R2, x; x -> y",
        states={
            "class": [True, 1, "1"],
            "R1": bayou.Variable("R1", [1, 2, 3], ordered=True),
            "R2": [1, 2, 3],
        },
        continuous=["x", "y"],
        share={"the block": ["R1", "R2"]},
    )
    columns = {
        "class": [[True, 1, "1"][k] for k in random.integers(0, 3, 60)],
        "R1": random.integers(1, 4, 60).tolist(),
        "R2": random.integers(1, 4, 60).tolist(),
        "x": random.normal(size=60),
        "y": random.normal(size=60),
    }
    prior = {"class": bayou.MEstimate(2), "the block": bayou.Dirichlet({1: 1, 2: 0.5, 3: 4})}
    net.fit({name: column[:40] for name, column in columns.items()}, prior=prior)
    back = saved_and_loaded(net, ".bayou")
    assert back.same_as(net)
    assert back.sharing == net.sharing == {"the block": ("R1", "R2")}
    assert back.variables["R1"].ordered
    for network in (net, back):
        network.partial_fit({name: column[40:] for name, column in columns.items()})
    assert back.same_as(net)
    for network in (net, back):
        network.set_cpt("class", [0.5, 0.25, 0.25])
    seen = {"x": 0.3, "R1": 2}
    assert back.query("class", seen).to_array().tolist() == net.query("class", seen).to_array().tolist()


@given(networks(names=[*TEXT_NAMES, 1, 2.5], states=SIMPLE_STATES), st.sampled_from([".bif", ".bif.gz"]))
@law
def test_bif_keeps_names_states_and_tables(net: bayou.Network, ending: str) -> None:
    back = saved_and_loaded(net, ending)
    assert back.dag == net.dag
    for name in net.names:
        assert back.states(name) == net.states(name)
        assert [type(state) for state in back.states(name)] == [type(state) for state in net.states(name)]
        np.testing.assert_allclose(back.cpt(name).to_array(), net.cpt(name).to_array(), rtol=1e-15)


@given(networks(names=TEXT_NAMES, states=SIMPLE_STATES))
@law
def test_a_second_round_through_bif_changes_nothing(net: bayou.Network) -> None:
    once = saved_and_loaded(net, ".bif")
    assert saved_and_loaded(once, ".bif").same_as(once)
