"""``fit`` chooses how to learn; gaps, hidden variables, checkpoints, files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import FactorAnalysis
from sklearn.mixture import GaussianMixture

import bayou
from bayou.errors import (
    BadData,
    BadPrior,
    BadQuestion,
    BadStatistics,
    BayouWarning,
    ImpossibleEvidence,
    NoConvergence,
    NotFitted,
    UnknownVariable,
)
from bayou.statistics import CountTable

COMPLETE = {"A": ["x", "x", "y", "y", "y"], "B": [0, 1, 1, 1, 0], "z": [1.5, 2.5, 3.0, 7.0, 5.5]}


GAPS = {
    "A": ["x", "x", "y", None, "y", "x", None, "y"] * 5,
    "B": [0, 1, 1, 1, None, 0, None, 1] * 5,
    "C": ["u", None, "v", "v", "u", None, "u", "v"] * 5,
}


def mixed(rows: int, seed: int) -> dict[str, list[Any]]:
    """A state, two numbers that depend on it and on each other, and gaps in all of them."""
    chance = np.random.default_rng(seed)
    kind = chance.integers(0, 2, rows)
    x = 4.0 * kind + chance.normal(size=rows)
    columns = {"K": ["pq"[k] for k in kind], "x": x, "y": 2 * x + chance.normal(size=rows)}
    return {n: [None if chance.random() < 0.2 else v for v in column] for n, column in columns.items()}


MIXED = mixed(80, seed=1)


@pytest.mark.parametrize("method", [None, "em", "gradient"])
def test_complete_data_are_counted_to_the_last_bit(method: str | None) -> None:
    counted = bayou.Network("A -> B; A -> z").fit(COMPLETE, method="count")
    net = bayou.Network("A -> B; A -> z").fit(COMPLETE, method=method)
    assert net.same_as(counted)
    assert net.learning.method == "count"
    assert str(net.learning) == "Counting: 5 rows."
    assert not net.learning.converged
    # A row without any value does not change that.
    longer = {"A": [*COMPLETE["A"], None], "B": [*COMPLETE["B"], None], "z": [*COMPLETE["z"], None]}
    assert bayou.Network("A -> B; A -> z").fit(longer, method=method).same_as(counted)


def test_gaps_are_learned_by_em_and_count_is_as_before() -> None:
    data = {"G": ["d", None, "c"], "R": [4, 4, None]}
    counted = bayou.Network("G -> R", states={"R": [4, 5]}).fit(data, method="count")
    assert counted.statistics[CountTable(("G", "R"))].values.tolist() == [[0], [1]]
    net = bayou.Network("G -> R", states={"R": [4, 5]}).fit(data)
    assert net.learning.method == "em"
    assert net.learning.converged
    # The row without R tells nothing about P(R | G).
    assert net.statistics[CountTable(("G", "R"))].values.sum() == pytest.approx(2)
    plain = bayou.Network("G -> R", states={"R": [4, 5]}).fit(data, method="plain-em")
    assert plain.statistics[CountTable(("G", "R"))].values.sum() == pytest.approx(3)
    np.testing.assert_allclose(net.frozen.table("R"), plain.frozen.table("R"), atol=1e-6)
    assert net.learning.summary.startswith("EM: converged after ")
    assert "3 rows, 2 gaps" in str(net.learning)


def test_gaps_that_depend_on_what_is_seen_bias_counting_and_not_em() -> None:
    tables = {"a": {0: 0.5, 1: 0.5}, "b": {0: {0: 0.9, 1: 0.1}, 1: {0: 0.3, 1: 0.7}}}
    truth = bayou.Network("a -> b", tables=tables)
    rows = truth.sample(20_000, seed=4).to_dicts()
    chance = np.random.default_rng(5)
    # a is missing more often where b is 1: missing at random, not completely at random.
    data = [{**row, "a": None if chance.random() < (0.8 if row["b"] else 0.1) else row["a"]} for row in rows]
    by_em, counted = (bayou.Network("a -> b").fit(data, method=method) for method in (None, "count"))
    assert by_em.cpt("a")[1] == pytest.approx(0.5, abs=0.02)
    assert counted.cpt("a")[1] < 0.4


def test_a_hidden_variable_needs_its_states() -> None:
    with pytest.raises(UnknownVariable, match=r"'H' in the data.*declare them \(states=…\)"):
        bayou.Network("H -> A, B").fit(COMPLETE)
    with pytest.raises(UnknownVariable, match="'H' in the data"):
        bayou.Network("H -> A, B", states={"H": [0, 1]}).fit(COMPLETE, method="count")
    with pytest.raises(BadData, match=r"'H' from: the data have no column for it.*two continuous children"):
        bayou.Network("H -> z", continuous=["H"]).fit(COMPLETE)
    with pytest.raises(BadData, match="no column for any of"):
        bayou.Network("H -> I", states={"H": [0, 1], "I": [0, 1]}).fit(COMPLETE)


def test_a_column_that_may_be_misspelt_is_pointed_out() -> None:
    net = bayou.Network("Storm -> B", states={"Storm": ["x", "y"]})
    with pytest.warns(BayouWarning, match="Learned as hidden: 'Storm'.*Did you mean 'storm'"):
        net.fit({"storm": COMPLETE["A"], "B": COMPLETE["B"]})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"A": [None, None], "B": [None, None]}, "every cell of every row is missing"),
        ({"A": ["x", None], "B": [0, 7]}, "'B' that are not among its declared states: 7"),
        ({"A": [], "B": []}, "no row to learn from"),
    ],
)
def test_data_that_say_nothing_or_the_wrong_thing(data: Any, told: str) -> None:
    with pytest.raises((BadData, BadStatistics), match=told):
        bayou.Network("A -> B", states={"A": ["x", "y"], "B": [0, 1]}).fit(data)


def test_columns_without_a_value() -> None:
    with pytest.raises(BadData, match="'B' has no value at all"):
        bayou.Network("A -> B").fit({"A": ["x", "y"], "B": [None, None]})
    with pytest.raises(BadData, match="no row to learn 'z' from: all its values are missing"):
        bayou.Network("A -> z", continuous=["z"]).fit({"A": ["x", None], "z": [None, None]})
    net = bayou.Network("A -> B", states={"B": [0, 1]}).fit({"A": ["x", "y"], "B": [None, None]})
    assert net.learning.hidden == ("B",)


def test_infinite_numbers_are_refused_by_name() -> None:
    data = {"z": [1.0, float("inf"), 2.0, None]}
    with pytest.raises(BadData, match="'z' is infinite in row 1 "):
        bayou.Network("H -> z", states={"H": [0, 1]}).fit(data)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"method": "magic"}, "method='magic' is unknown"),
        ({"start": "zero"}, "start='zero'"),
        ({"restarts": 0}, "restarts=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 2**64}, r"2\*\*64 - 1"),
        ({"tolerance": "small"}, "tolerance='small'"),
        ({"max_iterations": 1.5}, "max_iterations=1.5"),
        ({"method": "gradient", "checkpoint": "x.bayou"}, "checkpoint="),
    ],
)
def test_what_is_asked_is_checked(how: dict[str, Any], told: str) -> None:
    with pytest.raises(BadQuestion, match=told):
        bayou.Network("A -> B").fit(GAPS, **how)


@pytest.mark.parametrize("tolerance", [np.float32(1e-3), np.float64(1e-3), 0])
def test_tolerances_of_any_kind_of_number(tolerance: Any) -> None:
    assert bayou.Network("A -> B").fit(GAPS, tolerance=tolerance).learning.converged


def test_a_prior_without_effect_is_refused_with_gaps_too() -> None:
    with pytest.raises(BadPrior, match="'x' would have no effect"):
        bayou.Network("K -> x; K -> y").fit(MIXED, prior={"x": 1})


@pytest.mark.parametrize("more", [{}, {"z": [1.0, 2.0, 0.5, None]}])
def test_a_row_that_a_function_excludes_is_no_matter_of_priors(more: dict[str, Any]) -> None:
    arcs = "A -> C; A -> z" if more else "A -> C"
    net = bayou.Network(arcs, nodes={"C": bayou.Deterministic}, states={"A": [0, 1], "C": [0, 1]})
    with pytest.raises(ImpossibleEvidence, match=r"Row 3 .*C ?= ?1\. Correct the row, .*tables for .*'C'"):
        net.fit({"A": [0, 0, 1, None], "C": [0, 0, 0, 1], **more})


def test_starting_from_present_tables() -> None:
    with pytest.raises(NotFitted, match="no tables yet"):
        bayou.Network("A -> B", states={"A": ["x", "y"], "B": [0, 1]}).fit(GAPS, start="present")
    with pytest.raises(NotFitted, match="no tables yet"):
        bayou.Network("A -> B").fit(GAPS, start="present")
    tables = {"A": {"x": 1.0, "y": 0.0}, "B": {"x": {0: 0.5, 1: 0.5}, "y": {0: 0.5, 1: 0.5}}}
    net = bayou.Network("A -> B", tables=tables)
    with pytest.raises(ImpossibleEvidence, match="cannot occur"):
        net.fit(GAPS, start="present")
    narrow = bayou.Network("A -> B").fit({"A": ["x", "y"], "B": [0, 0]})
    with pytest.raises(BadData, match="states of 'B' that its present table does not have: 1"):
        narrow.fit(GAPS, start="present")


def test_learning_on_keeps_what_was_expected_of_earlier_rows() -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS, prior=0.5)
    before = net.statistics[CountTable(("A", "B"))].values
    more = {"A": ["x", None, "y"], "B": [1, 1, None], "C": ["u", "u", "v"]}
    net.partial_fit(more)
    assert net.statistics.rows == 43
    assert np.all(net.statistics[CountTable(("A", "B"))].values >= before)
    assert np.all(np.diff(net.learning.objectives) >= -1e-9)
    both = bayou.Network("A -> B -> C").fit({k: [*GAPS[k], *more[k]] for k in GAPS}, prior=0.5)
    for name in "ABC":
        np.testing.assert_allclose(net.frozen.table(name), both.frozen.table(name), atol=0.1)
    # Complete rows are added to the counts, and a new state is allowed.
    net.partial_fit({"A": ["w"], "B": [0], "C": ["u"]})
    assert net.states("A") == ("w", "x", "y")
    assert net.statistics.rows == 44
    net.partial_fit({"A": ["w", None], "B": [0, 2], "C": ["u", None]})
    assert net.states("B") == (0, 1, 2)


def test_learning_on_with_numbers() -> None:
    net = bayou.Network("K -> x, y; x -> y").fit(MIXED)
    net.partial_fit(mixed(20, seed=2))
    assert net.statistics.rows == pytest.approx(100, abs=2)
    assert np.all(np.diff(net.learning.objectives) >= -1e-9 * abs(net.learning.objective))


def test_what_was_learned_by_em_can_not_be_forgotten() -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS)
    with pytest.raises(BadStatistics, match=r"Cannot forget rows: .* from rows with gaps"):
        net.forget({"A": ["x"], "B": [0], "C": ["u"]})
    hidden = bayou.Network("H -> A, B", states={"H": [0, 1]}).fit(GAPS)
    with pytest.raises(BadStatistics, match="or hidden variables"):
        hidden.forget({"A": ["x"], "B": [0]})
    counted = bayou.Network("A -> B -> C").fit(GAPS, method="count")
    counted.forget({"A": ["x"], "B": [0], "C": ["u"]})
    assert counted.statistics.rows == 39


def test_noisy_nodes_that_saw_gaps_are_not_learned_on() -> None:
    data = {"a": [0, 1, None, 1, 0, 1], "b": [1, None, 0, 1, 0, 0], "c": [1, 1, None, 1, 0, 0]}
    net = bayou.Network("a, b -> c", nodes={"c": bayou.NoisyOr}).fit(data)
    with pytest.raises(BadData, match="noisy nodes that has learned from rows with gaps"):
        net.partial_fit({"a": [0], "b": [1], "c": [1]})
    with pytest.raises(BadQuestion, match="smooth"):
        net.log_probability({"a": [7], "b": [1], "c": [1]}, unknown="smooth")


@pytest.mark.parametrize("method", ["em", "gradient"])
def test_noisy_nodes_beside_numbers_are_learned_with_gaps(method: str) -> None:
    chance = np.random.default_rng(3)
    states = {"Flu": [0, 1], "Cold": [0, 1], "Fever": [0, 1]}
    truth = bayou.Network("Flu, Cold -> Fever", states=states, tables={"Flu": [0.6, 0.4], "Cold": [0.5, 0.5]})
    truth.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.1))
    drawn = truth.sample(2000, seed=1).to_dicts()
    rows = [{**row, "°C": 37 + row["Fever"] + 0.4 * chance.normal()} for row in drawn]
    data = [{k: None if chance.random() < 0.15 else v for k, v in row.items()} for row in rows]
    net = bayou.Network(
        {"Flu": [], "Cold": [], "Fever": ["Flu", "Cold"], "°C": ["Fever"]},
        states=states,
        nodes={"Fever": bayou.NoisyOr},
    )
    net.fit(data, method=method)
    assert net.learning.converged
    assert np.all(np.diff(net.learning.objectives) >= -1e-9 * abs(net.learning.objective))
    np.testing.assert_allclose(net.frozen.table("Fever"), truth.frozen.table("Fever"), atol=0.06)


def test_files_keep_the_expected_counts_and_say_so(tmp_path: Path) -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS)
    net.save(tmp_path / "with gaps.bayou")
    again = bayou.load(tmp_path / "with gaps.bayou")
    assert again.same_as(net)
    assert again.learning is None
    assert again.statistics.rows == 40
    with pytest.raises(BadStatistics, match="Cannot forget"):
        again.forget({"A": ["x"], "B": [0], "C": ["u"]})
    assert "expected" in str(again.query("A", {"C": "u"}, interval=0.9))
    assert "expected" not in str(bayou.Network("A -> B").fit(COMPLETE).query("A", interval=0.9))


def test_a_mixture_of_gaussians_is_as_likely_as_that_of_scikit_learn() -> None:
    chance = np.random.default_rng(1)
    kind = chance.integers(0, 3, 300)
    points = np.array([[0, 0], [4, 1], [1, 5]])[kind] + chance.normal(size=(300, 2)) * [1, 0.7]
    net = bayou.Network("Art -> x, y", states={"Art": ["a", "b", "c"]}, continuous=["x", "y"])
    net.fit({"x": points[:, 0], "y": points[:, 1]}, restarts=3, prior=0, tolerance=1e-9)
    peer = GaussianMixture(3, covariance_type="diag", n_init=3, random_state=0, reg_covar=0, tol=1e-9)
    best = peer.set_params(max_iter=2000).fit(points).score(points) * len(points)
    assert net.learning.log_likelihood == pytest.approx(best, abs=1e-3)
    means = sorted(zip(net.frozen.gaussian("x").intercept, net.frozen.gaussian("y").intercept, strict=True))
    np.testing.assert_allclose(means, [[0, 0], [1, 5], [4, 1]], atol=0.4)


@pytest.mark.parametrize("method", ["em", "gradient"])
@pytest.mark.parametrize("column", ["none", "all missing"])
def test_a_hidden_number_is_a_factor_as_likely_as_that_of_scikit_learn(method: str, column: str) -> None:
    chance = np.random.default_rng(3)
    slopes, noise = [1.0, -2.0, 0.5, 30.0], [1, 0.5, 2, 10]
    points = np.outer(chance.normal(size=400), slopes) + chance.normal(size=(400, 4)) * noise + [5, 0, 99, -3]
    names = ["a", "b", "Größe", "d e"]
    net = bayou.Network({"F": [], **{name: ["F"] for name in names}}, continuous=["F", *names])
    data: dict[str, Any] = {name: points[:, k] for k, name in enumerate(names)}
    if column != "none":
        data["F"] = np.full(400, np.nan)
    net.fit(data, method=method)
    best = FactorAnalysis(1, tol=1e-12, max_iter=100_000).fit(points).score(points) * len(points)
    assert net.learning.hidden == ("F",)
    assert net.learning.log_likelihood == pytest.approx(best, abs=1e-2)
    assert np.all(np.diff(net.learning.objectives) >= -1e-9 * abs(best))


def test_rows_without_a_label_help_naive_bayes() -> None:
    truth = bayou.Network("y -> a, b, c, d", states={"y": ["no", "yes"], **{n: [0, 1] for n in "abcd"}})
    truth.set_cpt("y", [0.5, 0.5])
    for name in "abcd":
        truth.set_cpt(name, [[0.8, 0.2], [0.25, 0.75]])
    rows = truth.sample(3000, seed=2).to_dicts()
    data = [row if k < 30 else {**row, "y": None} for k, row in enumerate(rows)]
    few = bayou.Network("y -> a, b, c, d").fit(data[:30])
    net = bayou.Network("y -> a, b, c, d").fit(data)

    def error(model: bayou.Network) -> float:
        return max(float(np.abs(model.frozen.table(n) - truth.frozen.table(n)).max()) for n in "abcd")

    assert error(net) < 0.06
    assert error(net) < error(few) / 2


def test_gaps_in_numbers_and_states_together() -> None:
    net = bayou.Network("K -> x, y; x -> y").fit(MIXED)
    assert net.learning.converged
    assert np.all(np.diff(net.learning.objectives) >= -1e-9 * abs(net.learning.objective))
    assert net.query("K", {"x": 5.0})["q"] > 0.9


def test_a_likelihood_without_end_is_said_to_be_one() -> None:
    data = {
        "K": ["p", None, "q", "q", "p", None, "q", "p"],
        "x": [1.0, 1.5, None, 4.5, 0.5, 4.0, 5.5, 1.2],
        "y": [2.0, 2.5, 9.0, None, 1.5, 8.0, 9.5, None],
    }
    with pytest.raises(NoConvergence, match=r"likelihood is unbounded.*'y' is determined by its parents"):
        bayou.Network("K -> x, y; x -> y").fit(data)


def test_a_class_that_shrinks_on_one_row_keeps_its_spread() -> None:
    net = bayou.Network("H -> z", states={"H": [0, 1]}, continuous=["z"])
    with pytest.warns(BayouWarning, match="1 of 2 parent combinations of 'z' have too few rows"):
        net.fit({"z": [1.0, 1.1, 0.9, 50.0]})
    assert net.learning.converged


def test_the_trace_is_drawn() -> None:
    net = bayou.Network("A -> B -> C").fit(GAPS)
    ax = net.learning.plot()
    assert [line.get_label() for line in ax.lines] == ["log-likelihood", "with the prior"]
    assert list(ax.lines[1].get_ydata()) == list(net.learning.objectives)
    with pytest.raises(BadQuestion, match="no curve"):
        bayou.Network("A").fit(COMPLETE).learning.plot()
