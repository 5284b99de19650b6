"""Shapley shares against the mean over all orders of the findings, and against what they must satisfy."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import by_hand, questions

import bayou
from bayou.errors import BadQuestion
from bayou.explain import shapley


def by_orders(value: Any, names: list[Any]) -> dict[Any, float]:
    """The mean of what each finding adds, over all orders: the definition."""
    shares = dict.fromkeys(names, 0.0)
    orders = list(itertools.permutations(names))
    for order in orders:
        for place, name in enumerate(order):
            shares[name] += (value(order[: place + 1]) - value(order[:place])) / len(orders)
    return shares


@given(networks(most=5), st.data())
@law
def test_shares_are_the_mean_over_all_orders(net: bayou.Network, data: st.DataObject) -> None:
    targets, evidence, likelihood, do = data.draw(questions(net))
    target = targets[0]
    names = list(dict.fromkeys((*evidence, *likelihood)))
    assume(names and by_hand(net, ([target], evidence, likelihood, do))[1] > 0)
    state = data.draw(st.sampled_from(range(len(net.states(target)))))

    def table(kept: Any) -> np.ndarray:
        some = {name: evidence[name] for name in evidence if name in kept}
        soft = {name: likelihood[name] for name in likelihood if name in kept}
        numbers, total = by_hand(net, ([target], some, soft, do))
        return numbers / total

    sets = [part for size in range(len(names) + 1) for part in itertools.combinations(names, size)]
    decided = any(table(part)[state] == 0 or np.delete(table(part), state).sum() == 0 for part in sets)

    def value(kept: Any) -> float:
        found = table(kept)
        return found[state] if decided else math.log(found[state] / np.delete(found, state).sum())

    strength = net.finding_strength(
        target, evidence, state=net.states(target)[state], likelihood=likelihood, do=do, shares=True
    )
    shares = strength.shares
    assert shares is not None
    assert shares.is_exact
    assert shares.unit == ("probability" if decided else "log odds")
    expected = by_orders(value, names)
    assert {name: shares[name] for name in names} == pytest.approx(expected, abs=1e-9)
    assert float(shares.shares.sum()) == pytest.approx(value(names) - value(()), abs=1e-9)
    assert shares.total == pytest.approx(value(names) - value(()), abs=1e-9)


def test_shares_of_the_change_in_probability_are_asked_for() -> None:
    net = causes(3)
    findings = dict.fromkeys(["s0", "s1", "s2"], "yes")

    def value(kept: Any) -> float:
        return float(net.query("ill", {name: findings[name] for name in kept})["yes"])

    shares = net.finding_strength("ill", findings, state="yes", shares="probability").shares
    assert shares is not None
    assert shares.unit == "probability"
    assert {name: shares[name] for name in findings} == pytest.approx(by_orders(value, list(findings)))
    with pytest.raises(BadQuestion, match="'probability'"):
        net.finding_strength("ill", findings, shares="percent")


def causes(count: int) -> bayou.Network:
    """Symptoms of one disease that also cause each other in turn."""
    names = [f"s{k}" for k in range(count)]
    parents = {"ill": [], **{name: ["ill", *names[max(k - 1, 0) : k]] for k, name in enumerate(names)}}
    random = np.random.default_rng(3)
    net = bayou.Network(parents, states={name: ["no", "yes"] for name in parents})
    for name in parents:
        shape = (2,) * (len(parents[name]) + 1)
        net.set_cpt(name, random.dirichlet([2, 2], size=shape[:-1]) if parents[name] else [0.7, 0.3])
    return net


def test_estimated_shares_add_up_and_are_within_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    net = causes(9)
    findings = {f"s{k}": ("yes", "no")[k % 2] for k in range(9)}
    exact = net.finding_strength("ill", findings, state="yes", shares=True).shares
    monkeypatch.setattr(shapley, "MOST_EXACT", 8)
    drawn = net.finding_strength("ill", findings, state="yes", shares=True, seed=5).shares
    assert exact is not None
    assert drawn is not None
    assert not drawn.is_exact
    assert float(drawn.shares.sum()) == pytest.approx(exact.total, abs=1e-9)
    gaps = np.abs(drawn.shares - exact.shares)
    assert (gaps <= 5 * drawn.standard_errors + 1e-12).all()
    assert drawn.standard_errors.max() < 0.1
    again = net.finding_strength("ill", findings, state="yes", shares=True, seed=5).shares
    other = net.finding_strength("ill", findings, state="yes", shares=True, seed=6).shares
    assert again is not None
    assert other is not None
    assert again.shares.tolist() == drawn.shares.tolist()
    assert other.shares.tolist() != drawn.shares.tolist()
    assert "estimated from 200 orders, standard errors up to" in str(drawn)


def test_rows_and_single_queries_give_the_same_shares() -> None:
    net = causes(6)
    findings = {f"s{k}": "yes" for k in range(6)}
    rows = net.finding_strength("ill", findings, state="yes", shares=True).shares
    soft = {name: {"no": 0.0, "yes": 1.0} for name in findings}
    one_by_one = net.finding_strength("ill", likelihood=soft, state="yes", shares=True).shares
    assert rows is not None
    assert one_by_one is not None
    np.testing.assert_allclose(rows.shares, one_by_one.shares, atol=1e-10)


def test_shares_are_printed_and_become_plain_data_only_if_asked_for() -> None:
    net = bayou.examples.asia()
    findings = {"smoke": "yes", "dysp": "yes", "xray": "yes"}
    plain = net.finding_strength("lung", findings)
    assert plain.shares is None
    assert "share" not in str(plain)
    found = net.finding_strength("lung", findings, shares=True)
    assert str(found).splitlines()[1].split()[-1] == "share"
    assert (
        str(found).splitlines()[-1].startswith("The shares (Shapley) add up to the change in the log odds, +")
    )
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["share_unit"] == "log odds"
    assert sum(one["share"] for one in document["findings"]) == pytest.approx(
        math.log(found.after / (1 - found.after) * (1 - found.before) / found.before)
    )
    assert list(found.to_frame().columns)[-1] == "share"
    assert "share_unit" not in plain.to_dict()
    with pytest.raises(BadQuestion, match="seed=-1"):
        net.finding_strength("lung", findings, shares=True, seed=-1)
