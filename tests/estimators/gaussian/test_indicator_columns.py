"""Columns of texts in GaussianBayes: the same as numbers that are 1 where the column has a state, else 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou import GaussianBayes
from bayou.errors import BadData

COVARIANCES = ("auto", "shared", "full", "regularised", "diagonal")


def mixed(rows: int = 400, gaps: float = 0.1, seed: int = 0) -> tuple[pandas.DataFrame, np.ndarray]:
    """Two numbers, a column of three texts, and one of truth values; some gaps."""
    random = np.random.default_rng(seed)
    y = random.choice(["no", "yes"], rows)
    colour = np.where(
        random.random(rows) < 0.4, np.where(y == "yes", "red", "blue"), random.choice(list("xyz"), rows)
    )
    frame = pandas.DataFrame(
        {
            "u": random.normal(size=rows) + (y == "yes"),
            "colour": pandas.Series(colour).replace({"x": "red", "y": "blue", "z": "green"}).astype(object),
            "v": random.normal(size=rows),
            "old": (random.random(rows) < np.where(y == "yes", 0.7, 0.4)).astype(object),
        }
    )
    return frame.mask(random.random(frame.shape) < gaps), y


def by_hand(frame: pandas.DataFrame) -> np.ndarray:
    columns = [
        frame["u"],
        *(np.where(frame["colour"].isna(), np.nan, frame["colour"] == state) for state in ("green", "red")),
        frame["v"],
        np.where(frame["old"].isna(), np.nan, frame["old"] == True),  # noqa: E712  # element by element
    ]
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_texts_are_indicators(covariance: str, gaps: float) -> None:
    X, y = mixed(gaps=gaps)
    model = GaussianBayes(covariance).fit(X, y)
    assert model.levels_ == {"colour": ("blue", "green", "red"), "old": (False, True)}
    expected = GaussianBayes(covariance).fit(by_hand(X), y)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(by_hand(X)), atol=1e-9)
    np.testing.assert_allclose(model.means_, expected.means_, atol=1e-12)
    assert model.statistics_.variables == ("u", "colour=green", "colour=red", "v", "old=True")


def test_all_sources_and_parts_give_one_model(tmp_path: Path) -> None:
    X, y = mixed()
    table = X.assign(y=y)
    expected = GaussianBayes().fit(table, "y").predict_proba(X)
    table.to_csv(tmp_path / "rows.csv", index=False)
    parts = GaussianBayes().partial_fit(table[:300], "y").partial_fit(table[300:], "y")
    streamed = GaussianBayes().fit(bayou.from_batches(lambda: iter([table[:300], table[300:]])), "y")
    parts.save(tmp_path / "m.bayou")
    loaded: Any = bayou.load(tmp_path / "m.bayou")
    for model in (GaussianBayes().fit(tmp_path / "rows.csv", "y"), parts, streamed, loaded):
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
    one_by_one = np.concatenate([loaded.predict_proba(X.iloc[[k]]) for k in range(4)])
    np.testing.assert_allclose(one_by_one, expected[:4], atol=1e-9)


def test_a_state_that_was_never_seen_is_missing() -> None:
    X, y = mixed()
    model = GaussianBayes().fit(X, y)
    odd, gap = X[:1].assign(colour="pink"), X[:1].assign(colour=None)
    with pytest.warns(bayou.BayouWarning, match="count as missing: 1 in 'colour'"):
        found = model.predict_proba(odd)
    np.testing.assert_allclose(found, model.predict_proba(gap), atol=1e-12)


def test_it_explains_and_takes_another_class_prior() -> None:
    X, y = mixed(gaps=0.0)
    model = GaussianBayes("shared").fit(X, y)
    ledger = model.explain(X.iloc[[0]])
    assert {entry.name for entry in ledger.entries} >= {"u", "colour", "v", "old"}
    logs = model.predict_log_proba(X[:1])[0]
    assert abs(ledger.total) == pytest.approx(abs(logs[0] - logs[1]))
    shifted = model.with_class_prior({"no": 0.9, "yes": 0.1}).predict_log_proba(X[:1])[0]
    old = model.priors_
    expected = (logs[0] - logs[1]) + np.log(9) - np.log(old[0] / old[1])
    assert shifted[0] - shifted[1] == pytest.approx(expected)
    assert "normal, jointly with the others" in str(model.summary())


def test_there_need_be_no_numbers() -> None:
    X, y = mixed()
    model = GaussianBayes().fit(X[["colour", "old"]], y)
    expected = GaussianBayes().fit(by_hand(X)[:, [1, 2, 4]], y)
    found = expected.predict_proba(by_hand(X)[:, [1, 2, 4]])
    np.testing.assert_allclose(model.predict_proba(X[["colour", "old"]]), found, atol=1e-9)


def test_texts_with_too_many_values_are_refused() -> None:
    rows = {"id": [f"n{k}" for k in range(150)], "u": list(range(150))}
    with pytest.raises(BadData, match=r"'id' has 150 different values.*leave it out"):
        GaussianBayes().fit(rows, [0, 1] * 75)


@pytest.mark.parametrize("states", [("0", "1"), ("red", "blue"), (1, "1")])
def test_a_state_is_what_changes_the_decision(states: tuple[Any, Any]) -> None:
    """Texts that spell numbers are states here, not numbers."""
    codes = list(states) * 20
    numbers = np.random.default_rng(0).normal(size=40)
    classes = ["u" if code == states[0] else "v" for code in codes]
    model = GaussianBayes("diagonal").fit({"code": codes, "n": numbers}, classes)
    found = model.smallest_change({"code": states[0], "n": 0.1})
    assert found is not None
    assert [(each.name, each.old, each.new) for each in found.changes] == [("code", *states)]


def test_states_that_are_written_alike_are_different_states() -> None:
    rows = {"a": [1, "1", 2, "2"] * 10, "b": np.random.default_rng(0).normal(size=40)}
    model = GaussianBayes("diagonal").fit(rows, ["u", "v", "v", "u"] * 10)
    assert len(set(model.statistics_.variables)) == 4
    assert model.predict({"a": [1, "1", 2, "2"], "b": [0.0] * 4}).tolist() == ["u", "v", "v", "u"]
