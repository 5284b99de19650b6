"""Derivatives against finite differences of the posterior itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks

import bayou
from bayou.errors import BadQuestion, BadTable, ImpossibleEvidence, UnknownState, UnknownVariable


def moved_row(row: np.ndarray, code: int, step: float) -> np.ndarray:
    """The row with one entry moved and the others making room in proportion (evenly where they are 0)."""
    others = np.delete(row, code)
    shares = others / others.sum() if others.sum() > 0 else np.full(len(others), 1 / len(others))
    return np.insert(others - step * shares, code, row[code] + step)


def slope(net: bayou.Network, table: Any, place: tuple[int, ...], ask: Any, step: float = 1e-6) -> float:
    """A difference quotient, on one side only where the entry is 0 or 1."""
    values = net.cpt(table).to_array()
    row = values[place[:-1]]
    steps = [step if row[place[-1]] < 1 else 0.0, -step if row[place[-1]] > 0 else 0.0]
    found = []
    for one in steps:
        changed = values.copy()
        changed[place[:-1]] = moved_row(row, place[-1], one)
        found.append(ask(net.copy().set_cpt(table, changed)))
    return float((found[0] - found[1]) / (steps[0] - steps[1]))


@given(networks(most=4), st.data())
@law
def test_every_derivative_is_the_slope_of_the_posterior(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.permutations(net.names))
    target, rest = names[0], names[1:]
    state = data.draw(st.sampled_from(net.states(target)))
    evidence = {name: data.draw(st.sampled_from(net.states(name))) for name in rest[:1]}
    do = {
        name: data.draw(st.sampled_from(net.states(name))) for name in rest[1:2] if data.draw(st.booleans())
    }
    soft = {target: [data.draw(st.sampled_from([0.5, 2.0])) for _ in net.states(target)]}
    table = data.draw(st.sampled_from(net.names))

    def ask(other: bayou.Network) -> float:
        return float(other.query(target, evidence, likelihood=soft, do=do)[state])

    try:
        log_evidence = net.query(target, evidence, likelihood=soft, do=do).log_evidence
    except ImpossibleEvidence:
        with pytest.raises(ImpossibleEvidence):
            net.sensitivity(target, state, evidence, table=table, likelihood=soft, do=do)
        return
    # Where the findings are next to impossible a difference quotient is no measure.
    assume(log_evidence > -7 and len(net.states(table)) > 1)
    found = net.sensitivity(target, state, evidence, table=table, likelihood=soft, do=do)
    assert found.probability == pytest.approx(ask(net))
    for place in itertools.islice(np.ndindex(found.derivatives.shape), 12):
        assert found.derivatives[place] == pytest.approx(slope(net, table, place, ask), rel=2e-3, abs=2e-4)


def test_a_shared_table_moves_for_all_its_users() -> None:
    net = bayou.Network(
        "X1 -> X2 -> X3",
        states={"X1": ["a", "b"]},
        share={"step": ["X2", "X3"]},
        tables={"X1": [0.3, 0.7], "X2": [[0.8, 0.2], [0.35, 0.65]]},
    )
    for table in ("X2", "X3"):
        found = net.sensitivity("X1", "a", {"X3": "b"}, table=table)
        for place in np.ndindex(2, 2):
            expected = slope(net, table, place, lambda n: n.query("X1", {"X3": "b"})["a"])
            assert found.derivatives[place] == pytest.approx(expected, abs=1e-8)


def test_bayes_rule_gives_the_derivative_by_hand() -> None:
    net = bayou.Network(
        "disease -> test",
        tables={
            "disease": {"yes": 0.008, "no": 0.992},
            "test": {"yes": {"+": 0.98, "-": 0.02}, "no": {"+": 0.03, "-": 0.97}},
        },
    )
    found = net.sensitivity("disease", "yes", {"test": "+"}, table="test")
    hit, false_alarm = 0.008 * 0.98, 0.992 * 0.03
    assert found["yes", "+"] == pytest.approx(0.008 * false_alarm / (hit + false_alarm) ** 2)
    assert found["no", "+"] == pytest.approx(-0.992 * hit / (hit + false_alarm) ** 2)
    assert found["no", "-"] == pytest.approx(-found["no", "+"])
    assert dict(found)["no", "-"] == found["no", "-"]
    lines = str(found).splitlines()
    assert lines[0] == "P(disease=yes | test=+) = 0.2085, and the table of test"
    assert lines[2].startswith("test=+ | disease=no")
    assert "−5.5" in lines[2]
    with pytest.raises(BadQuestion, match="one state each of: disease, test"):
        found["yes"]


def test_errors() -> None:
    net = bayou.examples.storm()
    with pytest.raises(UnknownVariable, match="Thundr"):
        net.sensitivity("Storm", "yes", table="Thundr")
    with pytest.raises(UnknownState, match="maybe"):
        net.sensitivity("Storm", "maybe", table="Thunder")
    heights = bayou.Network(
        "k -> x",
        states={"k": [0, 1]},
        continuous=["x"],
        tables={"k": [0.5, 0.5], "x": {0: (0, 1), 1: (1, 1)}},
    )
    with pytest.raises(BadTable, match="'x' is continuous"):
        heights.sensitivity("k", 0, {"x": 0.2}, table="x")
    with pytest.raises(BadQuestion, match="one discrete variable"):
        heights.sensitivity("x", 0, table="k")
    by_prior = heights.sensitivity("k", 0, {"x": 0.2}, table="k")
    p = heights.query("k", {"x": 0.2})[0]
    assert by_prior[0] == pytest.approx(4 * p * (1 - p))
