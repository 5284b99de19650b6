"""Presence ("bernoulli") of columns of truth values: the same model as of the numbers 0 and 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import polars
import pytest

import bayou
from bayou.errors import BadData
from bayou.features import BernoulliFeature

RANDOM = np.random.default_rng(0)
TRUTHS = RANDOM.random((60, 3)) < [0.5, 0.2, 0.9]
CLASSES = np.where(RANDOM.random(60) < 0.4 + 0.4 * TRUTHS[:, 0], "yes", "no")
NUMBERS = TRUTHS.astype(int)
COLUMNS = dict(zip("abc", TRUTHS.T, strict=True))


def expected() -> np.ndarray:
    """P(class | row) written out: shares of present cells, with one virtual row present and one absent."""
    names, codes = np.unique(CLASSES, return_inverse=True)
    joint = np.empty((len(TRUTHS), len(names)))
    for k in range(len(names)):
        own = TRUTHS[codes == k]
        present = (own.sum(axis=0) + 1) / (len(own) + 2)
        share = (len(own) + 1) / (len(TRUTHS) + len(names))
        joint[:, k] = share * np.where(TRUTHS, present, 1 - present).prod(axis=1)
    return joint / joint.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "rows",
    [TRUTHS, NUMBERS, COLUMNS, pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS)],
    ids=["array", "numbers", "dict", "pandas", "polars"],
)
def test_truth_values_are_present_or_absent(rows: object) -> None:
    model = bayou.NaiveBayes("bernoulli").fit(rows, CLASSES)
    assert model.predict_proba(rows) == pytest.approx(expected(), rel=1e-12)


def test_they_may_come_in_batches_and_with_gaps() -> None:
    table = pandas.DataFrame({**COLUMNS, "y": CLASSES})
    streamed = bayou.NaiveBayes("bernoulli").fit(bayou.from_batches(lambda: [table[:20], table[20:]]), "y")
    assert streamed.predict_proba(COLUMNS) == pytest.approx(expected(), rel=1e-12)
    gaps = [None, *TRUTHS[1:, 0].tolist()]
    with_gap = bayou.NaiveBayes("bernoulli").fit({"a": gaps}, CLASSES)
    by_numbers = bayou.NaiveBayes("bernoulli").fit(
        {"a": [None, *TRUTHS[1:, 0].astype(float).tolist()]}, CLASSES
    )
    found = with_gap.predict_proba({"a": [True, False]})
    assert found == pytest.approx(by_numbers.predict_proba({"a": [1.0, 0.0]}), rel=1e-12)


def test_what_no_training_row_has_is_smoothed() -> None:
    """3 rows of "no" and 1 of "yes" are present: P(absent | no) = 1/5, P(absent | yes) = 1/3."""
    model = bayou.NaiveBayes("bernoulli", class_prior="uniform").fit(
        {"a": [True] * 4}, ["no", "no", "no", "yes"]
    )
    assert model.predict_proba({"a": [False]})[0] == pytest.approx(
        [0.2 / (0.2 + 1 / 3), 1 / 3 / (0.2 + 1 / 3)]
    )


def test_a_file_gives_the_same_model_back(tmp_path: Path) -> None:
    model = bayou.NaiveBayes("bernoulli").fit(TRUTHS, CLASSES)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.predict_proba(TRUTHS).tolist() == model.predict_proba(TRUTHS).tolist()


def test_a_threshold_that_no_truth_value_can_pass_needs_numbers() -> None:
    with pytest.raises(BadData, match="must hold numbers"):
        bayou.NaiveBayes(BernoulliFeature(threshold=2)).fit(TRUTHS, CLASSES)
