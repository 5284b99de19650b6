"""A column without a value in any training row is named in a warning and changes no answer."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadData

RANDOM = np.random.default_rng(6)
Y = np.array(["a", "b", "c"] * 40)
X = RANDOM.normal(size=(120, 3)) + np.array([0.0, 1.0, 2.5])[np.arange(120) % 3][:, None] * [1, 0.5, -1]
TABLE = pandas.DataFrame(X, columns=["u", "v", "w"])
WITH_EMPTY = TABLE.assign(nothing=np.nan)[["u", "nothing", "v", "w"]]
COVARIANCES = ["shared", "full", "regularised", "spherical", "diagonal"]


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("options", [{}, {"ddof": 1}])
def test_it_is_as_if_it_were_not_there(covariance: str, options: dict[str, Any], tmp_path: Path) -> None:
    expected = bayou.GaussianBayes(covariance, **options).fit(TABLE, Y)
    with pytest.warns(bayou.BayouWarning, match="No training row has a value of 'nothing'") as told:
        model = bayou.GaussianBayes(covariance, **options).fit(WITH_EMPTY, Y)
    assert len(told) == 1
    np.testing.assert_allclose(np.delete(model.means_, 1, axis=1), expected.means_, atol=1e-8)
    np.testing.assert_allclose(model.predict_proba(WITH_EMPTY), expected.predict_proba(TABLE), atol=1e-7)
    # Values that come later tell nothing, because nothing is known of them.
    later = WITH_EMPTY.assign(nothing=np.linspace(-100, 100, 120))
    np.testing.assert_allclose(model.predict_proba(later), expected.predict_proba(TABLE), atol=1e-7)
    model.save(tmp_path / "model.bayou")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again: Any = bayou.load(tmp_path / "model.bayou")
    np.testing.assert_array_equal(again.predict_proba(later), model.predict_proba(later))


def test_the_automatic_choice_works_too() -> None:
    with pytest.warns(bayou.BayouWarning, match="'nothing'"):
        model = bayou.GaussianBayes().fit(WITH_EMPTY, Y)
    shared = bayou.GaussianBayes("shared").fit(TABLE, Y)
    np.testing.assert_allclose(model.predict_proba(WITH_EMPTY), shared.predict_proba(TABLE), atol=1e-7)


def test_more_rows_may_fill_it() -> None:
    with pytest.warns(bayou.BayouWarning, match="'nothing'"):
        model = bayou.GaussianBayes("shared").partial_fit(WITH_EMPTY, Y)
    later = WITH_EMPTY.assign(nothing=RANDOM.normal(size=120) + (Y == "a"))
    model.partial_fit(later, Y)
    both = bayou.GaussianBayes("shared").fit(pandas.concat([WITH_EMPTY, later]), np.concatenate([Y, Y]))
    np.testing.assert_allclose(model.predict_proba(later), both.predict_proba(later), atol=1e-9)


def test_a_column_of_truth_values_without_any_value_is_to_be_left_out() -> None:
    empty = pandas.Series([None] * 20, dtype="boolean")
    frame = pandas.DataFrame({"x": np.arange(20.0), "z": empty})
    with pytest.raises(BadData, match=r"No training row has a value of 'z': .* Leave it out"):
        bayou.GaussianBayes().fit(frame, ["p", "q"] * 10)
