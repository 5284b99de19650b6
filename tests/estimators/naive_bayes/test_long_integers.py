"""Integers that floats do not hold exactly are the same values in training and in prediction."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou

BIG = [2**53 + 1, 2**60 + 1, 10**18 + 7]
CODES = [BIG[k % 3] for k in range(9)]  # so few rows that the values are states
Y = ["abc"[k % 3] for k in range(9)]


@pytest.mark.parametrize("container", ["dict", "rows", "pandas", "array", "file"])
def test_they_are_recognised(container: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame({"id": CODES, "y": Y})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    rows: Any = {
        "dict": {"id": CODES},
        "rows": [{"id": code} for code in CODES],
        "pandas": frame[["id"]],
        "array": np.array(CODES)[:, None],
        "file": tmp_path / "rows.csv",
    }[container]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = bayou.NaiveBayes()
        model.fit(rows, "y") if container == "file" else model.fit(rows, Y)
        assert model.predict(rows).tolist() == Y
        if container != "array":
            assert [model.predict({"id": [code]}).item() for code in BIG] == ["a", "b", "c"]
        else:
            assert [model.predict(np.array([[code]])).item() for code in BIG] == ["a", "b", "c"]


def test_a_number_that_was_not_learned_is_still_unseen() -> None:
    model = bayou.NaiveBayes().fit({"id": CODES}, Y)
    assert model.choices_["id"].kind == "table"
    for code in (2**61, 10**400):
        with pytest.warns(bayou.BayouWarning, match="1 in 'id'"):
            model.predict([{"id": code}])


def test_states_that_are_exact_stay_apart() -> None:
    near = [2**60, 2**60 + 1]
    model = bayou.NaiveBayes("table").fit({"id": near * 20}, ["a", "b"] * 20)
    assert model.predict({"id": near}).tolist() == ["a", "b"]
