"""Weights of rows that nothing can be learned with are refused by name, from every source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData
from bayou.sources import open_source

ROWS = {"x": np.linspace(0, 1, 40).tolist(), "c": ["u", "v"] * 20}
LABELS = ["p", "q", "q", "q"] * 10
CLASSIFIERS = (bayou.NaiveBayes, bayou.TAN, bayou.AODE, bayou.GaussianBayes)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(
    ("weight", "fix"), [(1e290, "Divide"), (1e20, "Divide"), (1e-300, "Multiply"), (1e-150, "Multiply")]
)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_sums_of_weights_have_bounds(classifier: Any, weight: float, fix: str) -> None:
    weights = np.full(40, weight)
    with pytest.raises(BadData, match=rf"weights of the rows sum to .* {fix} them all"):
        classifier().fit(ROWS, LABELS, sample_weight=weights)
    with pytest.raises(BadData, match=rf"weights of the rows sum to .* {fix} them all"):
        classifier().fit(open_source({**ROWS, "y": LABELS}, weights=weights), "y")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("weight", [1e-90, 2.0**47])
def test_weights_within_the_bounds_are_learned_with(classifier: Any, weight: float) -> None:
    found = classifier().fit(ROWS, LABELS, sample_weight=np.full(40, weight)).predict_proba(ROWS)
    assert np.isfinite(found).all()


def test_negative_weights_are_named_with_their_row() -> None:
    with pytest.raises(BadData, match=r"row 3 \(counting from 0\) has the weight -1.0; .* Leave"):
        bayou.NaiveBayes().fit(ROWS, LABELS, sample_weight=[1.0, 1.0, 1.0, -1.0] * 10)


@pytest.mark.parametrize("zero", [0, 0.0])
def test_weights_that_are_all_0_are_told_what_to_do(zero: Any) -> None:
    with pytest.raises(BadData, match=r"All sample weights are 0.* Give a weight above 0"):
        bayou.NaiveBayes().fit(ROWS, LABELS, sample_weight=[zero] * 40)
    with pytest.raises(BadData, match=r"All sample weights are 0.* Give a weight above 0"):
        bayou.NaiveBayes().fit(open_source({**ROWS, "y": LABELS}, weights=[zero] * 40), "y")
