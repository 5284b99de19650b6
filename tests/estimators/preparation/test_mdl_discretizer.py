"""The discretiser among scikit-learn's: its checks, pipelines, every kind of table, gaps, weights."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline

import bayou
from bayou._native import mdl_cuts
from bayou.errors import BadData, BayouWarning
from bayou.estimators.preparation.mdl_discretizer import MDLDiscretizer

NAMES = ["Kelch länge", "Kelch breite 1", "Blatt länge", "Blatt breite"]


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def test_the_cuts_are_those_of_the_kernel_and_codes_count_them(iris: tuple[Any, Any]) -> None:
    X, y = iris
    model = MDLDiscretizer().fit(X, y)
    classes = np.unique(y, return_inverse=True)[1].astype(np.uint32)
    expected = mdl_cuts([np.ascontiguousarray(column) for column in X.T], classes, 3)
    for cuts, theirs in zip(model.cuts_.values(), expected, strict=True):
        np.testing.assert_array_equal(cuts, theirs)
    codes = model.transform(X)
    assert codes.dtype == np.int64
    for k, cuts in enumerate(expected):
        np.testing.assert_array_equal(codes[:, k], np.searchsorted(cuts, X[:, k], side="left"))


def test_every_kind_of_table_gives_the_same_codes(iris: tuple[Any, Any]) -> None:
    X, y = iris
    expected = MDLDiscretizer().fit_transform(X, y)
    frame = pd.DataFrame(X, columns=NAMES)
    tables: list[Any] = [
        frame,
        pl.DataFrame(X, schema=NAMES),
        frame.to_dict("list"),
        X.astype(np.float64, order="F"),
        X[:, ::1].tolist(),
        sparse.csr_matrix(X),
        pd.DataFrame(X),
    ]
    for table in tables:
        np.testing.assert_array_equal(MDLDiscretizer().fit(table, y).transform(table), expected)
    assert list(MDLDiscretizer().fit(frame, y).cuts_) == NAMES
    with_target = frame.assign(Art=y)
    np.testing.assert_array_equal(MDLDiscretizer().fit(with_target, "Art").transform(frame), expected)


def test_set_output_names_and_frames(iris: tuple[Any, Any]) -> None:
    X, y = iris
    frame = pd.DataFrame(X, columns=NAMES, index=np.arange(150) + 7)
    model = MDLDiscretizer().set_output(transform="pandas").fit(frame, y)
    out = model.transform(frame)
    assert list(out.columns) == list(model.get_feature_names_out()) == NAMES
    assert out.index.tolist() == frame.index.tolist()
    assert all(dtype == np.int64 for dtype in out.dtypes)
    assert isinstance(MDLDiscretizer().set_output(transform="polars").fit_transform(frame, y), pl.DataFrame)
    assert MDLDiscretizer().fit(X, y).get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]


def test_pipelines_clones_and_pickles(iris: tuple[Any, Any]) -> None:
    X, y = iris
    pipe = make_pipeline(MDLDiscretizer(), CategoricalNB(min_categories=12))
    assert cross_val_score(pipe, X, y, cv=5).mean() > 0.9
    some = ColumnTransformer([("cut", MDLDiscretizer(), [2, 3])], remainder="passthrough")
    assert some.fit_transform(X, y).shape == (150, 4)
    model = MDLDiscretizer(missing="code").fit(X, y)
    assert clone(model).get_params() == {"missing": "code", "other": "passthrough"}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_gaps_stay_gaps_or_become_a_range_of_their_own(iris: tuple[Any, Any]) -> None:
    X, y = iris
    holes = X.copy()
    holes[::7, 2] = np.nan
    model = MDLDiscretizer().fit(holes, y)
    kept = ~np.isnan(holes[:, 2])
    classes = np.unique(y[kept], return_inverse=True)[1].astype(np.uint32)
    np.testing.assert_array_equal(model.cuts_["x2"], mdl_cuts([holes[kept, 2]], classes, 3)[0])
    out = model.transform(holes)
    assert out.dtype == np.float64
    np.testing.assert_array_equal(np.isnan(out), np.isnan(holes))
    coded = model.set_params(missing="code").transform(holes)
    assert coded.dtype == np.int64
    assert set(coded[::7, 2]) == {len(model.cuts_["x2"]) + 1}
    np.testing.assert_array_equal(coded[kept], out[kept])


def test_weights_are_repetitions(iris: tuple[Any, Any]) -> None:
    X, y = iris
    weights = np.random.default_rng(0).integers(0, 4, 150)
    weighted = MDLDiscretizer().fit(X, y, sample_weight=weights)
    repeated = MDLDiscretizer().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for name, cuts in weighted.cuts_.items():
        np.testing.assert_array_equal(cuts, repeated.cuts_[name])


def test_columns_that_are_no_numbers_are_left_alone_or_refused_by_name() -> None:
    table = pd.DataFrame({"größe": [1.0, 2.0, 3.0, 4.0] * 4, "farbe 1": ["rot", "blau"] * 8})
    y = [0, 0, 1, 1] * 4
    with pytest.raises(BadData, match="'farbe 1' must hold numbers, but it has the value 'rot'"):
        MDLDiscretizer(other="error").fit(table, y)
    model = MDLDiscretizer().fit(table, y)
    assert list(model.cuts_) == ["größe"]
    out = model.transform(table)
    assert out[:4].tolist() == [[0, "rot"], [0, "blau"], [1, "rot"], [1, "blau"]]
    holes = table.assign(größe=[np.nan, *table["größe"][1:]])
    assert np.isnan(model.transform(holes)[0, 0])
    with pytest.warns(BayouWarning, match="There is no column for 'farbe 1'"):
        assert model.transform({"größe": [1.0]}).tolist() == [[0, None]]


def test_truth_values_are_numbers() -> None:
    table = {"ja": [True, False] * 20}
    model = MDLDiscretizer().fit(table, [1, 0] * 20)
    assert model.cuts_["ja"].tolist() == [0.5]
    assert model.transform({"ja": [False, True]}).ravel().tolist() == [0, 1]


def test_wrong_settings_and_unfitted_models_say_so(iris: tuple[Any, Any]) -> None:
    X, y = iris
    with pytest.raises(BadData, match="missing='drop': use 'nan' or 'code'"):
        MDLDiscretizer(missing="drop").fit(X, y)
    with pytest.raises(BadData, match="other='drop'"):
        MDLDiscretizer(other="drop").fit(X, y)
    with pytest.raises(NotFittedError):
        MDLDiscretizer().transform(X)
    with pytest.raises(NotFittedError):
        MDLDiscretizer().cuts_table()
    assert str(MDLDiscretizer()) == repr(MDLDiscretizer()) == "MDLDiscretizer()"


def test_the_cuts_are_in_plain_sight(iris: tuple[Any, Any]) -> None:
    X, y = iris
    random = np.random.default_rng(1).normal(size=(150, 1))
    model = bayou.MDLDiscretizer().fit(np.hstack([X[:, 2:], random]), y)
    text = str(model)
    assert "x0" in text
    assert "2.45, 4.75" in text
    assert text.splitlines()[-1].split() == ["x2", "1", "–"]
