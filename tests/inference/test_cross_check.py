"""verify=True asks a second engine and says how far the answers lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import by_hand, questions

import bayou
from bayou.errors import BadQuestion, Disagreement
from bayou.inference.exact import compiled_query


@pytest.fixture
def storm() -> bayou.Network:
    return bayou.examples.storm()


@given(networks(), st.data())
@law
def test_engines_agree_and_the_gap_is_reported(net: bayou.Network, data: st.DataObject) -> None:
    question = data.draw(questions(net))
    targets, evidence, likelihood, do = question
    if by_hand(net, question)[1] == 0:
        return
    posterior = net.query(targets, evidence, likelihood=likelihood, do=do, verify=True)
    assert posterior.verified.engine == "enumeration"
    assert 0 <= posterior.verified.gap < 1e-12


@pytest.mark.parametrize(
    ("engine", "second"),
    [("compiled", "enumeration"), ("enumeration", "elimination"), ("elimination", "enumeration")],
)
def test_the_second_engine_is_another_one_and_is_printed(
    storm: bayou.Network, engine: str, second: str
) -> None:
    posterior = storm.query("Storm", {"Thunder": "yes"}, engine=engine, verify=True)
    assert posterior.verified.engine == second
    assert str(posterior).endswith(str(posterior.verified))
    assert f"Verified by {second}" in posterior._repr_html_()


def test_without_it_nothing_is_printed(storm: bayou.Network) -> None:
    posterior = storm.query("Storm")
    assert posterior.verified is None
    assert "erified" not in str(posterior)


def test_large_joints_are_verified_by_elimination() -> None:
    names = [f"v {k}" for k in range(25)]
    net = bayou.Network(
        {name: names[max(0, k - 1) : k] for k, name in enumerate(names)}, states={n: [0, 1] for n in names}
    )
    for k, name in enumerate(names):
        net.set_cpt(name, [[0.9, 0.1], [0.3, 0.7]] if k else [0.5, 0.5])
    assert net.query("v 3", {"v 20": 1}, verify=True).verified.engine == "elimination"
    assert net.query("v 3", {"v 20": 1}, verify=True, engine="elimination").verified.engine == "compiled"


@pytest.mark.parametrize("error", [1e-8, np.nan])
def test_a_wrong_answer_is_not_returned(
    storm: bayou.Network, monkeypatch: pytest.MonkeyPatch, error: float
) -> None:
    honest = compiled_query.joint_posterior

    def slightly_wrong(*arguments: Any) -> Any:
        table, log_evidence = honest(*arguments)
        return table + error, log_evidence

    monkeypatch.setattr(compiled_query, "joint_posterior", slightly_wrong)
    with pytest.raises(Disagreement, match="'compiled' and 'enumeration'"):
        storm.query("Storm", {"Thunder": "yes"}, verify=True)


def test_real_numbers_have_no_second_engine() -> None:
    net = bayou.Network("Sorte -> Länge", states={"Sorte": ["x", "y"]}, continuous=["Länge"])
    net.set_cpt("Sorte", [0.25, 0.75]).set_gaussian("Länge", {"x": (0.0, 1.0), "y": (3.0, 4.0)})
    with pytest.raises(BadQuestion, match="no second engine"):
        net.query("Länge", verify=True)
