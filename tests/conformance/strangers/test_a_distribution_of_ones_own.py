"""One class, and it is a network node, a feature of naive Bayes, learned by EM, saved and printed.

The geometric counts are written in the tests; Poisson and kernel densities are treated in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.strangers.geometric_counts import GeometricCounts

import bayou
from bayou.distributions import FamilyRows, KernelDensity, Poisson
from bayou.errors import BayouError, BayouWarning

KINDS: dict[str, Any] = {
    "geometric": GeometricCounts,
    "poisson": Poisson,
    "kernel": KernelDensity,
    "declared kernel": bayou.features.KernelFeature("scott"),
    "declared poisson": bayou.features.PoissonFeature,
}
N = 900


def table(seed: int = 0, rows: int = N) -> dict[str, Any]:
    """Who clicks how often: a class, and numbers that depend on it."""
    random = np.random.default_rng(seed)
    group = random.choice(3, rows, p=[0.5, 0.3, 0.2])
    return {
        "who": [["new", "seldom", "often"][k] for k in group],
        "clicks": random.poisson(1 + 4 * group).tolist(),
        "colour": [
            ["red", "blue"][int(r < 0.3 + 0.2 * k)] for k, r in zip(group, random.random(rows), strict=True)
        ],
    }


def network(kind: Any) -> Any:
    return bayou.Network(
        "who -> clicks; who -> colour",
        continuous=["clicks"],
        nodes={"clicks": kind},
        states={"who": ["new", "seldom", "often"]},
    )


def fitted(kind: str) -> Any:
    return network(KINDS[kind]).fit(table())


def by_hand(net: Any, clicks: float) -> Any:
    """P(who | clicks) by Bayes' rule from the distribution itself."""
    logs = net.frozen.distribution("clicks").log_density_by_group(np.array([clicks]))[0]
    joint = np.exp(logs) * net.frozen.table("who")
    return joint / joint.sum()


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_is_a_likelihood_of_its_parents(kind: str) -> None:
    net = fitted(kind)
    for clicks in (0, 3, 11):
        posterior = net.query("who", given={"clicks": clicks})
        expected = by_hand(net, clicks)
        found = [posterior[state] for state in ("new", "seldom", "often")]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        both = net.query("colour", given={"clicks": clicks})
        red = net.frozen.schema["colour"].code("red")
        assert both["red"] == pytest.approx(float(expected @ net.frozen.table("colour")[:, red]), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_that_is_not_observed_plays_no_part(kind: str) -> None:
    net = fitted(kind)
    plain = bayou.Network("who -> colour").fit({name: table()[name] for name in ("who", "colour")})
    assert net.query("who", given={"colour": "red"})["new"] == pytest.approx(
        plain.query("who", given={"colour": "red"})["new"], rel=1e-9
    )
    with pytest.raises(BayouError, match="clicks"):
        net.query("clicks", given={"who": "new"})


@pytest.mark.parametrize("kind", KINDS)
def test_rows_have_densities_and_are_drawn(kind: str) -> None:
    net = fitted(kind)
    rows = table(seed=1, rows=40)
    logs = net.log_probability(rows)
    codes = np.array([["new", "seldom", "often"].index(who) for who in rows["who"]])
    local = FamilyRows(40, [codes], np.zeros((40, 0)), np.array(rows["clicks"], dtype=float))
    colour = [
        net.frozen.table("colour")[k, net.frozen.schema["colour"].code(c)]
        for k, c in zip(codes, rows["colour"], strict=True)
    ]
    expected = np.log(net.frozen.table("who")[codes]) + np.log(colour)
    expected += net.frozen.distribution("clicks").log_density(local)
    np.testing.assert_allclose(logs, expected, rtol=1e-9)
    drawn = net.sample(4000, seed=3)
    for k, who in enumerate(("new", "seldom", "often")):
        mine = [x for x, w in zip(drawn["clicks"], drawn["who"], strict=True) if w == who]
        assert np.mean(mine) == pytest.approx(1 + 4 * k, abs=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_with_it_prints_and_is_saved(kind: str, tmp_path: Path) -> None:
    net = fitted(kind)
    title = net.frozen.distribution("clicks").title
    assert "clicks" in str(net)
    assert f"{title}(clicks | who)" in str(net.node("clicks"))
    assert "often" in str(net.node("clicks"))
    assert "clicks" in net._repr_html_()
    net.save(tmp_path / "klicks.bayou")
    again = bayou.load(tmp_path / "klicks.bayou")
    assert again.same_as(net)
    assert again.frozen.kinds == net.frozen.kinds
    fresh = table(seed=8, rows=50)
    assert again.partial_fit(fresh).same_as(net.partial_fit(fresh))


@pytest.mark.parametrize("kind", KINDS)
def test_batches_make_the_same_network(kind: str) -> None:
    rows = table()
    whole, parts = fitted(kind), network(KINDS[kind])
    for k in range(3):
        parts.partial_fit({name: column[k::3] for name, column in rows.items()})
    query = {"clicks": 5}
    assert parts.query("who", given=query)["often"] == pytest.approx(
        whole.query("who", given=query)["often"], rel=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_can_only_be_a_leaf_with_discrete_parents(kind: str) -> None:
    with pytest.raises(BayouError, match="clicks"):
        bayou.Network("clicks -> who", continuous=["clicks"], nodes={"clicks": KINDS[kind]}).fit(table())
    with pytest.raises(BayouError, match="clicks"):
        bayou.Network("x -> clicks", continuous=["clicks", "x"], nodes={"clicks": KINDS[kind]}).fit(
            {"x": [0.5, 1.5], "clicks": [1.0, 2.0]}
        )


@pytest.mark.parametrize("kind", KINDS)
def test_em_finds_the_classes_behind_it(kind: str) -> None:
    rows = table()
    hidden = {**rows, "who": [who if k < 60 else None for k, who in enumerate(rows["who"])]}
    net = network(KINDS[kind]).fit(hidden)
    start = network(KINDS[kind]).fit({name: column[:60] for name, column in rows.items()})
    assert net.log_probability(hidden).sum() > start.log_probability(hidden).sum()
    chances = [net.query("who", given={"clicks": clicks})["often"] for clicks in (0, 4, 12)]
    assert chances == sorted(chances)
    assert chances[2] > 0.4


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "declared poisson"])
def test_a_feature_of_naive_bayes_is_the_same_thing(kind: str, tmp_path: Path) -> None:
    rows = table()
    X, y = {"clicks": rows["clicks"], "colour": rows["colour"]}, rows["who"]
    model = bayou.NaiveBayes({"clicks": KINDS[kind], "colour": "table"}).fit(X, y)
    net = fitted(kind)
    for clicks in (0, 3, 11):
        found = model.predict_proba({"clicks": [clicks], "colour": [None]})[0]
        order = [["new", "seldom", "often"].index(label) for label in model.classes_]
        np.testing.assert_allclose(found, by_hand(net, clicks)[order], rtol=0.02)
    parts = bayou.NaiveBayes({"clicks": KINDS[kind], "colour": "table"})
    for k in range(3):
        part = {name: column[k::3] for name, column in X.items()}
        parts.partial_fit(part, y[k::3], classes=sorted(set(y)))
    np.testing.assert_allclose(parts.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    model.save(tmp_path / "klicks.bayou")
    again = bayou.load(tmp_path / "klicks.bayou")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.feature_kinds_ == model.feature_kinds_


def test_explanations_speak_of_it() -> None:
    rows = table()
    X, y = {"clicks": rows["clicks"], "colour": rows["colour"]}, rows["who"]
    model = bayou.NaiveBayes({"clicks": GeometricCounts, "colour": "table"}).fit(X, y)
    row = {"clicks": 9, "colour": "red"}
    assert "Geometric(9; " in model.working(row).text
    assert "chance 0." in str(model.explain(row))
    with pytest.raises(BayouError, match="'clicks'"):
        model.linear_weights()
    with pytest.warns(BayouWarning, match="probability 0 in every class"):
        model.predict_proba({"clicks": [-1], "colour": ["red"]})
