"""One generative model a class: equal to the same thing done by hand, whatever the models are."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import clone
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity

import bayou
from bayou import GenerativeClassifier, Network, examples

cells = st.sampled_from(["å b", "c", None])


@st.composite
def labelled_rows(draw: st.DrawFn) -> tuple[dict[Any, list[Any]], list[int]]:
    """Rows with gaps, every class and state at least once (in whichever class)."""
    more = draw(st.lists(st.tuples(cells, cells, st.integers(0, 2)), max_size=20))
    rows = [("å b", "c", 0), ("c", "å b", 1), ("å b", "å b", 2), *more]
    a, b, y = zip(*rows, strict=True)
    return {"größe 1": list(a), 2: list(b)}, list(y)


@settings(deadline=None, max_examples=40)
@given(labelled_rows(), st.sampled_from([0.5, 1.0, 3]))
def test_a_template_is_fitted_once_a_class_and_bayes_rule_does_the_rest(
    table: tuple[dict[Any, list[Any]], list[int]], strength: float
) -> None:
    rows, y = table
    model = GenerativeClassifier(Network([("größe 1", 2)]), prior=strength).fit(rows, y)
    joint = []
    for label in range(3):
        own = {
            name: [v for v, k in zip(column, y, strict=True) if k == label] for name, column in rows.items()
        }
        states = {name: ["c", "å b"] for name in rows}
        net = Network([("größe 1", 2)], states=states).fit(own, prior=strength, method="count")
        prior = (y.count(label) + strength) / (len(y) + 3 * strength)
        joint.append(np.log(prior) + np.asarray(net.log_probability(rows)))
        assert model.models_[label].cpt(2)["c", "å b"] == pytest.approx(net.cpt(2)["c", "å b"])
    weights = np.exp(np.array(joint).T)
    np.testing.assert_allclose(model.predict_proba(rows), weights / weights.sum(axis=1, keepdims=True))


@settings(deadline=None, max_examples=30)
@given(labelled_rows(), st.integers(1, 10))
def test_rows_in_two_parts_teach_the_same_as_all_at_once(
    table: tuple[dict[Any, list[Any]], list[int]], split: int
) -> None:
    rows, y = table
    cut = 3 + split
    first, second = ({n: c[part] for n, c in rows.items()} for part in (slice(cut), slice(cut, None)))
    whole = GenerativeClassifier(Network([(2, "größe 1")])).fit(rows, y)
    parts = GenerativeClassifier(Network([(2, "größe 1")])).fit(first, y[:cut])
    if y[cut:]:
        parts.partial_fit(second, y[cut:])
    np.testing.assert_array_equal(parts.predict_proba(rows), whole.predict_proba(rows))


def test_without_models_it_is_naive_bayes() -> None:
    table = examples.play_tennis()
    y = table.pop("PlayTennis")
    ours = GenerativeClassifier().fit(table, y)
    np.testing.assert_allclose(
        ours.predict_proba(table), bayou.NaiveBayes(evidence_weight=1).fit(table, y).predict_proba(table)
    )
    rng = np.random.default_rng(1)
    X, classes = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    X[classes == 1] += 1.0
    theirs = GaussianNB(var_smoothing=0).fit(X, classes).predict_proba(X)
    np.testing.assert_allclose(
        GenerativeClassifier(prior=0, var_smoothing=0).fit(X, classes).predict_proba(X), theirs, rtol=1e-9
    )


def test_a_state_that_only_one_class_has_is_a_state_of_all() -> None:
    model = GenerativeClassifier(prior=1).fit({"c": ["r", "r", "g", "g"]}, ["a", "a", "b", "b"])
    assert model.models_["a"].cpt("c")["g"] == 0.25
    assert model.predict_proba({"c": ["g"]})[0].tolist() == pytest.approx([0.25, 0.75])


def test_what_depends_on_each_other_within_a_class_tells_classes_apart() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=600)
    y = rng.integers(0, 2, 600)
    X = pd.DataFrame({"x": x, "z": np.where(y == 1, x, -x) + 0.3 * rng.normal(size=600)})
    assert GenerativeClassifier(Network("x -> z")).fit(X, y).score(X, y) > 0.85
    assert GenerativeClassifier().fit(X, y).score(X, y) < 0.65
    gappy = X.mask(rng.random(X.shape) < 0.3)
    assert GenerativeClassifier(Network("x -> z")).fit(gappy, y).score(gappy, y) > 0.65


def test_objects_that_fit_and_score_are_models_too_and_keep_their_templates_unfitted() -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(0, 1, (90, 2)), rng.normal(3, 1, (110, 2))])
    y = np.repeat(["a", "b"], [90, 110])
    template = KernelDensity(bandwidth=0.7)
    model = GenerativeClassifier(template, prior=0).fit(X, y)
    scores = [KernelDensity(bandwidth=0.7).fit(X[y == label]).score_samples(X) for label in ("a", "b")]
    joint = np.exp(np.array(scores).T) * [0.45, 0.55]
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True))
    assert not hasattr(template, "tree_")
    halves = GenerativeClassifier(template, prior=0).fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    np.testing.assert_allclose(halves.predict_proba(X), model.predict_proba(X))
    weighted = GenerativeClassifier(template).fit(X, y, sample_weight=np.arange(200) % 3)
    repeated = GenerativeClassifier(template).fit(
        np.repeat(X, np.arange(200) % 3, axis=0), np.repeat(y, np.arange(200) % 3)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    mixed = GenerativeClassifier({"a": template, "b": GaussianMixture(2, random_state=0)}).fit(X, y)
    assert mixed.score(X, y) > 0.95
    with pytest.raises(bayou.BayouError, match="takes no sample_weight"):
        GenerativeClassifier(GaussianMixture()).fit(X, y, sample_weight=np.ones(200))


class Chain:
    """A Markov chain of letters: a model of sequences of any length."""

    def fit(self, sequences: list[str]) -> Chain:
        counts = np.ones((2, 2))
        for sequence in sequences:
            for one, other in pairwise(sequence):
                counts["ab".index(one), "ab".index(other)] += 1
        self.logs = np.log(counts / counts.sum(axis=1, keepdims=True))
        return self

    def log_probability(self, sequences: list[str]) -> np.ndarray:
        return np.array(
            [sum(self.logs["ab".index(x), "ab".index(y)] for x, y in pairwise(s)) for s in sequences]
        )


def test_sequences_of_any_length_are_classified_by_models_that_take_them() -> None:
    rng = np.random.default_rng(4)
    sticky = ["".join("ab"[k % 2] for k in np.cumsum(rng.random(30 + i) < 0.1)) for i in range(20)]
    lively = ["".join("ab"[k % 2] for k in np.cumsum(rng.random(25 + i) < 0.7)) for i in range(20)]
    y = ["sticky"] * 20 + ["lively"] * 20
    model = GenerativeClassifier(Chain(), tabular=False, class_prior="uniform").fit(sticky + lively, y)
    assert model.predict(["aaaaaabbbbbbbb", "abab"]).tolist() == ["sticky", "lively"]
    assert model.score(sticky + lively, y) == 1
    zero = np.repeat([1, 0, 1], [20, 10, 10])
    kept = GenerativeClassifier(Chain(), tabular=False)
    with pytest.raises(bayou.BayouError, match="takes no sample_weight"):
        kept.fit(sticky + lively, y, sample_weight=zero)
    with pytest.raises(bayou.BayouError, match="list of objects"):
        model.predict("abab")


def test_fitted_models_are_used_as_they_are() -> None:
    fair = Network("die", tables={"die": dict.fromkeys(range(1, 7), 1 / 6)})
    biased = Network("die", tables={"die": {**dict.fromkeys(range(1, 6), 0.1), 6: 0.5}})
    model = GenerativeClassifier({"fair": fair, "biased": biased}, prefit=True, class_prior="uniform")
    model.fit({"die": [1, 6]}, ["fair", "fair"])
    assert model.predict_proba({"die": [6]})[0].tolist() == pytest.approx([0.75, 0.25])
    assert model.models_["fair"] is fair
    stated = GenerativeClassifier(
        {"fair": fair, "biased": biased}, prefit=True, class_prior={"fair": 0.9, "biased": 0.1}
    ).fit({"die": [1]}, ["fair"])
    assert stated.predict_proba({"die": [6, None]})[1].tolist() == pytest.approx([0.1, 0.9])
    other = Network("die", tables={"die": {1: 0.5, 2: 0.5}})
    with pytest.raises(bayou.BayouError, match="different states"):
        GenerativeClassifier({"fair": fair, "other": other}, prefit=True).fit({"die": [1]}, ["fair"])


def test_clones_and_pickles_answer_alike() -> None:
    rows, y = {"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]}, [0, 1, 1, 0]
    model = GenerativeClassifier(Network("a -> b")).fit(rows, y)
    for twin in (pickle.loads(pickle.dumps(model)), clone(model).fit(rows, y)):
        np.testing.assert_array_equal(twin.predict_proba(rows), model.predict_proba(rows))


@pytest.mark.parametrize(
    ("models", "settings", "told"),
    [
        ({"x": Network("a")}, {}, "no model for class 0"),
        (3, {}, "cannot give the log-density"),
        (Network("a -> unheard"), {}, "unheard"),
        ({0: Network("a"), 1: Network("a, b")}, {}, "different variables"),
        (Network("a"), {"prefit": True}, "mapping"),
        (Network("a"), {"unknown": "smooth"}, "unknown='smooth'"),
        (Network("a"), {"class_prior": [0.5, 0.6]}, "sum to 1"),
    ],
)
def test_models_that_can_not_work_are_refused(models: Any, settings: dict[str, Any], told: str) -> None:
    with pytest.raises(bayou.BayouError, match=told):
        GenerativeClassifier(models, **settings).fit({"a": [0, 1, 1], "b": [1, 1, 0]}, [0, 1, 1])


def test_a_declared_class_without_rows_has_no_model() -> None:
    with pytest.raises(bayou.BayouError, match="Class 2 has no row"):
        GenerativeClassifier().partial_fit({"a": [0, 1]}, [0, 1], classes=[0, 1, 2])


def test_a_class_that_comes_later_has_the_variables_of_the_first_ones() -> None:
    model = GenerativeClassifier().fit({"x": [0.5, 1.5, 2.0], "c": ["r", "g", "g"]}, ["a", "a", "b"])
    model.partial_fit({"x": [7, 8], "c": [None, None]}, ["new", "new"])
    assert model.classes_.tolist() == ["a", "b", "new"]
    assert model.models_["new"].variables["x"].is_continuous
    assert model.models_["new"].cpt("c")["r"] == 0.5
    assert model.predict({"x": [7.4], "c": ["g"]}).tolist() == ["new"]


def test_what_each_finding_changes_and_the_smallest_change_are_told() -> None:
    table = examples.play_tennis()
    day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    model = GenerativeClassifier(Network("Outlook -> Temperature; Humidity; Wind")).fit(table, "PlayTennis")
    ledger = str(model.explain(day))
    assert "Humidity=High" in ledger
    joint = model.predict_joint_log_proba({name: [value] for name, value in day.items()})[0]
    without = model.predict_joint_log_proba({n: [v if n != "Wind" else None] for n, v in day.items()})[0]
    change = (joint[0] - joint[1]) - (without[0] - without[1])
    assert f"{change:+.4f}" in ledger
    assert model.smallest_change(day) is not None


def _with_one_row(seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """Two classes of ten rows and one of a single row, far away."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.normal(size=(21, 2)), columns=["u", "v"])
    table["v"] += table["u"]
    table.iloc[20] = [4.0, 4.0]
    return table, [*["a"] * 10, *["b"] * 10, "c"]


@pytest.mark.parametrize("template", [None, bayou.Network("u -> v")])
def test_a_class_of_one_row_has_the_covariance_of_all(template: Any) -> None:
    X, y = _with_one_row()
    model = bayou.GenerativeClassifier(template).fit(X, y)
    assert model.predict({"u": [4.0], "v": [4.0]}).tolist() == ["c"]
    near, far = model.predict_proba({"u": [3.9, 0.0], "v": [4.3, 0.0]})[:, 2]
    assert 0.5 < near < 1
    assert 0 < far < 0.2
    # N(u; 4, variance of all rows), and the one row as the mean.
    log = bayou.GenerativeClassifier().fit(X[["u"]], y).predict_joint_log_proba({"u": [3.0]})[0, 2]
    share = (1 + 1) / (21 + 3)
    assert log == pytest.approx(np.log(share) + norm.logpdf(3.0, 4.0, X["u"].std(ddof=0)), abs=1e-6)


def test_a_class_without_a_value_of_a_number_has_that_of_all_rows() -> None:
    X, y = _with_one_row()
    X.loc[20, "v"] = np.nan
    model = bayou.GenerativeClassifier().fit(X, y)
    found = model.models_["c"].log_probability({"v": 0.5})
    mean, deviation = X["v"].mean(), X["v"].std(ddof=0)
    assert found == pytest.approx(norm.logpdf(0.5, mean, deviation), abs=1e-6)


def test_a_class_too_small_for_its_model_gets_that_of_all_rows() -> None:
    X, y = _with_one_row()
    mixture = GaussianMixture(1, random_state=0)
    with pytest.warns(bayou.BayouWarning, match="Class 'c' has 1 row, too few for its model"):
        model = bayou.GenerativeClassifier(mixture).fit(X.to_numpy(), y)
    every = GaussianMixture(1, random_state=0).fit(X.to_numpy())
    assert model.models_["c"].score_samples([[0.0, 0.0]]) == pytest.approx(every.score_samples([[0.0, 0.0]]))
    with pytest.raises(ValueError, match="minimum of 2"):  # nothing can stand in for the only class
        bayou.GenerativeClassifier(mixture).fit(X.to_numpy()[20:], ["c"])
