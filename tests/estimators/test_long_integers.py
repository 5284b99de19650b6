"""Integers beyond 2^53 as features: exact, or an error where floats would make two of them one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import bayou
from bayou.errors import BadData
from bayou.sources import read_columns

CLASSES = ["a", "b"] * 20
MODELS: list[Callable[[], Any]] = [
    bayou.NaiveBayes,
    lambda: bayou.NaiveBayes("gaussian"),
    bayou.GaussianBayes,
    lambda: bayou.BayesEnsemble(size="small"),
    bayou.MDLDiscretizer,
]
MODEL_NAMES = ["naive Bayes", "Gaussian features", "Gaussian classes", "ensemble", "discretiser"]


@pytest.mark.parametrize("make", MODELS, ids=MODEL_NAMES)
@pytest.mark.parametrize("frame", [dict, pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("first", [2**53, 2**63])
def test_integers_that_floats_merge_are_refused(first: int, frame: Any, make: Callable[[], Any]) -> None:
    data = frame({"serial": [first + k for k in range(40)], "y": CLASSES})
    with pytest.raises(BadData, match=r"'serial' has whole numbers beyond 2\^53, .* Convert it: to text"):
        make().fit(data, "y")


def test_the_remedies_of_the_message_work() -> None:
    long = [2**63 + k // 4 for k in range(40)]
    for values in ([str(value) for value in long], [float(value) for value in long]):
        model = bayou.NaiveBayes().fit({"serial": values, "y": CLASSES}, "y")
        assert model.predict_proba({"serial": values[:3]}).shape == (3, 2)
        assert "serial" in str(model.summary())


@pytest.mark.parametrize("make", MODELS[:4], ids=MODEL_NAMES[:4])
def test_long_integers_that_stay_apart_are_numbers(make: Callable[[], Any]) -> None:
    nanoseconds = [17 * 10**17 + k * 10**9 for k in range(40)]
    late = ["a" if k < 20 else "b" for k in range(40)]
    model = make().fit({"time": nanoseconds, "y": late}, "y")
    exact = make().fit({"time": np.array(nanoseconds, dtype=np.float64), "y": late}, "y")
    asked = {"time": [nanoseconds[3], nanoseconds[3] + 1, nanoseconds[36]]}
    assert model.predict(asked).tolist() == ["a", "a", "b"]
    assert model.predict_proba(asked) == pytest.approx(
        exact.predict_proba({"time": np.array(asked["time"], dtype=np.float64)})
    )


def test_declared_long_integers_are_states() -> None:
    data = {"code": [2**53 + k % 2 for k in range(40)], "y": CLASSES}
    model = bayou.NaiveBayes(states={"code": [2**53, 2**53 + 1]}).fit(data, "y")
    assert model.predict({"code": [2**53, 2**53 + 1]}).tolist() == ["a", "b"]


def test_whole_floats_beyond_the_integers_of_the_machine_become_codes() -> None:
    column = read_columns({"x": [2.0**63, 2.0**63 + 2048, 2.0**63]})
    assert column.coded("x").labels == (2.0**63, 2.0**63 + 2048)
