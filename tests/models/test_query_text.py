"""Queries as text, and uncertain findings in every verb that takes findings; checked on the joint table."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, UnknownState, UnknownVariable


def rated() -> bayou.Network:
    """A chain with numbers as states: G -> R -> B."""
    random = np.random.default_rng(3)
    return bayou.Network(
        "G -> R -> B",
        states={"G": ["d", "c"], "R": [1, 2, 3, 4], "B": ["no", "yes"]},
        tables={
            "G": random.dirichlet([1, 1]),
            "R": random.dirichlet([1] * 4, 2),
            "B": random.dirichlet([1, 1], 4),
        },
    )


def by_hand(
    net: bayou.Network, target: str, weight: Callable[[dict[str, object]], float]
) -> dict[object, float]:
    """P(target | a weight of each joint state), summed over the whole joint table."""
    joint = net.joint().to_array()
    states = [net.states(name) for name in net.names]
    totals: dict[object, float] = dict.fromkeys(net.states(target), 0.0)
    for place, values in zip(np.ndindex(joint.shape), product(*states), strict=True):
        row = dict(zip(net.names, values, strict=True))
        totals[row[target]] += float(joint[place]) * weight(row)
    whole = sum(totals.values())
    return {state: total / whole for state, total in totals.items()}


@pytest.mark.parametrize(
    ("text", "holds", "shown"),
    [
        ("P(G | R=3)", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("P(G|R==3.0)", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("G | R != 3", lambda row: row["R"] != 3, "P(G | R≠3)"),
        ("G | R≠3, B = yes", lambda row: row["R"] != 3 and row["B"] == "yes", "P(G | B=yes, R≠3)"),
        ("P( G | R in {1, 2} )", lambda row: row["R"] in (1, 2), "P(G | R in {1, 2})"),
        ("G | R not in [1,2], B!='no'", lambda row: row["R"] > 2 and row["B"] == "yes", None),
        ("G | B in (no, yes)", lambda row: True, "P(G)"),
        ("P(G) | R=3", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("p(G | R=3)", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("Pr( G | R = 3 )", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("prob(G)|R=“3”", lambda row: row["R"] == 3, "P(G | R=3)"),
        ("G | R!=3, R!=1", lambda row: row["R"] in (2, 4), "P(G | R≠3, R≠1)"),
        (
            "P(G) | R not in {3}, B=yes, R in {1, 3, 4}",
            lambda row: row["R"] in (1, 4) and row["B"] == "yes",
            None,
        ),
    ],
)
def test_findings_in_text(text: str, holds: Callable[[dict[str, object]], bool], shown: str | None) -> None:
    net = rated()
    posterior = net.query(text)
    assert posterior.to_dict() == pytest.approx(by_hand(net, "G", lambda row: float(holds(row))))
    chance = sum(float(p) for p, row in _joint_rows(net) if holds(row))
    assert posterior.log_evidence == pytest.approx(math.log(chance), abs=1e-12)
    assert shown is None or posterior.title == shown
    working = net.working(text)
    last = [line for line in working.splitlines() if line.strip().startswith("G=d:")][-1]
    assert float(last.rsplit("=", 1)[1]) == pytest.approx(posterior["d"], abs=1e-5)


def _joint_rows(net: bayou.Network) -> list[tuple[float, dict[str, object]]]:
    states = [net.states(name) for name in net.names]
    values = net.joint().to_array().ravel().tolist()
    return [
        (p, dict(zip(net.names, row, strict=True))) for p, row in zip(values, product(*states), strict=True)
    ]


def test_do_in_text_is_do_as_an_argument() -> None:
    net = bayou.examples.storm()
    by_argument = net.query("Thunder", do={"Lightning": "yes"}, given={"Storm": "no"})
    by_text = net.query("P(Thunder | Storm=no, do(Lightning=yes))")
    assert by_text.to_dict() == by_argument.to_dict()
    assert by_text.title == by_argument.title
    assert net.query("Storm | do(Lightning=yes)").to_dict() == net.query("Storm").to_dict()
    assert net.query("Campfire | do(Storm=yes, BusTourGroup=no)")["yes"] == pytest.approx(0.1)
    with pytest.raises(BadQuestion, match="in the query's text and in do="):
        net.query("Thunder | do(Lightning=yes)", do={"Lightning": "no"})


def test_odd_names_keep_their_meaning() -> None:
    tables = {name: {"no": 0.25, "<7.5": 0.75} for name in ("P(x)", "in", "a=b", "do(x)")}
    net = bayou.Network({name: [] for name in tables}, tables=tables)
    for name in tables:
        assert net.query(name)["no"] == 0.25
    assert net.query("'a=b' | in=<7.5, 'P(x)' != no").names == ("a=b",)
    assert net.query("P('do(x)' | 'P(x)'=no)").names == ("do(x)",)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("P(Storm=yes | Thunder=yes)", BadQuestion, "name the variable alone before the bar, 'Storm'"),
        ("Storm | Thunder", BadQuestion, "expected variable=state, found 'Thunder'"),
        ("Storm | Thunder in yes", BadQuestion, "list the states in braces"),
        ("Storm | Thunder in {yes, }", BadQuestion, "list the states in braces"),
        ("Storm | Thunder != yse", UnknownState, "Did you mean 'yes'"),
        ("P(Strom | Thunder=yes)", UnknownVariable, "Did you mean 'Storm'"),
        ("Storm | do(Thunder!=yes)", BadQuestion, "one state each"),
        ("Storm | do()", BadQuestion, "one state each"),
        ("Storm | Thunder=yes, Thunder!=no", BadQuestion, "gives 'Thunder' twice"),
        ("Storm | Thunder=yes | Campfire=no", BadQuestion, "more than one bar"),
        ("P(Storm | Thunder=yes) | Campfire=no", BadQuestion, "more than one bar"),
        ("Storm | Thunder", BadQuestion, "Say which value it has, for example Thunder=no"),
        ("Storm | Thunder=yes and Campfire=no", BadQuestion, r"A query is written like P\(lung"),
        ("Storm | not Thunder", BadQuestion, r"A query is written like P\(lung"),
        ("Storm given Thunder=yes", UnknownVariable, r"A query is written like P\(lung"),
        ("P(Storm; Thunder=yes)", UnknownVariable, r"A query is written like P\(lung"),
        ("P(Storm", UnknownVariable, "Did you mean 'Storm'"),
        ("Storm | Thunder!=yes, Thunder!=no", BadQuestion, "no state of 'Thunder' agrees with all of it"),
        ("Storm | Thunder!=yes, Thunder=no", BadQuestion, "gives 'Thunder' twice"),
        ("Storm | do(Thunder=yes), Thunder!=no", BadQuestion, "gives 'Thunder' twice"),
        ("Storm | Thunder='yes", BadQuestion, "the quote ' is not closed"),
    ],
)
def test_text_that_cannot_be_read(text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        bayou.examples.storm().query(text)


def test_an_apostrophe_is_a_letter() -> None:
    net = bayou.Network(
        {"St John's": [], "b": []},
        tables={"St John's": {"it's": 0.25, "no": 0.75}, "b": [0.5, 0.5]},
        states={"b": ["x", "y"]},
    )
    assert net.query("St John's | b=x")["it's"] == 0.25
    assert net.query("P(b | St John's=it's)")["x"] == 0.5
    assert net.query("b | 'St John's' != \"it's\"")["x"] == 0.5


def prices() -> bayou.Network:
    """Learned from a column of money."""
    random = np.random.default_rng(0)
    kinds = np.repeat(["cheap", "dear"], 40)
    numbers = np.where(kinds == "cheap", 900, 1400) + random.normal(0, 200, 80)
    return bayou.Network("kind -> price", continuous=["price"]).fit(
        {"kind": kinds.tolist(), "price": [f"${number:,.2f}" for number in numbers]}
    )


@pytest.mark.parametrize(
    ("spelled", "number"),
    [
        ("$1,200", 1200.0),
        ("1,200.50 €", 1200.5),
        ("1.2k", 1200.0),
        ("85000 %", 850.0),
        (" 1e3 ", 1000.0),
        ("1973-04-26", 1211.0),
        (datetime.date(1973, 4, 26), 1211.0),
    ],
)
def test_findings_are_spelled_as_in_tables(spelled: Any, number: float) -> None:
    net = prices()
    expected = net.query("kind", {"price": number})
    assert 0.01 < expected["dear"] < 0.99
    assert net.query("kind", {"price": spelled}) == expected
    assert net.query(f"kind | price={spelled}") == expected
    assert net.query(f"P(kind) | price = '{spelled}'") == expected
    assert net.log_evidence({"price": spelled}) == net.log_evidence({"price": number})


def test_a_state_is_found_by_what_its_text_spells() -> None:
    net = bayou.Network("price -> sold", states={"price": [5, 1200], "sold": ["no", "yes"]})
    net.set_cpt("price", [0.5, 0.5]).set_cpt("sold", [[0.9, 0.1], [0.2, 0.8]])
    for text in ("sold | price=$1,200", "sold | price in {'$1,200'}", "sold | price != $5"):
        assert net.query(text)["yes"] == pytest.approx(0.8)
    assert net.query("sold", {"price": "$1,200"})["yes"] == 0.8


@pytest.mark.parametrize("value", ["many", "$", "10,00", "inf", "2024-02-30", None])
def test_what_spells_no_number_is_refused(value: Any) -> None:
    if value is None:
        assert prices().query("kind", {"price": None}) == prices().query("kind")
        return
    with pytest.raises(BadQuestion, match="'price'"):
        prices().query("kind", {"price": value})


def test_a_missing_intervention_is_refused_everywhere() -> None:
    net = bayou.examples.storm()
    for ask in (net.query, net.working, net.messages, net.plan):
        with pytest.raises(BadQuestion, match=r"do={'Storm': None} sets 'Storm' to no state"):
            ask("Campfire", do={"Storm": None})
    with pytest.raises(BadQuestion, match="to no state"):
        net.marginals(do={"Storm": float("nan")})
    assert net.query("Campfire", {"Storm": None}).to_dict() == net.query("Campfire").to_dict()


def test_a_marginal_is_met_in_every_verb() -> None:
    net = rated()
    required = {"R": {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}}
    given = {"B": "yes"}
    now = by_hand(net, "R", lambda row: float(row["B"] == "yes"))
    factor = {state: required["R"][state] / now[state] for state in now}
    expected = by_hand(net, "G", lambda row: (row["B"] == "yes") * factor[row["R"]])
    everything = net.marginals(given, marginal=required)
    assert everything["R"].to_dict() == pytest.approx(required["R"])
    assert everything["G"].to_dict() == pytest.approx(expected)
    assert everything.log_evidence == pytest.approx(net.log_evidence(given))
    assert net.query("G", given, marginal=required).to_dict() == pytest.approx(expected)
    assert "marginal of R" in str(everything)
    best = net.most_probable(given, "G", marginal=required)
    assert best.probability == pytest.approx(max(expected.values()))
    strength = net.finding_strength("G", given, state="d", marginal=required)
    assert strength.after == pytest.approx(expected["d"])
    assert "marginal of R" in str(strength)
    derivatives = net.sensitivity("G", "d", given, table="G", marginal=required)
    assert derivatives.probability == pytest.approx(expected["d"])
    assert "(marginal of R)" in net.working("G", given, marginal=required)
    assert net.plan("G", given, marginal=required).refused is None
    assert net.junction_tree(given, marginal=required).cliques
    assert net.messages("G", given, marginal=required) is not None


def test_the_working_shows_weights() -> None:
    net = bayou.examples.rain_and_wet_grass()
    lines = net.working("Rain", likelihood={"WetGrass": {"no": 1, "yes": 3}}).splitlines()
    assert "  w(WetGrass): no 1, yes 3 (likelihood of WetGrass)" in lines
    expected = 0.2 * (0.1 * 1 + 0.9 * 3) / (0.8 * (0.9 + 0.1 * 3) + 0.2 * (0.1 + 0.9 * 3))
    assert float(lines[-1].rsplit("=", 1)[1]) == pytest.approx(expected, abs=1e-6)


def test_the_most_probable_state_of_numbers_is_refused_with_a_remedy() -> None:
    net = bayou.Network("x -> y", continuous=["x", "y"]).set_gaussian("x", (0, 1))
    net.set_gaussian("y", {"mean": 0, "variance": 1, "coefficients": {"x": 1}})
    with pytest.raises(BadQuestion, match=r"Only continuous variables are not given \('x', 'y'\)"):
        net.most_probable()
