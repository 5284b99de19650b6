"""Leaves that are neither discrete nor Gaussian: observed a likelihood of their parents, else irrelevant."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.inference.expectation import expected_answers as answered
from tests.inference.hidden_cells import hide_cells
from tests.inference.mixed.geometric_leaf import GeometricLeaf

from bayou.distributions import LinearGaussian, Table
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.graphs import Dag
from bayou.inference import Question, ask, best, draw, log_probability, marginals
from bayou.inference.expectation import expected_moments as e_step
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.inference.rows.imputation import GappyRows, fill_marginally
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.statistics import Batch, Moments

CHANCES = np.array([[0.2, 0.5, 0.7], [0.6, 0.3, 0.9]])


@pytest.fixture
def shop() -> FrozenNetwork:
    """Weather and day, the customers that depend on both, and a temperature."""
    variables = [
        Variable("Wetter", ["sun", "rain"]),
        Variable("day", [1, 2, 3]),
        Variable("Kunden"),
        Variable("°C"),
    ]
    parents: dict[Any, list[Any]] = {"Kunden": ["Wetter", "day"], "°C": ["Wetter"]}
    blocks = {
        "Wetter": Table(np.array([0.75, 0.25])),
        "day": Table(np.array([0.5, 0.3, 0.2])),
        "Kunden": GeometricLeaf(CHANCES),
        "°C": LinearGaussian(np.array([22.0, 14.0]), np.zeros((2, 0)), np.array([9.0, 4.0])),
    }
    names = [variable.name for variable in variables]
    return FrozenNetwork(Schema(variables), Dag(names, parents), {}, blocks, {"Kunden": GeometricLeaf})


def joint(found: dict[str, float]) -> np.ndarray:
    """P(Wetter, day, findings), cell by cell."""
    table = np.zeros((2, 3))
    for w, d in product(range(2), range(3)):
        table[w, d] = [0.75, 0.25][w] * [0.5, 0.3, 0.2][d]
        if "Kunden" in found:
            table[w, d] *= (1 - CHANCES[w, d]) ** found["Kunden"] * CHANCES[w, d]
        if "°C" in found:
            mean, variance = [(22.0, 9.0), (14.0, 4.0)][w]
            gap = found["°C"] - mean
            table[w, d] *= np.exp(-(gap**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
        for axis, name in enumerate(("Wetter", "day")):
            if name in found:
                table *= np.expand_dims(np.arange(table.shape[axis]) == found[name], 1 - axis)
    return table


FINDINGS: list[dict[str, float]] = [
    {},
    {"Kunden": 3.0},
    {"Kunden": 0.0, "°C": 15.0},
    {"Kunden": 2.0, "day": 1},
]


@pytest.mark.parametrize("found", FINDINGS)
def test_queries_weigh_the_parents_by_the_density(shop: FrozenNetwork, found: dict[str, float]) -> None:
    table = joint(found)
    for engine in ("compiled", "elimination", "messages"):
        answer = ask(shop, Question(("Wetter",), found), engine)
        np.testing.assert_allclose(answer.table, table.sum(axis=1) / table.sum(), rtol=1e-12)
        assert answer.log_evidence == pytest.approx(np.log(table.sum()) if found else 0.0, rel=1e-12)
    targets = tuple(name for name in shop.schema.names if name not in found)
    every = marginals(shop, Question(targets, found))
    assert {*every.tables, *every.mixtures} == set(targets) - {"Kunden"}
    np.testing.assert_allclose(every.tables["Wetter"], table.sum(axis=1) / table.sum(), rtol=1e-12)
    top = best(shop, Question(("Wetter",), found))[0]
    assert top.codes == (int(table.sum(axis=1).argmax()),)


def test_a_query_of_such_a_leaf_is_refused_with_a_remedy(shop: FrozenNetwork) -> None:
    with pytest.raises(BadQuestion, match=r"'Kunden' has a test geometric leaf .* Ask for its parents"):
        ask(shop, Question(("Kunden",), {"Wetter": 0}))
    numbers = {"Kunden": np.array([np.nan, 1.0]), "°C": np.array([20.0, 21.0])}
    codes = {name: np.array([0, 1], dtype=np.uint8) for name in ("Wetter", "day")}
    gaps = {"Kunden": np.array([True, False])}
    with pytest.raises(BadQuestion, match="'Kunden' has a test geometric leaf"):
        fill_marginally(shop, GappyRows(2, codes, numbers, gaps))


def test_a_value_that_cannot_occur_is_impossible_evidence(shop: FrozenNetwork) -> None:
    with pytest.raises(ImpossibleEvidence, match=r"Kunden=0\.5"):
        ask(shop, Question(("Wetter",), {"Kunden": 0.5}))


def rows_with_gaps(network: FrozenNetwork, rows: int, share: float, seed: int) -> Batch:
    random = np.random.default_rng(seed)
    codes, numbers = hide_cells(network, draw(network, rows, seed), random, share)
    return Batch(rows, codes, numbers, random.integers(1, 4, rows) / 2)


def found_in(batch: Batch, row: int) -> dict[str, float]:
    columns = {**batch.codes, **batch.numbers}
    return {str(n): float(columns[n][row]) for n in columns if not batch.missing(n)[row]}


def test_rows_with_gaps_are_answered_as_one_by_one(shop: FrozenNetwork) -> None:
    batch = rows_with_gaps(shop, 40, 0.3, 1)
    answers = rows_posteriors(shop, ["Wetter"], batch.codes, batch.numbers, batch.rows)
    logs = log_probability(shop, batch.codes, batch.numbers, batch.rows)
    for row in range(batch.rows):
        found = found_in(batch, row)
        assert logs[row] == pytest.approx(np.log(joint(found).sum()), rel=1e-12)
        found.pop("Wetter", None)
        table = joint(found)
        np.testing.assert_allclose(answers.tables["Wetter"][row], table.sum(axis=1) / table.sum(), rtol=1e-11)


@pytest.mark.parametrize("way", ["written out", "by patterns"])
def test_the_e_step_weighs_the_rows_of_the_leaf_by_the_posterior_of_its_parents(
    shop: FrozenNetwork, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = rows_with_gaps(shop, 30, 0.3, 2)
    if way == "by patterns":
        monkeypatch.setattr(e_step._Step, "wide", lambda self, rows, counts: np.ones(len(rows), bool))
    n, total, log_likelihood = np.zeros((2, 3)), np.zeros((2, 3)), 0.0
    counted = np.zeros(2)
    for row in range(batch.rows):
        found, weight = found_in(batch, row), float(batch.weights[row])
        table = joint(found)
        log_likelihood += weight * np.log(table.sum())
        counted += weight * table.sum(axis=1) / table.sum()
        if "Kunden" in found:
            n += weight * table / table.sum()
            total += weight * found["Kunden"] * table / table.sum()
    expected = expected_moments(shop, batch)
    assert expected.log_likelihood == pytest.approx(log_likelihood, rel=1e-11)
    np.testing.assert_allclose(answered.tables(expected)["Wetter"], counted, rtol=1e-10)
    moments = expected.statistics[Moments(("Kunden",), ("Wetter", "day"))]
    np.testing.assert_allclose(moments.n, n, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(moments.mean[..., 0] * moments.n, total, rtol=1e-10, atol=1e-12)


def test_the_e_steps_of_parts_add_up_also_where_a_part_has_no_value_of_the_leaf(shop: FrozenNetwork) -> None:
    batch = rows_with_gaps(shop, 20, 0.2, 3)
    lacking = replace(batch, numbers={**batch.numbers, "Kunden": np.full(20, np.nan)})
    both = expected_moments(shop, batch) + expected_moments(shop, lacking)
    whole = expected_moments(shop, batch + lacking)
    assert both.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12)
    request = Moments(("Kunden",), ("Wetter", "day"))
    np.testing.assert_allclose(both.statistics[request].n, whole.statistics[request].n, rtol=1e-12)
    empty = expected_moments(shop, batch.taken(np.zeros(0, dtype=np.int64)))
    assert empty.statistics[request].total == 0


def test_draws_follow_the_density(shop: FrozenNetwork) -> None:
    drawn = draw(shop, 20_000, 7)
    for w, d in product(range(2), range(3)):
        values = drawn["Kunden"][(drawn["Wetter"] == w) & (drawn["day"] == d)]
        assert values.mean() == pytest.approx(1 / CHANCES[w, d] - 1, rel=0.15, abs=0.03)
