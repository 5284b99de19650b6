"""The target may be named by whatever names a column has: integers, tuples, numpy's scalars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadData, UnknownVariable

RANDOM = np.random.default_rng(8)
Y = RANDOM.integers(0, 2, 60)
NUMBERED = pandas.DataFrame({0: RANDOM.normal(size=60) + Y, 1: Y, 2: RANDOM.integers(0, 3, 60)})
CLASSIFIERS = (bayou.NaiveBayes, bayou.TAN, bayou.AODE, bayou.GaussianBayes, bayou.BayesOptimal)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("target", [1, np.int64(1)])
def test_an_integer_names_the_target(kind: Any, target: Any, tmp_path: Path) -> None:
    model = kind().fit(NUMBERED, target)
    assert (model.target_, model.by_name_) == (1, True)
    by_text = kind().fit(NUMBERED.rename(columns=str), "1")
    expected = by_text.predict_proba(NUMBERED.rename(columns=str))
    np.testing.assert_array_equal(model.predict_proba(NUMBERED), expected)
    np.testing.assert_array_equal(model.predict_proba(NUMBERED[[2, 0]]), expected)
    assert model.score(NUMBERED, target) == by_text.score(NUMBERED.rename(columns=str), "1")
    path = tmp_path / "model.bayou"
    model.save(path)
    again: Any = bayou.load(path)
    np.testing.assert_array_equal(again.predict_proba(NUMBERED), expected)


def test_a_tuple_names_the_target() -> None:
    frame = NUMBERED.copy()
    frame.columns = pandas.MultiIndex.from_tuples([("x", 0), ("y", 1), ("x", 2)])
    model = bayou.NaiveBayes().fit(frame, ("y", 1))
    expected = bayou.NaiveBayes().fit(NUMBERED, 1).predict_proba(NUMBERED)
    np.testing.assert_array_equal(model.predict_proba(frame), expected)


def test_measures_take_such_names_too() -> None:
    assert bayou.evaluate("nb", NUMBERED, 1, folds=3)["nb"].scores.rows == 60
    assert len(bayou.cross_validate(bayou.NaiveBayes(), NUMBERED, 1, folds=3).row_losses) == 60
    mapping = {name: NUMBERED[name].tolist() for name in NUMBERED.columns}
    assert bayou.NaiveBayes().fit(mapping, 1).target_ == 1
    words = pandas.DataFrame({0: ["buy now", "see you"] * 5, 1: ["spam", "ham"] * 5})
    text = bayou.TextNaiveBayes().fit(words, 1)
    assert text.partial_fit(words, 1).predict(words).tolist() == words[1].tolist()


def test_what_is_no_column_is_told() -> None:
    with pytest.raises(UnknownVariable, match="There is no variable 7 in the data"):
        bayou.NaiveBayes().fit(NUMBERED, 7)
    for name in (1, "y"):
        with pytest.raises(BadData, match="the columns of X have no names"):
            bayou.NaiveBayes().fit(NUMBERED.to_numpy(), name)
