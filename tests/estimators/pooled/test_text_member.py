"""Words as members of the ensemble: left out exactly, of texts beside other columns, explained, saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou import BayesEnsemble, NaiveBayes, TextNaiveBayes
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled import column_words
from bayou.estimators.pooled.column_words import TERMS, ColumnWords
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.members.text_member import TextMember, grown_text
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.sources import read_columns

VOCABULARY = np.array([f"word{k}" for k in range(300)])


def reviews(n: int, seed: int) -> tuple[pandas.DataFrame, np.ndarray]:
    """Texts and a price, each of which tells something about an unequal class; some texts are missing."""
    random = np.random.default_rng(seed)
    good = random.random(n) < 0.25
    common = 1 / np.arange(1.0, 301)
    liked = common * np.exp(0.6 * np.random.default_rng(0).normal(size=300))
    shares = [common / common.sum(), liked / liked.sum()]
    texts: list[Any] = [
        " ".join(VOCABULARY[random.choice(300, 6 + random.poisson(9), p=shares[int(k)])]) for k in good
    ]
    for row in np.flatnonzero(random.random(n) < 0.1).tolist():
        texts[row] = None
    frame = pandas.DataFrame({"text": texts, "price": random.normal(size=n) + good})
    return frame, np.where(good, "good", "plain")


def loss(model: Any, rows: Any, y: np.ndarray) -> float:
    chances = model.predict_proba(rows)
    own = np.searchsorted(model.classes_, y)
    return float(-np.log(chances[np.arange(len(y)), own]).mean())


def training(texts: list[str | None], own: list[int], weights: list[float] | None = None) -> TrainingRows:
    columns = read_columns({"text": texts})
    heavy = np.ones(len(own)) if weights is None else np.array(weights)
    hashes = np.random.default_rng(0).integers(0, 2**63, len(own)).astype(np.uint64)
    return TrainingRows(columns, np.array(own, dtype=np.uint32), heavy, hashes, 3)


TEXTS: list[str | None] = [
    "buy now now now cheap",
    "see you at lunch",
    "buy lunch now",
    None,
    "cheap cheap pills",
    "you see pills now",
    "unique at lunch",
    "!",
]
OWN = [0, 1, 2, 0, 0, 1, 2, 1]


@pytest.mark.parametrize("weights", [None, [3.0, 1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 4.0]])
def test_a_text_is_left_out_as_if_it_had_never_been_counted(weights: list[float] | None) -> None:
    rows = training(TEXTS, OWN, weights)
    every = ColumnWords.of(rows, "text")
    found = every.left_out(rows, np.arange(len(OWN)))
    for row in range(len(OWN)):
        heavy = rows.weights.copy()
        heavy[row] -= rows.parts[row]
        stay = np.flatnonzero(heavy > 0)
        without = training([TEXTS[k] for k in stay], [OWN[k] for k in stay], heavy[stay].tolist())
        refitted = ColumnWords.of(without, "text")
        alone = FeatureTable(read_columns({"text": [TEXTS[row], "no words"]}))
        for place, term in enumerate(TERMS):
            unit = np.eye(len(TERMS))[place]
            scale = refitted.length / every.length if term.as_often else 1.0
            expected = refitted.weighed(unit).read(alone)[0][0] * scale
            np.testing.assert_allclose(found[row, :, place], expected, atol=1e-12, err_msg=f"{row} {term}")


@pytest.mark.parametrize("cells", [1, 14, 1 << 20])
def test_blocks_of_texts_change_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = training(TEXTS, OWN)
    every = ColumnWords.of(rows, "text")
    one_by_one = [every.left_out(rows, np.array([row]))[0] for row in range(len(OWN))]
    monkeypatch.setattr(column_words, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(every.left_out(rows, np.arange(len(OWN))), one_by_one)


def test_scores_of_a_term_by_hand() -> None:
    rows = training(["a a b", "b c", "c c"], [0, 1, 2])
    one = ColumnWords.of(rows, "text").weighed(np.array([1.0, 0, 0, 0, 0]))
    shares = (np.array([2.0, 2.0]) + 0.5) / (7 + 1.5)  # of a and b, of 7 occurrences
    totals = np.array([3.0, 2.0, 2.0])
    of_a = np.log((np.array([2.0, 0, 0]) + 10) / (totals * shares[0] + 10))
    of_b = np.log((np.array([1.0, 1, 0]) + 10) / (totals * shares[1] + 10))
    found, _ = one.read(FeatureTable(read_columns({"text": ["a b a unheard", None]})))
    np.testing.assert_allclose(found[0], (2 * of_a + of_b) / np.sqrt(7 / 3), rtol=1e-12)
    assert found[1].tolist() == [0, 0, 0]


def test_words_beside_numbers_are_better_than_either_and_than_naive_bayes() -> None:
    (rows, y), (new, truth) = reviews(600, 1), reviews(2000, 2)
    both = loss(BayesEnsemble("small").fit(rows, y), new, truth)
    for alone in ("text", "price"):
        assert both < loss(BayesEnsemble("small").fit(rows[[alone]], y), new[[alone]], truth) - 0.02
    assert both < loss(NaiveBayes().fit(rows, y), new, truth) - 0.005


def test_texts_alone() -> None:
    (rows, y), (new, truth) = reviews(600, 1), reviews(2000, 2)
    model = BayesEnsemble().fit(rows[["text"]], y)
    assert loss(model, new[["text"]], truth) < loss(TextNaiveBayes().fit(rows.text, y), new.text, truth)
    assert "words" in str(model.summary())
    unheard = model.predict_proba({"text": ["qqq", None]})
    np.testing.assert_array_equal(unheard[0], unheard[1])
    assert unheard[0, 1] > unheard[0, 0]


def test_order_parts_batches_and_threads_change_nothing(tmp_path: Path) -> None:
    rows, y = reviews(300, 1)
    new, _ = reviews(50, 2)
    expected = BayesEnsemble("small").fit(rows, y).predict_proba(new)
    order = np.random.default_rng(0).permutation(300)
    shuffled = BayesEnsemble("small").fit(rows.iloc[order], y[order])
    np.testing.assert_array_equal(shuffled.predict_proba(new), expected)
    parts = BayesEnsemble("small").partial_fit(rows[:200], y[:200]).partial_fit(rows[200:], y[200:])
    np.testing.assert_array_equal(parts.predict_proba(new), expected)
    with bayou.threads(1):
        np.testing.assert_array_equal(BayesEnsemble("small").fit(rows, y).predict_proba(new), expected)
    rows.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    of_file = BayesEnsemble("small").fit(tmp_path / "rows.csv", "y")
    np.testing.assert_allclose(of_file.predict_proba(new), expected, rtol=1e-9)
    expected_model = BayesEnsemble("small").fit(rows, y)
    expected_model.save(tmp_path / "model.bayou")
    np.testing.assert_array_equal(bayou.load(tmp_path / "model.bayou").predict_proba(new), expected)


def test_weights_are_numbers_of_rows() -> None:
    rows, y = reviews(200, 1)
    new, _ = reviews(50, 2)
    weights = np.random.default_rng(5).integers(0, 4, 200)
    places = np.repeat(np.arange(200), weights)
    weighted = BayesEnsemble("small").fit(rows, y, sample_weight=weights)
    repeated = BayesEnsemble("small").fit(rows.iloc[places].reset_index(drop=True), y[places])
    np.testing.assert_allclose(weighted.predict_proba(new), repeated.predict_proba(new), rtol=1e-9)


@pytest.mark.parametrize("columns", [["text", "price"], ["text"]])
@pytest.mark.parametrize("n", [90, 300])
def test_a_ledger_adds_up(columns: list[str], n: int) -> None:
    rows, y = reviews(n, 1)
    new, _ = reviews(20, 2)
    model = BayesEnsemble("small").fit(rows[columns], y)
    for place in range(20):
        row = new.iloc[[place]][columns]
        ledger = model.explain(row, of="good", against="plain")
        logs = model.predict_log_proba(row)[0]
        parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
        assert abs(parts - (logs[0] - logs[1])) < 1e-9
        of_text = {entry.name: entry.log_odds for entry in ledger.entries}["text"]
        assert (of_text == 0) == (row.text.iloc[0] is None)


def test_its_state_is_plain_data_that_makes_the_same_member() -> None:
    rows = training(TEXTS * 8, OWN * 8)
    kept = np.arange(64)
    grown = grown_text(rows, ["text"], kept, Halves(kept % 2 == 1))
    assert grown is not None
    again = TextMember.from_state(grown[0].state(), rows.classes)
    table = FeatureTable(read_columns({"text": TEXTS}))
    for one, other in zip(grown[0].read(table), again.read(table), strict=True):
        np.testing.assert_array_equal(one, other)
    silent = training([None, "!", "?", "."] * 9, [0, 1, 2, 1] * 9)
    assert grown_text(silent, ["text"], kept[:36], Halves(kept[:36] > 9)) is None


def test_shuffled_classes_cost_nothing() -> None:
    (rows, y), (new, truth) = reviews(600, 1), reviews(2000, 2)
    shuffled = np.random.default_rng(0).permutation(y)
    share = np.mean(truth == "good")
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    assert loss(BayesEnsemble("small").fit(rows[["text"]], shuffled), new[["text"]], truth) < 1.01 * entropy
