"""Models of parts add up to one fit on all rows, however the rows are split; parts are taken away again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou
from bayou.errors import BadGraph

ROWS = 60
MODELS: dict[str, Any] = {
    "naive Bayes": bayou.NaiveBayes,
    "TAN": bayou.TAN,
    "AODE": bayou.AODE,
    "network": lambda: bayou.NetworkClassifier("ill -> a, b; a -> b"),
}


def rows_of(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": random.choice(["x", "y", "z"], ROWS),
            "b": random.integers(0, 3, ROWS),
            "real": random.normal(1e6, 3, ROWS),
            "ill": random.choice(["no", "yes"], ROWS),
        }
    )


@st.composite
def splits(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    rows = rows_of(draw(st.integers(0, 1_000)))
    chosen = np.array(draw(st.lists(st.booleans(), min_size=ROWS, max_size=ROWS)))
    chosen[0], chosen[1] = True, False
    return rows[chosen], rows[~chosen], rows


@settings(max_examples=25, deadline=None)
@given(splits())
def test_networks_add(parts: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]) -> None:
    one, other, whole = (bayou.count(rows, bayou.Network("ill -> a, b; a -> real")) for rows in parts)
    found, expected = (each.model().statistics["real"] for each in (one + other, whole))
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-10)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-10)
    assert (whole - other).rows == len(parts[0])
    counted = [bayou.count(rows, bayou.Network("ill -> a, b")) for rows in parts]
    assert (counted[0] + counted[1]).same_as(counted[2])
    assert (counted[1] + counted[0]).same_as(counted[2])


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=10, deadline=None)
@given(parts=splits())
def test_classifiers_add(kind: str, parts: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]) -> None:
    tables = [rows[["a", "b", "ill"]] for rows in parts]
    one, other, whole = (MODELS[kind]().fit(rows, "ill") for rows in tables)
    features = tables[2][["a", "b"]]
    expected = whole.predict_proba(features)
    np.testing.assert_array_equal((one + other).predict_proba(features), expected)
    np.testing.assert_array_equal((other + one).predict_proba(features), expected)


def test_what_differs_is_named() -> None:
    seen = {"A": ["x", "x"], "B": ["u", "v"]}
    plain = bayou.Network("A -> B")
    for other, told in {
        bayou.Network("A"): "the variables 'B' are in one only",
        bayou.Network("B -> A"): "the arcs A -> B, B -> A are in one only",
        bayou.Network("A -> B", states={"A": ["x", "z"]}): "'A' has declared states in one only",
    }.items():
        with pytest.raises(BadGraph, match=told):
            bayou.count(seen, plain) + bayou.count(seen, other)
    one, other = (
        bayou.Network("A", states={"A": bayou.Cuts([cut])}).fit({"A": [0.5, 2.5]}) for cut in (1, 2)
    )
    with pytest.raises(BadGraph, match=r"'A' has the cuts 1\.0 in one and the cuts 2\.0 in the other"):
        one + other
    one, other = (
        bayou.Network("A", states={"A": states}).fit({"A": ["x"]}) for states in (["x", "y"], ["x", "z"])
    )
    with pytest.raises(BadGraph, match="'A' has the states 'x', 'y' in one and the states 'x', 'z'"):
        one - other
