"""What the lectures say of classifiers, proved on the classifiers themselves (the networks: see
``test_lecture_numbers.py``)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.model_selection import StratifiedKFold, cross_val_score
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou import examples

TENNIS_DAY = {"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]}
RAW = {"prior": 0, "evidence_weight": 1}


def exactly(value: str) -> Any:
    """A fraction, to the rounding of a few float operations."""
    return pytest.approx(float(Fraction(value)), rel=1e-12, abs=0)


CLASSIFIERS = [
    bayou.NaiveBayes(**RAW),
    bayou.NetworkClassifier(prior=0),
    bayou.GenerativeClassifier(prior=0),
    bayou.KDependence(0, prior=0),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_no_tennis_on_a_sunny_cool_humid_windy_day(model: Any) -> None:
    model.fit(examples.play_tennis(), "PlayTennis")
    joint = np.exp(model.predict_joint_log_proba(TENNIS_DAY)[0])
    assert model.classes_.tolist() == ["No", "Yes"]
    assert joint.tolist() == [exactly("18/875"), exactly("1/189")]
    assert joint.round(6).tolist() == [0.020571, 0.005291]
    assert model.predict_proba(TENNIS_DAY)[0, 0] == exactly("486/611")
    assert round(model.predict_proba(TENNIS_DAY)[0, 0], 4) == 0.7954
    assert model.predict(TENNIS_DAY).tolist() == ["No"]


@pytest.mark.parametrize(
    ("class_prior", "expected"), [(None, "1/3"), ("empirical", "1/3"), ("uniform", "1/6")]
)
@pytest.mark.parametrize("kind", [bayou.NaiveBayes, bayou.GenerativeClassifier])
def test_a_white_dog_is_friendly_by_map_and_by_ml(kind: Any, class_prior: Any, expected: str) -> None:
    settings = RAW if kind is bayou.NaiveBayes else {"prior": 0}
    model = kind(**settings, class_prior=class_prior).fit(examples.dogs(), "Temper")
    friendly = model.classes_.tolist().index("friendly")
    assert model.predict_proba({"Colour": ["white"]})[0, friendly] == exactly(expected)


def test_a_tall_blonde_is_from_greenland_by_two_to_one() -> None:
    model = bayou.NaiveBayes(**RAW).fit(examples.hair_height_country(), "Country")
    person = {"Hair": ["blonde"], "Height": ["tall"]}
    assert np.exp(model.predict_joint_log_proba(person)[0]).tolist() == [exactly("5/24"), exactly("5/48")]
    assert model.predict_proba(person)[0].tolist() == [exactly("2/3"), exactly("1/3")]


@pytest.mark.parametrize(
    ("class_prior", "expected"), [({"cancer": 0.008, "healthy": 0.992}, "49/235"), ("uniform", "98/101")]
)
def test_the_cancer_test_is_one_stated_model_a_class(class_prior: Any, expected: str) -> None:
    models = {
        "cancer": bayou.Network("test", tables={"test": {"+": 0.98, "-": 0.02}}),
        "healthy": bayou.Network("test", tables={"test": {"+": 0.03, "-": 0.97}}),
    }
    model = bayou.GenerativeClassifier(models, prefit=True, class_prior=class_prior)
    model.fit({"test": ["+", "-"]}, ["cancer", "healthy"])
    assert model.predict_proba({"test": ["+"]})[0, 0] == exactly(expected)


def test_laplace_smooths_the_class_and_its_features_alike() -> None:
    genre = pd.Series(["d", "d", "d", "c", "c"], name="G")
    ratings = pd.DataFrame({"R": pd.Categorical([4, 4, 5, 1, 5], categories=[1, 2, 3, 4, 5])})
    model = bayou.NetworkClassifier("G -> R", prior=1).fit(ratings, genre)
    table = model.network_.cpt("R")
    assert model.network_.cpt("G")["d"] == exactly("4/7")
    assert [table["c", k] for k in range(1, 6)] == [exactly(f"{n}/7") for n in (2, 1, 1, 1, 2)]
    naive = bayou.NaiveBayes("table", evidence_weight=1).fit(ratings, genre)
    joint = np.exp(naive.predict_joint_log_proba(ratings.iloc[[3]])[0])
    assert joint.tolist() == [exactly("6/49"), exactly("4/56")]  # 3/7 · 2/7 of a comedy, 4/7 · 1/8 of a drama


CAUSES = """
age, pregnancies -> bmi
age, bmi, pregnancies -> diabetes
diabetes -> insulin
insulin, diabetes -> glucose
"""


@needs_shared_data
def test_the_causal_graph_of_diabetes_beats_the_majority_on_women_with_gaps() -> None:
    table = pd.read_csv(SHARED / "tables" / "pima_missing.csv.gz")
    X, y = table.drop(columns="diabetes"), table["diabetes"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = bayou.NetworkClassifier(CAUSES.strip().replace("\n", "; "), target="diabetes")
    accuracy = cross_val_score(model, X, y, cv=folds)
    assert accuracy.mean() > y.value_counts(normalize=True).max() + 0.07
    # P(D | A, P, M, I, G) ∝ P(D | A, M, P) P(I | D) P(G | I, D): the denominator is given the causes.
    net = model.fit(X, y).network_
    row = {name: net.states(name)[-1] for name in ("age", "bmi", "pregnancies", "insulin", "glucose")}
    weights = [
        net.cpt("diabetes")[(*(row[p] for p in net.parents("diabetes")), d)]
        * net.cpt("insulin")[d, row["insulin"]]
        * net.cpt("glucose")[row["insulin"], d, row["glucose"]]
        for d in net.states("diabetes")
    ]
    wanted = weights[1] / sum(weights)
    assert net.query("diabetes", row)[net.states("diabetes")[1]] == pytest.approx(wanted)


@needs_shared_data
def test_the_lesson_on_diabetes_says_what_was_measured() -> None:
    """docs/learn/structure.md: the graph and naive Bayes with the same columns and cuts, on five folds."""
    columns = ["age", "pregnancies", "bmi", "insulin", "glucose", "diabetes"]
    table = pd.read_csv(SHARED / "tables" / "pima_missing.csv.gz")[columns]
    drawn = bayou.NetworkClassifier(CAUSES.strip().replace("\n", "; "), target="diabetes")
    result = bayou.evaluate([drawn, bayou.NetworkClassifier()], table, "diabetes", folds=5)
    told = [(round(each.accuracy, 3), round(each.log_loss, 3)) for each in result.models]
    assert told == [(0.751, 0.504), (0.757, 0.524)]


def skewed(rows: int, seed: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return pd.DataFrame({"x": rng.normal(y * 1.5, 1.0), "z": rng.normal(-y, 1.0)}), y


@pytest.mark.parametrize("model", [bayou.NetworkClassifier(), bayou.TAN(), bayou.AODE()], ids=str)
@pytest.mark.parametrize("transform", [np.exp, np.cbrt, np.arctan], ids=lambda f: f.__name__)
def test_cut_features_do_not_feel_monotone_transforms(model: Any, transform: Any) -> None:
    X, y = skewed(400)
    answers = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(transform(X), y).predict_proba(transform(X)), answers, rtol=1e-9)


def test_cut_features_do_not_feel_outliers() -> None:
    X, y = skewed(400)
    new, truth = skewed(2000, seed=2)
    wild = X.copy()
    wild.loc[wild["x"].nlargest(4).index, "x"] *= 1e6
    calm = bayou.NetworkClassifier().fit(X, y).score(new, truth)
    assert bayou.NetworkClassifier().fit(wild, y).score(new, truth) == calm


@pytest.mark.parametrize("model", [bayou.NaiveBayes(), bayou.NetworkClassifier()], ids=str)
def test_irrelevant_inputs_do_little_harm(model: Any) -> None:
    X, y = skewed(600)
    new, truth = skewed(3000, seed=2)
    without = model.fit(X, y).score(new, truth)
    rng = np.random.default_rng(3)
    for table in (X, new):
        for k in range(10):
            table[f"noise {k}"] = rng.normal(size=len(table))
            table[f"dice {k}"] = rng.integers(1, 7, len(table)).astype(str)
    assert model.fit(X, y).score(new, truth) > without - 0.025


def test_the_answer_is_right_though_the_posterior_is_not() -> None:
    X, y = skewed(1000)
    copies = pd.concat([X[["x"]].rename(columns={"x": f"copy {k}"}) for k in range(8)], axis=1)
    one = bayou.NaiveBayes("gaussian").fit(X[["x"]], y)
    many = bayou.NaiveBayes("gaussian", class_prior=one.predict_proba(X[["x"]]).mean(axis=0)).fit(copies, y)
    sure = many.predict_proba(copies).max(axis=1)
    assert np.mean(many.predict(copies) == one.predict(X[["x"]])) > 0.97
    assert np.mean(sure) > one.predict_proba(X[["x"]]).max(axis=1).mean() + 0.1
    assert np.mean(sure) > many.score(copies, y) + 0.1


@pytest.mark.parametrize(("share", "cut"), [(0.5, 1.0), (0.8, 1 - math.log(4) / 2)])
def test_two_gaussians_meet_where_the_closed_form_says(share: float, cut: float) -> None:
    models = {k: bayou.Network("x", continuous=["x"]).set_gaussian("x", (2.0 * k, 1.0)) for k in (0, 1)}
    model = bayou.GenerativeClassifier(models, prefit=True, class_prior=[1 - share, share])
    model.fit({"x": [0.0, 2.0]}, [0, 1])
    assert model.predict_proba({"x": [cut]})[0, 1] == pytest.approx(0.5)
    # The log-odds are a line: 2x − 2 + log(ω1/ω0).
    x = np.linspace(-3, 5, 9)
    logs = model.predict_log_proba({"x": x})
    np.testing.assert_allclose(logs[:, 1] - logs[:, 0], 2 * x - 2 + math.log(share / (1 - share)), atol=1e-9)
    # Its error is that of the Bayes decision rule.
    error = (1 - share) * norm.sf(cut) + share * norm.cdf(cut - 2)
    grid = np.linspace(-8, 10, 20001)
    density = np.exp(model.predict_joint_log_proba({"x": grid}))
    assert np.trapezoid(density.min(axis=1), grid) == pytest.approx(error, abs=1e-6)
