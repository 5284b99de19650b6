"""Columns without a value in the first rows: later rows decide how they are read, as one fit would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bayou import BayesEnsemble
from bayou.errors import BadData, BadQuestion

random = np.random.default_rng(0)
X, HIDDEN = random.normal(size=300), random.normal(size=300)
CLASSES = np.where(X + HIDDEN > 0, "u", "v")
WORDS = np.array(["the first of many", "the second of them"], dtype=object)
VALUES: dict[str, Any] = {
    "numbers": HIDDEN.tolist(),
    "states": np.array(["low", "high"], dtype=object)[(HIDDEN > 0).astype(int)].tolist(),
    "texts": [f"{WORDS[int(value > 0)]} word{place}" for place, value in enumerate(HIDDEN)],
}
GAPS = {"none": [None] * 100, "nan": np.full(100, np.nan)}


def empty_and_full(kind: str, gap: str) -> tuple[Any, Any]:
    """100 rows without a value of q, and 200 rows with values."""
    return ({"x": X[:100], "q": GAPS[gap]}, CLASSES[:100]), (
        {"x": X[100:], "q": VALUES[kind][100:]},
        CLASSES[100:],
    )


def ensemble() -> BayesEnsemble:
    return BayesEnsemble("small")


WAYS: dict[str, Callable[[Any, Any], BayesEnsemble]] = {
    "the empty rows first": lambda empty, full: ensemble().partial_fit(*empty).partial_fit(*full),
    "the empty rows last": lambda empty, full: ensemble().partial_fit(*full).partial_fit(*empty),
    "a sum": lambda empty, full: ensemble().fit(*empty) + ensemble().fit(*full),
    "a sum in the other order": lambda empty, full: ensemble().fit(*full) + ensemble().fit(*empty),
    "forgotten": lambda empty, full: (
        ensemble().partial_fit(*empty).partial_fit(*full).partial_fit(*empty).forget(*empty)
    ),
    "subtracted": lambda empty, full: (
        ensemble().fit(*full) + ensemble().fit(*empty) + ensemble().fit(*empty) - ensemble().fit(*empty)
    ),
}


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("way", WAYS)
def test_the_result_is_that_of_one_fit(way: str, kind: str, gap: str) -> None:
    whole = {"x": X, "q": [None] * 100 + VALUES[kind][100:]}
    new = {"x": X[:50], "q": VALUES[kind][:50]}
    expected = ensemble().fit(whole, CLASSES).predict_proba(new)
    found = WAYS[way](*empty_and_full(kind, gap)).predict_proba(new)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_column_that_stays_empty_may_have_gaps_of_any_type() -> None:
    (rows, y), _ = empty_and_full("numbers", "none")
    model = ensemble().fit(rows, y).partial_fit({**rows, "q": GAPS["nan"]}, y).partial_fit(rows, y)
    expected = ensemble().fit({"x": np.tile(X[:100], 3), "q": [None] * 300}, np.tile(y, 3))
    np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(rows), rtol=1e-9)


def test_values_of_two_types_are_refused_by_the_name_of_the_column() -> None:
    numbers, states = empty_and_full("numbers", "none")[1], empty_and_full("states", "none")[1]
    with pytest.raises(BadQuestion, match=r"reads 'q' as numbers, the other as states.*Convert the column"):
        ensemble().fit(*numbers) + ensemble().fit(*states)
    with pytest.raises(BadData, match="'q' must hold numbers"):
        ensemble().fit(*numbers).partial_fit(*states)
