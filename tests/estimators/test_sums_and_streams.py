"""Classifiers of two sites add and subtract, learn from iterators, forget rows, and forget slowly."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bayou
from bayou.errors import BadData, BadQuestion, BadStatistics, BayouWarning

ROWS, HALF_LIFE = 600, 150


def table() -> pd.DataFrame:
    random = np.random.default_rng(7)
    ill = random.choice(["no", "some", "yes"], ROWS, p=[0.5, 0.1, 0.4])
    words = np.array(["good", "bad", "ugly", "fine", "mild"])
    return pd.DataFrame(
        {
            "smoke": random.choice(["never", "once", "daily"], ROWS),
            "visits": random.integers(0, 4, ROWS) + (ill == "yes"),
            "pulse": random.normal(70, 8, ROWS) + 5 * (ill == "yes"),
            "weight": random.normal(75, 9, ROWS).round(1),
            "note": [" ".join(random.choice(words, 4)) for _ in range(ROWS)],
            "ill": ill,
        }
    )


STATES, NUMBERS = ["smoke", "visits", "ill"], ["pulse", "weight", "ill"]
CASES: dict[str, tuple[Any, list[str]]] = {
    "naive Bayes": (bayou.NaiveBayes(), STATES[:2] + NUMBERS),
    "naive Bayes with words": (bayou.NaiveBayes(), [*STATES[:2], "note", "ill"]),
    "naive Bayes, kernel": (bayou.NaiveBayes("kernel"), NUMBERS),
    "naive Bayes, Gaussian": (bayou.NaiveBayes("gaussian"), NUMBERS),
    "TAN": (bayou.TAN(), STATES),
    "TAN, declared cuts": (
        bayou.TAN(states={"pulse": bayou.Cuts([60, 70]), "weight": bayou.Cuts([75])}),
        STATES[:2] + NUMBERS,
    ),
    "AODE": (bayou.AODE(), STATES),
    "Chow-Liu": (bayou.ChowLiuClassifier(), STATES),
    "network": (bayou.NetworkClassifier("ill -> smoke, visits; smoke -> visits"), STATES),
    "Gaussian": (bayou.GaussianBayes(), NUMBERS),
    "LDA": (bayou.GaussianBayes("shared"), NUMBERS),
    "QDA": (bayou.GaussianBayes("full"), NUMBERS),
    "QDA, Ledoit-Wolf": (bayou.GaussianBayes("full", shrinkage="ledoit-wolf"), NUMBERS),
    "diagonal": (bayou.GaussianBayes("diagonal"), NUMBERS),
    "generative": (bayou.GenerativeClassifier(), STATES[:2] + NUMBERS),
    "text": (bayou.TextNaiveBayes(), ["note", "ill"]),
}
EXACT = {"naive Bayes", "TAN", "TAN, declared cuts", "AODE", "Chow-Liu", "network", "text"}


def same(found: Any, expected: Any, rows: pd.DataFrame, name: str) -> None:
    assert found.classes_.tolist() == expected.classes_.tolist()
    ours, theirs = (model.predict_log_proba(rows.drop(columns="ill")) for model in (found, expected))
    if name in EXACT:
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_two_sites_add_and_subtract(name: str) -> None:
    model, columns = CASES[name]
    rows = table()[columns]
    north, south = clone(model).fit(rows[:250], "ill"), clone(model).fit(rows[250:], "ill")
    whole = clone(model).fit(rows, "ill")
    same(north + south, whole, rows, name)
    same(sum([north, south]), whole, rows, name)
    same(whole - south, north, rows, name)
    same(whole.copy().forget(rows[250:], "ill"), north, rows, name)


@pytest.mark.parametrize("name", CASES)
def test_an_iterator_of_batches_is_enough(name: str) -> None:
    model, columns = CASES[name]
    rows = table()[columns]
    batches = (rows[start : start + 70] for start in range(0, ROWS, 70))
    whole = clone(model).fit(rows, "ill")
    same(clone(model).fit(bayou.from_batches(batches), "ill"), whole, rows, name)
    again = bayou.from_batches(rows[start : start + 70] for start in range(0, ROWS, 70))
    expected = whole.predict_proba(rows.drop(columns="ill"))
    np.testing.assert_allclose(whole.predict_proba(again), expected, rtol=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_half_lives_are_the_weights_computed_by_hand(name: str) -> None:
    model, columns = CASES[name]
    rows = table()[columns]
    weights = np.array([0.5 ** ((ROWS - 1 - row) / HALF_LIFE) for row in range(ROWS)])
    expected = clone(model).fit(rows, "ill", sample_weight=weights).predict_proba(rows.drop(columns="ill"))
    found = clone(model)
    for start in range(0, ROWS, 130):
        found.partial_fit(rows[start : start + 130], "ill", half_life=HALF_LIFE)
    np.testing.assert_allclose(found.predict_proba(rows.drop(columns="ill")), expected, atol=1e-9)
    batches = bayou.from_batches(rows[start : start + 64] for start in range(0, ROWS, 64))
    streamed = clone(model).partial_fit(batches, "ill", half_life=HALF_LIFE)
    np.testing.assert_allclose(streamed.predict_proba(rows.drop(columns="ill")), expected, atol=1e-9)


def test_readers_are_data_for_classifiers() -> None:
    rows = table()[STATES]
    reader = pd.read_csv(io.StringIO(rows.to_csv(index=False)), chunksize=50)
    model = bayou.NaiveBayes().fit(reader, "ill")
    same(model, bayou.NaiveBayes().fit(rows, "ill"), rows, "naive Bayes")
    reader = pd.read_csv(io.StringIO(rows.to_csv(index=False)), chunksize=50)
    np.testing.assert_array_equal(model.predict(reader), model.predict(rows))


def test_new_states_and_classes_on_one_side() -> None:
    north = {"wind": ["weak", "strong", "weak"], "play": ["yes", "no", "yes"]}
    south = {"wind": ["storm", "weak"], "play": ["never", "no"]}
    both = {name: [*north[name], *south[name]] for name in north}
    for model in (bayou.NaiveBayes(), bayou.TAN(), bayou.GenerativeClassifier()):
        found = clone(model).fit(north, "play") + clone(model).fit(south, "play")
        expected = clone(model).fit(both, "play")
        assert found.classes_.tolist() == ["never", "no", "yes"]
        np.testing.assert_allclose(
            found.predict_proba({"wind": ["storm", "weak"]}),
            expected.predict_proba({"wind": ["storm", "weak"]}),
        )
        back = expected - clone(model).fit(south, "play")
        assert back.classes_.tolist() == ["no", "yes"]
        np.testing.assert_allclose(
            back.predict_proba({"wind": ["weak"]}),
            clone(model).fit(north, "play").predict_proba({"wind": ["weak"]}),
        )


def test_a_column_without_values_on_one_side() -> None:
    north = pd.DataFrame({"a": list("xyxyxy"), "b": [None] * 6, "ill": list("nynnyy")})
    south = pd.DataFrame({"a": list("yyxxyx"), "b": [1.5, 2.0, 0.5, 3.5, 2.5, 1.0], "ill": list("ynynny")})
    expected = bayou.NaiveBayes().fit(pd.concat([south, north]), "ill").predict_proba(south)
    one, other = bayou.NaiveBayes().fit(north, "ill"), bayou.NaiveBayes().fit(south, "ill")
    for found in (one + other, other + one):
        np.testing.assert_allclose(found.predict_proba(south), expected, rtol=1e-12)


def test_whole_numbers_on_one_side_only() -> None:
    one = pd.DataFrame({"x": np.arange(20) % 5, "ill": ["y", "n"] * 10})
    other = pd.DataFrame({"x": np.linspace(0.5, 4.25, 20), "ill": ["n", "y"] * 10})
    found = bayou.NaiveBayes().fit(one, "ill") + bayou.NaiveBayes().fit(other, "ill")
    expected = bayou.NaiveBayes().fit(pd.concat([other, one]), "ill")
    np.testing.assert_allclose(found.predict_proba(other), expected.predict_proba(other), rtol=1e-12)


def test_rows_without_a_class_in_batches() -> None:
    rows = table()[STATES].astype(object)
    rows.loc[100:180, "ill"] = None
    rows.loc[150, "smoke"] = "only here"
    with pytest.warns(BayouWarning, match=r"81 .*'ill'|'ill'.* 81"):
        found = bayou.NaiveBayes().fit(
            bayou.from_batches(rows[k : k + 40] for k in range(0, ROWS, 40)), "ill"
        )
    expected = bayou.NaiveBayes().fit(rows[rows["ill"].notna()], "ill")
    same(found, expected, table()[STATES], "naive Bayes")


def test_what_does_not_add_says_why() -> None:
    rows = table()
    cut = rows[["pulse", "smoke", "ill"]]
    one, other = bayou.TAN().fit(cut[:300], "ill"), bayou.TAN().fit(cut[300:], "ill")
    with pytest.raises(BadQuestion, match=r"different cuts of 'pulse'.*bayou\.Cuts"):
        one + other
    nb = bayou.NaiveBayes().fit(rows[STATES], "ill")
    with pytest.raises(BadQuestion, match="A NaiveBayes and a TAN"):
        nb + bayou.TAN().fit(rows[STATES], "ill")
    with pytest.raises(BadQuestion, match="different settings: 'prior'"):
        nb + bayou.NaiveBayes(prior=2).fit(rows[STATES], "ill")
    with pytest.raises(BadQuestion, match=r"different columns\. 'visits' are in one only"):
        nb + bayou.NaiveBayes().fit(rows[["smoke", "ill"]], "ill")
    with pytest.raises(BadQuestion, match="different order"):
        nb + bayou.NaiveBayes().fit(rows[["visits", "smoke", "ill"]], "ill")
    with pytest.raises(BadQuestion, match="predicts 'ill', the other 'smoke'"):
        nb + bayou.NaiveBayes().fit(rows[STATES], "smoke")
    with pytest.raises(TypeError):
        nb + 1
    with pytest.raises(BadStatistics, match="more than was counted"):
        bayou.NaiveBayes().fit(rows[STATES][:20], "ill").forget(rows[STATES][100:110], "ill")
    with pytest.raises(BadStatistics, match="Cannot forget every row"):
        nb - bayou.NaiveBayes().fit(rows[STATES], "ill")
    with pytest.raises(BadStatistics, match=r"more rows than were added|vary more"):
        bayou.GaussianBayes().fit(rows[NUMBERS][:20], "ill").forget(rows[NUMBERS][100:150], "ill")


def test_a_failed_forget_changes_nothing() -> None:
    rows = table()[STATES]
    model = bayou.NaiveBayes().fit(rows[:20], "ill")
    before = model.predict_proba(rows)
    with pytest.raises(BadStatistics):
        model.forget(rows[100:110], "ill")
    np.testing.assert_array_equal(model.predict_proba(rows), before)
    broken = iter([rows[:30], {"smoke": ["never"]}])
    with pytest.raises(KeyError):
        model.partial_fit(bayou.from_batches(broken), "ill")
    np.testing.assert_array_equal(model.predict_proba(rows), before)


def test_what_needs_several_passes_says_so() -> None:
    rows = table()
    numbers = rows[["pulse", "smoke", "ill"]]
    with pytest.raises(BadData, match=r"TAN learns the cuts of 'pulse'.*only once.*keep=True"):
        bayou.TAN().fit(bayou.from_batches(iter([numbers])), "ill")
    with pytest.raises(BadData, match=r"KDependence learns the parents of the features.*only once"):
        bayou.KDependence().fit(bayou.from_batches(iter([rows[STATES]])), "ill")
    for data in (
        bayou.from_batches(lambda: (numbers[k : k + 90] for k in range(0, ROWS, 90))),
        bayou.from_batches((numbers[k : k + 90] for k in range(0, ROWS, 90)), keep=True),
    ):
        same(bayou.TAN().fit(data, "ill"), bayou.TAN().fit(numbers, "ill"), numbers, "TAN")


def test_rows_with_gaps_are_not_removed_from_matrices() -> None:
    rows = table()[NUMBERS]
    rows.loc[5, "pulse"] = np.nan
    whole = bayou.GaussianBayes("full").fit(rows, "ill")
    with pytest.raises(BadStatistics, match="gaps cannot be removed from covariance"):
        whole.copy().forget(rows[:10], "ill")
    left = whole.copy().forget(rows[100:200], "ill")
    expected = bayou.GaussianBayes("full").fit(rows.drop(index=range(100, 200)), "ill")
    same(left, expected, rows, "QDA")
