"""The Bayes optimal classifier against plain enumeration of its hypotheses."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import bayou
from bayou import BayesOptimal, NaiveBayes, NetworkClassifier
from bayou.estimators.ensemble.stacking import stacked_weights

NOISE = Fraction(1, 10)
POINTS = list(product([0, 1], repeat=3))


class Conjunction:
    """A stated rule: every literal holds (1: the feature, 0: its negation, None: either), but for noise."""

    classes_ = np.array([0, 1])

    def __init__(self, literals: tuple[int | None, ...]) -> None:
        self.literals = literals

    def says(self, point: Any) -> int:
        return int(all(want is None or want == x for want, x in zip(self.literals, point, strict=True)))

    def predict_proba(self, X: Any) -> np.ndarray:
        yes = np.array([self.says(point) for point in np.asarray(X).tolist()])
        return np.where(yes[:, None] == self.classes_, 1 - float(NOISE), float(NOISE))


CONJUNCTIONS = [Conjunction(literals) for literals in product([0, 1, None], repeat=3)]


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from(POINTS), st.integers(0, 1)), min_size=1, max_size=12),
    st.lists(st.integers(1, 9), min_size=27, max_size=27),
)
def test_all_conjunctions_of_three_features_vote_as_enumeration_says(
    examples: list[tuple[tuple[int, ...], int]], odds: list[int]
) -> None:
    posterior = []
    for rule, odd in zip(CONJUNCTIONS, odds, strict=True):
        weight = Fraction(odd, sum(odds))
        for point, label in examples:
            weight *= 1 - NOISE if rule.says(point) == label else NOISE
        posterior.append(weight)
    total = sum(posterior)
    X, y = [point for point, _ in examples], [label for _, label in examples]
    model = BayesOptimal(CONJUNCTIONS, prefit=True, prior=[odd / sum(odds) for odd in odds]).fit(X, y)
    assert list(model.weights_.values()) == pytest.approx([float(w / total) for w in posterior])
    wanted = [
        sum(
            w * (1 - NOISE if rule.says(point) else NOISE)
            for rule, w in zip(CONJUNCTIONS, posterior, strict=True)
        )
        / total
        for point in POINTS
    ]
    assert model.predict_proba(POINTS)[:, 1] == pytest.approx([float(p) for p in wanted])


def test_the_most_probable_hypothesis_is_outvoted() -> None:
    votes = {"h1": "+", "h2": "-", "h3": "-"}
    vote = BayesOptimal.from_posteriors({"h1": 0.4, "h2": 0.3, "h3": 0.3}, votes)
    assert vote["-"] == pytest.approx(0.6)
    shades = BayesOptimal.from_posteriors({"h1": 0.4, "h2": 0.6}, {"h1": {"+": 0.9, "-": 0.1}, "h2": "-"})
    assert shades["+"] == pytest.approx(0.36)
    rule = bayou.bayes_rule({"h1": 0.5, "h2": 0.5}, {"h1": 0.2, "h2": 0.6})
    assert BayesOptimal.from_posteriors(rule, {"h1": 1, "h2": True})[True] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("votes", "told"), [({"h1": "+"}, "has no entry for"), ({"h1": "+", "h2": "-", "h9": "-"}, "h9")]
)
def test_votes_that_do_not_fit_are_refused(votes: dict[str, str], told: str) -> None:
    with pytest.raises(bayou.BayouError, match=told):
        BayesOptimal.from_posteriors({"h1": 0.4, "h2": 0.6}, votes)


def xor(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 2, rows), "b": rng.integers(0, 2, rows)})
    y = X["a"].to_numpy() ^ X["b"].to_numpy()
    return X, np.where(rng.random(rows) < 0.1, 1 - y, y)


def test_the_exact_marginal_likelihood_weighs_graphs_as_sums_of_gamma_functions_do() -> None:
    X, y = xor(30, seed=1)
    graphs = {
        "apart": NetworkClassifier("y -> a, b", target="y"),
        "chain": NetworkClassifier("y -> a -> b", target="y"),
        "naive": NaiveBayes("table", evidence_weight=1),
    }
    model = BayesOptimal(graphs).fit(X, y)
    assert model.evidence_ == "marginal"
    assert model.log_evidence_["apart"] == pytest.approx(model.log_evidence_["naive"])
    # Each record predicted from those before it, by the fitted network itself.
    total, net = 0.0, bayou.Network("y -> a -> b", states={"y": [0, 1], "a": [0, 1], "b": [0, 1]})
    records = X.assign(y=y).to_dict("records")
    for k, record in enumerate(records):
        total += net.fit(records[:k]).log_probability(record) if k else 3 * np.log(0.5)
    assert model.log_evidence_["chain"] == pytest.approx(total)


def test_more_data_find_the_graph_that_made_them_and_then_all_votes_are_its() -> None:
    graphs = {
        "apart": NetworkClassifier("y -> a, b", target="y"),
        "both": NetworkClassifier("a, b -> y", target="y"),
    }
    X, y = xor(400, seed=2)
    model = BayesOptimal(graphs).fit(X, y)
    assert (model.map_, model.ml_) == ("both", "both")
    assert model.weights_["both"] > 0.999
    assert model.score(X, y) > 0.85
    stubborn = BayesOptimal(graphs, prior={"apart": 1, "both": 0}, rule="map").fit(X, y)
    assert (stubborn.map_, stubborn.ml_) == ("apart", "both")
    assert stubborn.score(X, y) < 0.7
    open_minded = BayesOptimal(graphs, prior={"apart": 1, "both": 0}, rule="ml").fit(X, y)
    np.testing.assert_allclose(open_minded.predict_proba(X), model.hypotheses_["both"].predict_proba(X))


def test_any_classifiers_are_weighed_by_held_out_classes() -> None:
    X, y = xor(300, seed=3)
    hypotheses = [
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=3, min_samples_leaf=20),
        NaiveBayes(),
    ]
    model = BayesOptimal(hypotheses, evidence="cross-validation").fit(X, y)
    assert model.evidence_ == "cross-validation"
    assert model.map_ == "DecisionTreeClassifier"
    assert sum(model.weights_.values()) == pytest.approx(1)
    wanted = sum(w * model.hypotheses_[n].predict_proba(X) for n, w in model.weights_.items())
    np.testing.assert_allclose(model.predict_proba(X), wanted)


def test_stacked_weights_are_those_that_a_general_optimiser_finds() -> None:
    random = np.random.default_rng(0)
    logs, prior = np.log(random.dirichlet([0.5] * 3, 200) + 1e-3), np.array([0.2, 0.3, 0.5])

    def loss(free: np.ndarray) -> float:
        weights = softmax(np.append(free, 0.0))
        return float(-np.log(np.exp(logs) @ weights).sum() - prior @ np.log(weights))

    best = softmax(np.append(minimize(loss, np.zeros(2), tol=1e-12).x, 0.0))
    np.testing.assert_allclose(stacked_weights(logs, prior), best, atol=1e-5)
    ruled_out = np.vstack([logs, np.full((5, 3), -np.inf)])
    np.testing.assert_allclose(stacked_weights(ruled_out, prior), stacked_weights(logs, prior))


def test_hypotheses_that_are_right_about_different_rows_share_the_vote() -> None:
    random = np.random.default_rng(0)
    a, b, first = random.integers(0, 2, (3, 1500))
    y = np.where(random.random(1500) < 0.05, random.integers(0, 2, 1500), np.where(first, a, b))
    X = pd.DataFrame({"a": a, "b": b})
    one, other = (NetworkClassifier(f"y -> {name}", target="y") for name in "ab")
    model = BayesOptimal({"one": one, "other": other}).fit(X, y)
    assert model.evidence_ == "stacking"
    assert 0.3 < model.weights_["one"] < 0.7
    proud = BayesOptimal({"one": one, "other": other}, evidence="cross-validation").fit(X, y)
    assert max(proud.weights_.values()) > 0.99
    new = random.integers(0, 2, (3, 1500))
    truth = np.where(new[2], new[0], new[1])
    rows = pd.DataFrame({"a": new[0], "b": new[1]})
    losses = [-np.log(each.predict_proba(rows)[np.arange(1500), truth]).mean() for each in (model, proud)]
    assert losses[0] < losses[1] - 0.02


def test_graphs_on_different_columns_or_with_gaps_are_weighed_by_held_out_classes() -> None:
    X, y = xor(60, seed=4)
    graphs = [NetworkClassifier("y -> a", target="y"), NetworkClassifier("y -> a, b", target="y")]
    assert BayesOptimal(graphs).fit(X, y).evidence_ == "stacking"
    with pytest.raises(bayou.BayouError, match="different variables"):
        BayesOptimal(graphs, evidence="marginal").fit(X, y)
    gappy = {"a": [None, *X["a"].tolist()[1:]], "b": X["b"].tolist(), "y": y.tolist()}
    assert BayesOptimal(graphs[1:]).fit(gappy, "y").evidence_ == "stacking"
    with pytest.raises(bayou.BayouError, match="no exact marginal likelihood"):
        BayesOptimal([bayou.TAN()], evidence="marginal").fit(X, y)


def test_a_class_that_came_once_does_not_rule_every_hypothesis_out() -> None:
    X, y = xor(40, seed=5)
    y[0] = 7
    model = BayesOptimal().fit(X, y)
    assert model.classes_.tolist() == [0, 1, 7]
    assert model.predict_proba(X).shape == (40, 3)


@pytest.mark.parametrize(
    ("given_settings", "told"),
    [
        ({"rule": "loudest"}, "rule='loudest'"),
        ({"evidence": "rumour"}, "evidence='rumour'"),
        ({"cv": 1}, "cv=1"),
        ({"hypotheses": []}, "empty"),
        ({"prior": {"x": 1}}, "prior= names"),
        ({"prior": [1]}, "1 numbers; there are 2"),
    ],
)
def test_settings_that_mean_nothing_are_refused(given_settings: dict[str, Any], told: str) -> None:
    with pytest.raises(bayou.BayouError, match=told):
        BayesOptimal(**given_settings).fit([[0], [1], [0], [1]], [0, 1, 0, 1])


@pytest.mark.parametrize("evidence", ["cross-validation", "stacking"])
@pytest.mark.parametrize("labelled_by_name", [True, False])
def test_the_order_of_rows_does_not_matter(evidence: str, labelled_by_name: bool) -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.choice(["u", "v"], 60), "x": random.normal(size=60)})
    frame["b"] = np.where(random.random(60) < 0.8, frame["a"], "u")
    frame["y"] = np.where(random.random(60) < 0.7, frame["a"] == "u", frame["x"] > 0)
    first: Any = None
    for seed in range(4):
        rows = frame.iloc[np.random.default_rng(seed).permutation(60)] if seed else frame
        model = BayesOptimal({"naive": NaiveBayes(), "tree": bayou.TAN()}, evidence=evidence, cv=2)
        if labelled_by_name:
            model.fit(rows, "y")
        else:
            model.fit(rows[["a", "b", "x"]], rows["y"])
        found = model.predict_proba(frame[["a", "b", "x"]])
        first = found if first is None else first
        np.testing.assert_allclose(found, first, rtol=1e-6)
