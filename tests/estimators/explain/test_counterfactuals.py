"""The smallest change that turns a decision, against brute force."""

from __future__ import annotations

import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes
from bayou.examples import play_tennis

DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def brute_force(model: Any, row: dict[str, Any], states: dict[str, list[Any]], to: Any) -> int | None:
    """The size of the smallest set of changes, all sets tried."""
    before = model.predict([row])[0]
    present = [name for name in row if row[name] is not None]
    for size in range(1, len(present) + 1):
        for names in combinations(present, size):
            for values in product(*(states[name] for name in names)):
                changed = {**row, **dict(zip(names, values, strict=True))}
                joint = model._model.joint_log(model._read([changed]))[0]
                after = model.classes_[joint.argmax()]
                if np.isfinite(joint.max()) and (after != before if to is None else after == to):
                    return size
    return None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 0.2, 1]), st.sampled_from([2, 3]))
def test_no_smaller_set_of_changes_turns_the_decision(seed: int, prior: float, classes: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, 30)
    labels[:classes] = range(classes)
    table = {f"f{k}": ((labels + rng.integers(0, 3, 30)) % (2 + k % 2)).tolist() for k in range(4)}
    model = NaiveBayes("table", prior=prior).fit(table, labels)
    row = {name: column[7] for name, column in table.items()}
    if seed % 3 == 0:
        row["f1"] = None
    states = {name: sorted(set(column)) for name, column in table.items()}
    for to in (None, (model.predict([row])[0] + 1) % classes):
        flip = model.smallest_change(row, to)
        best = brute_force(model, row, states, to)
        if flip is None:
            assert best is None or (to is not None and classes > 2 and best > 3)
            continue
        assert len(flip.changes) == best
        assert flip.exact
        changed = {**row, **{change.name: change.new for change in flip.changes}}
        assert model.predict([changed])[0] == flip.after != flip.before
        assert to is None or flip.after == to


def test_the_ledger_knows_the_change_too() -> None:
    model = NaiveBayes().fit(play_tennis(), "PlayTennis")
    flip = model.explain(DAY).flip
    assert flip == model.smallest_change(DAY)
    assert flip is not None
    assert str(flip.changes[0]) == "Outlook: Sunny → Overcast"
    assert [change.name for change in flip.alone] == ["Outlook", "Humidity"]
    assert "Or one of these alone:\n  Humidity: High → Normal" in str(flip)
    assert flip.to_dict()["after"] == "Yes"
    assert model.smallest_change(DAY, "No") is None


def test_a_number_moves_to_the_nearest_value_that_turns_the_decision() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (200, 1)), rng.normal(4, 1, (200, 1))])
    model = NaiveBayes("gaussian").fit(X, np.repeat(["low", "high"], 200))
    flip = model.smallest_change([0.3])
    assert flip is not None
    value = flip.changes[0].new
    assert isinstance(value, float)
    assert 1.5 < value < 2.5
    assert model.predict([[value]])[0] == "high"
    assert model.predict([[value - 1e-6]])[0] == "low"


def test_counts_of_events_stay_whole_numbers() -> None:
    model = NaiveBayes("poisson").fit({"events": [0, 1, 0, 2, 7, 9, 8, 6]}, [0] * 4 + [1] * 4)
    flip = model.smallest_change({"events": 1})
    assert flip is not None
    assert isinstance(flip.changes[0].new, int)
    assert model.predict([{"events": flip.changes[0].new}])[0] == 1


def test_what_no_change_can_turn_is_said_by_none() -> None:
    model = NaiveBayes("table", class_prior={"a": 0.999999, "b": 0.000001}).fit(
        {"x": [0, 1, 0, 1]}, list("aabb")
    )
    assert model.smallest_change({"x": 0}) is None
    assert NaiveBayes().fit({"x": [1, 2]}, ["a", "a"]).smallest_change({"x": 1}) is None


def test_a_value_that_was_never_seen_can_be_changed_without_a_warning() -> None:
    model = NaiveBayes().fit(play_tennis(), "PlayTennis")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flip = model.smallest_change({**DAY, "Outlook": "Snow", "Wind": None}, to="No")
    assert flip is not None
    assert flip.after == "No"
    with pytest.raises(ValueError, match="Maybe"):
        model.smallest_change(DAY, to="Maybe")


@pytest.mark.parametrize("kind", ["kernel", "gaussian"])
def test_a_number_on_the_very_boundary_is_not_called_a_change_of_the_decision(kind: str) -> None:
    rows = {"länge in m": [1.0, 2, 3, 4, 5, 9, 8, 10, 11, 12] * 3}
    model = NaiveBayes(kind).fit(rows, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 3)
    for value in np.linspace(1.0, 12.0, 23):
        flip = model.smallest_change({"länge in m": value})
        assert flip is not None
        before = model.predict({"länge in m": [value]})[0]
        assert model.predict({"länge in m": [flip.changes[0].new]})[0] == flip.after != before
