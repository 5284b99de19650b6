"""The cost of a query is known before it is run, also of one that would be refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.test_limits import grid
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import questions

import bayou
from bayou.errors import TooWide


@pytest.fixture
def storm() -> bayou.Network:
    return bayou.examples.storm()


def test_a_small_plan_by_hand(storm: bayou.Network) -> None:
    plan = storm.plan("Thunder | Storm=yes")
    assert plan.pruned == ("BusTourGroup", "Campfire", "ForestFire")
    assert plan.order == ("Lightning",)
    assert (plan.width, plan.largest) == (1, 4)
    assert plan.refused is None
    assert plan.operations == 2 * plan.entries
    assert plan.seconds > 0
    assert "would be run   yes" in str(plan)
    assert "P(Thunder | Storm=yes)" in plan._repr_html_()


@given(networks(most=6), st.data())
@law
def test_what_is_pruned_summed_asked_or_given_is_everything(net: bayou.Network, data: st.DataObject) -> None:
    targets, evidence, likelihood, do = data.draw(questions(net))
    plan = net.plan(targets, evidence, likelihood=likelihood, do=do)
    parts = [*plan.pruned, *plan.order, *targets, *evidence, *do]
    assert len(parts) == len(net.names)
    assert set(parts) == set(net.names)
    assert plan.entries >= plan.largest
    assert plan.width >= len(targets) - 1


@pytest.mark.parametrize("targets", [[(29, 29)], 60], ids=["one target", "sixty targets"])
def test_a_query_that_would_be_refused_has_a_plan_that_says_so(targets: object) -> None:
    net = grid(30)
    chosen = list(net.names[:60]) if targets == 60 else targets
    plan = net.plan(chosen)
    with pytest.raises(TooWide) as caught:
        net.query(chosen)
    assert plan.refused
    assert str(caught.value).startswith(plan.refused)  # the error ends with a line to paste
    assert "would be run   no. " in str(plan)
    assert plan.width >= 29
    assert plan.largest >= 2**30


def test_the_limits_that_hold_decide(storm: bayou.Network) -> None:
    with bayou.limits(memory=8):
        assert "limits: 8 bytes" in str(storm.plan("Thunder").refused)
    assert storm.plan("Thunder").refused is None


def test_hidden_real_numbers_make_a_mixture() -> None:
    net = bayou.Network("Sorte -> Länge", states={"Sorte": ["x", "y"]}, continuous=["Länge"])
    net.set_cpt("Sorte", [0.25, 0.75]).set_gaussian("Länge", {"x": (0.0, 1.0), "y": (3.0, 4.0)})
    assert net.plan("Länge").method == "mixture of 2 Gaussians over 1 real variables"
    assert net.plan(["Länge", "Sorte"]).refused is not None
    assert net.plan("Sorte", {"Länge": 1.0}).method == "compiled clique tree"
