"""Independence tested on counts: against scipy, against simulation, and on data of known structure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import gammaln
from scipy.stats import chi2_contingency

import bayou
from bayou import examples
from bayou.learning.independence.counts_tests import counts_test
from bayou.learning.independence.markov_blanket import markov_blanket
from bayou.learning.scores.marginal_likelihood import log_marginal_likelihood
from bayou.sources import read_columns
from bayou.sources.table_source import TableSource

positive_tables = st.tuples(st.integers(2, 4), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(1, 60))
)


@given(positive_tables, st.sampled_from(["g", "chi2"]))
def test_one_table_as_scipy_tests_it(table: np.ndarray, method: str) -> None:
    wanted = chi2_contingency(
        table, correction=False, lambda_="log-likelihood" if method == "g" else "pearson"
    )
    found = counts_test(table, method)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-8, abs=1e-8)
    assert found.degrees == wanted.dof
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-6, abs=1e-9)


@given(st.lists(arrays(np.int64, (2, 3), elements=st.integers(1, 30)), min_size=1, max_size=4))
def test_given_a_third_variable_statistics_and_degrees_of_its_states_add(tables: list[np.ndarray]) -> None:
    together, apart = counts_test(np.array(tables)), [counts_test(table) for table in tables]
    assert together.statistic == pytest.approx(sum(one.statistic for one in apart), rel=1e-9, abs=1e-9)
    assert together.degrees == sum(one.degrees for one in apart)


def test_states_that_never_occur_take_no_degree_of_freedom() -> None:
    found = counts_test(np.array([[5, 0, 3], [0, 0, 0], [2, 0, 9]]))
    assert found.degrees == 1
    assert found.statistic == pytest.approx(counts_test(np.array([[5, 3], [2, 9]])).statistic)
    assert counts_test(np.array([[7, 0], [0, 0]])).p_value == 1


def test_chance_alone_is_refuted_about_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(7)
    tables = rng.multinomial(400, np.outer([0.3, 0.7], [0.2, 0.3, 0.5]).ravel(), size=2000).reshape(-1, 2, 3)
    for method in ("g", "chi2"):
        refuted = np.mean([counts_test(table, method).p_value <= 0.05 for table in tables])
        assert 0.035 < refuted < 0.065


def test_thunder_tells_of_rain_until_the_lightning_is_known() -> None:
    rows = examples.thunder_and_rain().sample(4000, seed=3).to_dicts()
    assert not bayou.independence_test(rows, "Thunder", "Rain")
    verdict = bayou.independence_test(rows, "Thunder", ["Rain"], given="Lightning", method="chi2")
    assert verdict
    assert verdict.reliable
    assert str(verdict).startswith("Thunder ⟂ Rain | Lightning is not refuted at level 0.05: χ² = ")


def test_several_names_on_a_side_are_one_variable() -> None:
    rows = {"größe 1": [0, 0, 1, 1] * 10, "b": [0, 1, 0, 1] * 10, 3: [0, 1, 1, 0] * 10}
    assert bayou.independence_test(rows, "größe 1", 3)
    assert not bayou.independence_test(rows, ["größe 1", "b"], 3)
    assert bayou.independence_test(rows, ["größe 1", "b"], 3).information == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"left": "a", "right": "a"}, "in two of left, right and given"),
        ({"left": [], "right": "a"}, "one of them is empty"),
        ({"left": "a", "right": "x"}, "real numbers"),
        ({"left": "a", "right": "b", "method": "z"}, "method='z'"),
        ({"left": "a", "right": "b", "level": 2}, "level=2"),
    ],
)
def test_a_question_that_can_not_be_tested_is_refused(question: dict[str, object], told: str) -> None:
    rows = {"a": [0, 1], "b": [1, 0], "x": [0.5, 1.25]}
    with pytest.raises(bayou.BayouError, match=told):
        bayou.independence_test(rows, **question)  # type: ignore[arg-type]


@given(arrays(np.int64, (3, 4), elements=st.integers(0, 6)), st.floats(0.1, 5))
def test_the_marginal_likelihood_is_every_record_predicted_from_those_before(
    table: np.ndarray, strength: float
) -> None:
    seen, total = np.full(table.shape, strength), 0.0
    for row, column in zip(*np.nonzero(table), strict=True):
        for _ in range(table[row, column]):
            total += np.log(seen[row, column] / seen[row].sum())
            seen[row, column] += 1
    assert log_marginal_likelihood(table, np.full(4, strength)) == pytest.approx(total, rel=1e-9, abs=1e-9)


def test_the_marginal_likelihood_of_a_uniform_prior_is_a_beta_integral() -> None:
    # ∫ θ³ (1−θ)² dθ = 3! 2! / 6!
    assert log_marginal_likelihood(np.array([3, 2]), np.ones(2)) == pytest.approx(np.log(12) - gammaln(7))


def test_a_marginal_likelihood_needs_a_prior_with_mass_where_the_data_are() -> None:
    with pytest.raises(bayou.BayouError, match="some mass"):
        log_marginal_likelihood(np.array([3, 2]), np.zeros(2))


@pytest.mark.parametrize("seed", range(4))
def test_the_blanket_of_a_network_is_found_on_its_own_rows(seed: int) -> None:
    net = bayou.Network(
        "up -> target -> down <- other; up -> far; down -> further",
        tables={
            "up": {0: 0.5, 1: 0.5},
            "target": {0: {0: 0.85, 1: 0.15}, 1: {0: 0.2, 1: 0.8}},
            "other": {0: 0.5, 1: 0.5},
            "down": {(0, 0): [0.9, 0.1], (0, 1): [0.6, 0.4], (1, 0): [0.4, 0.6], (1, 1): [0.05, 0.95]},
            "far": {0: [0.9, 0.1], 1: [0.1, 0.9]},
            "further": {0: [0.9, 0.1], 1: [0.1, 0.9]},
        },
        states={"down": [0, 1], "far": [0, 1], "further": [0, 1]},
    )
    source = TableSource(read_columns(net.sample(6000, seed=seed).to_dicts()))
    names = [name for name in net.names if name != "target"]
    found = markov_blanket("target", names, source, level=1e-4)
    assert set(found.names) == set(net.markov_blanket("target"))
