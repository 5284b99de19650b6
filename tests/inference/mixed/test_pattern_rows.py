"""Batches with findings about real variables equal the questions one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.hidden_cells import GONE, hide_cells
from tests.inference.mixed.mixed_networks import combinations, mixed_networks, weights_of
from tests.laws.strategies import law, seeds

import bayou
from bayou.errors import ImpossibleEvidence
from bayou.inference import Question, ask, log_probability
from bayou.inference.mixed import pattern_rows
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.inference.sampling.forward_sampling import draw
from bayou.networks import FrozenNetwork

ROWS = 12


def rows_with_gaps(
    network: FrozenNetwork, random: np.random.Generator, share: float
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    return hide_cells(network, draw(network, ROWS, int(random.integers(1000))), random, share)


def question_of_row(codes: dict[Any, Any], numbers: dict[Any, Any], row: int, target: Any) -> Question:
    found: dict[Any, Any] = {n: int(c[row]) for n, c in codes.items() if c[row] != GONE and n != target}
    found |= {name: float(column[row]) for name, column in numbers.items() if not np.isnan(column[row])}
    return Question(() if target is None else (target,), found)


@pytest.mark.parametrize("wide", [0, 2**20])
@given(network=mixed_networks(), random=seeds(), share=st.sampled_from([0.2, 0.6]))
@law
def test_every_row_is_answered_as_if_alone(
    wide: int, network: FrozenNetwork, random: np.random.Generator, share: float
) -> None:
    """Both ways of running the discrete part: a plan for each row, and elimination of all rows at once."""
    codes, numbers = rows_with_gaps(network, random, share)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_rows, "_WIDE_TABLE", wide)
        patch.setattr(pattern_rows, "_BLOCK_ENTRIES", 64)
        answers = rows_posteriors(network, list(codes), codes, numbers, ROWS)
        logs = log_probability(network, codes, numbers, ROWS)
    for row in range(ROWS):
        whole = question_of_row(codes, numbers, row, None)
        np.testing.assert_allclose(
            logs[row], weights_of(combinations(network, whole))[1], rtol=1e-9, atol=1e-9
        )
        for target in codes:
            try:
                alone = ask(network, question_of_row(codes, numbers, row, target)).table
            except ImpossibleEvidence:
                assert np.isnan(answers.tables[target][row]).all()
                continue
            np.testing.assert_allclose(answers.tables[target][row], alone, rtol=1e-9, atol=1e-12)


def readings() -> bayou.Network:
    net = bayou.Network(
        "Art -> Länge; Art -> Gewicht; Länge -> Gewicht; Art -> Farbe",
        states={"Art": ["Barsch", 7, "日本"], "Farbe": ["hell", "dunkel"]},
        continuous=["Länge", "Gewicht"],
    )
    net.set_cpt("Art", [0.5, 0.3, 0.2]).set_cpt("Farbe", [[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]])
    net.set_gaussian("Länge", {"Barsch": (20, 4), 7: (30, 9), "日本": (25, 1)})
    slopes = {"Länge": 2.0}
    net.set_gaussian(
        "Gewicht",
        {
            kind: {"mean": m, "variance": 16, "coefficients": slopes}
            for kind, m in zip(["Barsch", 7, "日本"], [0, 5, -9], strict=True)
        },
    )
    return net


def test_a_table_with_numbers_gaps_and_impossible_rows() -> None:
    net = readings()
    table = {
        "Länge": [20.0, None, 31.0, None, 1e200],
        "Gewicht": [None, 55.0, 70.0, None, 3.0],
        "Farbe": ["hell", None, "dunkel", None, "hell"],
    }
    answers = net.posterior(table, "Art")
    for row in range(4):
        found = {name: column[row] for name, column in table.items() if column[row] is not None}
        np.testing.assert_allclose(answers["Art"][row], net.query("Art", found).to_array(), rtol=1e-12)
    assert np.isnan(answers["Art"][4]).all()
    assert answers.states("Art").tolist() == ["Barsch", 7, 7, "Barsch", None]
    assert answers.log_evidence[4] == -np.inf
    assert answers.log_evidence[0] == pytest.approx(net.log_evidence({"Länge": 20.0, "Farbe": "hell"}))


def test_rows_whose_numbers_contradict_each_other_by_thousands_of_logs() -> None:
    net = (
        bayou.Network("s -> x; s, t -> y", states={"s": [0, 1], "t": [0, 1]}, continuous=["x", "y"])
        .set_cpt("s", [0.5, 0.5])
        .set_cpt("t", [0.5, 0.5])
    )
    net.set_gaussian("x", {0: (0, 1), 1: (100, 1)})
    net.set_gaussian("y", {(s, t): (100 - 100 * s, 1 + t) for s in (0, 1) for t in (0, 1)})
    table = {"x": [0.0, 100.0, 0.0, 50.0], "y": [0.0, 100.0, 100.0, 51.0]}
    answers = net.posterior(table, ["s", "t"])
    for row in range(4):
        found = {name: column[row] for name, column in table.items()}
        for target in ("s", "t"):
            single = net.query(target, found)
            np.testing.assert_allclose(answers[target][row], single.to_array(), rtol=1e-12)
            assert answers.log_evidence[row] == pytest.approx(single.log_evidence, rel=1e-12)
    assert np.isfinite(answers.log_evidence).all()
