"""Trees of plain information (the lectures'), the score of a given graph, and log-likelihoods by table."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import bayou
from bayou.cli.main import cli
from bayou.errors import BadData, BadQuestion, UnknownVariable


def table(seed: int, rows: int = 60) -> dict[str, Any]:
    """Columns of 2 to 6 states, some of them dependent: corrected weights change the tree."""
    chance = np.random.default_rng(seed)
    a = chance.integers(0, 2, rows)
    b = (a + (chance.random(rows) < 0.25)) % 2
    c, d = chance.integers(0, 4, rows), chance.integers(0, 6, rows)
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": d.tolist(), "e": (c // 2).tolist()}


def information(left: list[int], right: list[int], given: list[int] | None = None) -> float:
    """I(left; right | given) by the formula, in nats."""
    total = 0.0
    n = len(left)
    rows = list(zip(left, right, given or [0] * n, strict=True))
    for x, y, z in set(rows):
        xyz = rows.count((x, y, z))
        of_z = sum(r[2] == z for r in rows)
        xz = sum(r[0] == x and r[2] == z for r in rows)
        yz = sum(r[1] == y and r[2] == z for r in rows)
        total += xyz / n * np.log(xyz * of_z / (xz * yz))
    return float(total)


def heaviest(names: list[str], weights: dict[frozenset[str], float]) -> set[frozenset[str]]:
    """The maximum spanning tree by Kruskal's algorithm."""
    part = {name: {name} for name in names}
    tree: set[frozenset[str]] = set()
    for edge in sorted(weights, key=lambda edge: -weights[edge]):
        one, other = edge
        if part[one] is not part[other]:
            tree.add(edge)
            merged = part[one] | part[other]
            part.update(dict.fromkeys(merged, merged))
    return tree


@pytest.mark.parametrize("seed", range(5))
def test_without_correction_the_tree_is_that_of_the_lecture(seed: int) -> None:
    data = table(seed)
    names = list(data)
    weights = {frozenset(pair): information(data[pair[0]], data[pair[1]]) for pair in combinations(names, 2)}
    net = bayou.learn_structure(data, method="chow-liu", correction=False)
    assert {frozenset(arc) for arc in net.arcs} == heaviest(names, weights)
    rest = {name: data[name] for name in "bcde"}
    by_class = {
        frozenset(pair): information(data[pair[0]], data[pair[1]], data["a"])
        for pair in combinations("bcde", 2)
    }
    tan = bayou.learn_structure(data, method="tan", target="a", correction=False)
    assert {frozenset(arc) for arc in tan.arcs if "a" not in arc} == heaviest(list("bcde"), by_class)
    model = bayou.TAN(correction=False).fit(rest, data["a"])
    assert {frozenset((s.parent, s.child)) for s in model.steps_} == heaviest(list("bcde"), by_class)
    whole = bayou.ChowLiuClassifier(correction=False).fit(data, "a")
    assert {frozenset((s.parent, s.child)) for s in whole.steps_} == heaviest(names, weights)


def test_corrections_stay_the_default_and_are_of_trees_only() -> None:
    data = table(0)
    corrected = bayou.learn_structure(data, method="chow-liu")
    assert corrected.arcs == bayou.learn_structure(data, method="chow-liu", correction=True).arcs
    assert len(corrected.arcs) < 4
    with pytest.raises(BadQuestion, match="correction= goes with method='chow-liu' or 'tan'"):
        bayou.learn_structure(data, correction=False)


def test_negative_gains_are_explained() -> None:
    report = bayou.learn_structure(table(0), method="chow-liu", correction=False).learned_structure
    assert report is not None
    assert min(arc.gain for arc in report.arcs) < 0
    assert "Negative gains: BIC would be higher without these arcs" in str(report)
    assert "Negative gains" not in str(bayou.learn_structure(table(0)).learned_structure)


def test_plain_trees_on_the_command_line(tmp_path: Any) -> None:
    data = table(1)
    file = tmp_path / "rows.csv"
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    file.write_text("\n".join(lines))
    done = CliRunner().invoke(cli, ["structure", str(file), "--method", "chow-liu", "--no-correction"])
    assert done.exit_code == 0, done.output
    assert "4 arcs by Chow–Liu" in done.output
    assert "Negative gains" in done.output


@pytest.mark.parametrize("score", ["bic", "aic", "loglik", "k2", "bdeu", bayou.BDeu(10)])
def test_the_score_of_a_graph_is_that_of_the_search(score: Any) -> None:
    data = table(3)
    net = bayou.learn_structure(data, score=score)
    assert net.learned_structure is not None
    wanted = net.learned_structure.score
    assert net.score(data, score) == pytest.approx(wanted, rel=1e-12)
    text = "; ".join(f"{parent} -> {child}" for parent, child in net.arcs) + "; " + ", ".join(data)
    assert bayou.Network(text).score({**data, "other": [1.5] * 60}, score) == pytest.approx(wanted, rel=1e-12)


def test_bic_is_the_likelihood_minus_the_penalty() -> None:
    data = table(4)
    net = bayou.Network("a -> b; c -> d; e").fit(data, prior=0)
    penalty = 0.5 * np.log(60) * net.parameter_count().free
    assert net.score(data) == pytest.approx(net.log_likelihood(data) - penalty, rel=1e-12)
    assert net.score(data, "loglik") == pytest.approx(net.log_likelihood(data), rel=1e-12)
    gaps = {**data, "a": [None, *data["a"][1:]]}
    learned = bayou.Network("a -> b; c -> d; e").fit(gaps, prior=0)
    assert net.score(gaps) == pytest.approx(learned.log_likelihood(gaps) - penalty, rel=1e-6)


def test_scores_of_what_has_none_are_refused() -> None:
    data = table(5)
    with pytest.raises(BadQuestion, match="no value for shared tables"):
        bayou.Network("a -> b; b -> e", share={"p": ["b", "e"]}).score(data)
    with pytest.raises(UnknownVariable, match="'zz' in the data"):
        bayou.Network("a -> zz").score(data)


def test_the_log_likelihood_by_table_adds_up() -> None:
    chance = np.random.default_rng(2)
    data = {"k": ["p", "q"] * 40, "b": chance.integers(0, 2, 80), "x": chance.normal(size=80)}
    net = bayou.Network("k -> x; b -> x; k -> b").fit(data, prior=0)
    terms = net.log_likelihood(data, by="table")
    assert list(terms) == list(net.names)
    assert sum(terms.values()) == pytest.approx(net.log_likelihood(data), rel=1e-12)
    assert terms["k"] == pytest.approx(80 * np.log(0.5), rel=1e-12)
    weights = chance.random(80)
    weighed = net.log_likelihood(data, weights, by="table")
    assert sum(weighed.values()) == pytest.approx(net.log_likelihood(data, weights), rel=1e-12)
    with pytest.raises(BadData, match=r"'k' is missing in row 1 .*no term for each table"):
        net.log_likelihood({**data, "k": ["p", None, *data["k"][2:]]}, by="table")
    with pytest.raises(BadQuestion, match="by='row'"):
        net.log_likelihood(data, by="row")
