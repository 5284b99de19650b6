"""The smallest change that turns a prediction of an ensemble: predicted again, it is another class."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.estimators.pooled.bayes_ensemble import BayesEnsemble
from bayou.explain.smallest_change import SmallestChange

ROW = {"age": 70, "smoker": "yes", "town": "north", "note": "coughs much at night"}


@cache
def learned(rows: int = 400) -> BayesEnsemble:
    random = np.random.default_rng(0)
    words = np.array(["coughs much at night", "came for a check", "was sent by the firm", "asks for advice"])
    table = {
        "age": random.integers(20, 80, rows),
        "smoker": random.choice(["yes", "no"], rows),
        "town": random.choice(["north", "south", None], rows),
        "note": [f"{text} no. {k}" for k, text in enumerate(random.choice(words, rows))],
    }
    ill = np.where((table["age"] > 50) == (table["smoker"] == "yes"), "ill", "well")
    return bayou.BayesEnsemble("small").fit(table, ill)


@cache
def of_three_classes() -> BayesEnsemble:
    random = np.random.default_rng(1)
    x, colour = random.normal(size=300), random.choice(["red", "green", "blue"], 300)
    kind = np.where(x > 0.5, "high", np.where(colour == "red", "low and red", "low"))
    return bayou.BayesEnsemble("small").fit({"x": x, "colour": colour}, kind)


def turned(model: Any, row: dict[str, Any], found: SmallestChange | None) -> str:
    """The class that is predicted for a row after the change."""
    assert found is not None
    changed = {**row, **{change.name: change.new for change in found.changes}}
    (after,) = model.predict([changed])
    assert model.predict([row])[0] == found.before != after == found.after
    return str(after)


def test_one_value_that_turns_the_class_is_found() -> None:
    model = learned()
    found = model.smallest_change(ROW)
    assert turned(model, ROW, found) == "well"
    assert found is not None
    assert len(found.changes) == 1
    assert {change.name for change in (*found.changes, *found.alone)} == {"age", "smoker"}


def test_a_number_moves_no_further_than_it_must() -> None:
    model = learned()
    alone = {change.name: change for change in model.smallest_change(ROW).alone}
    row = {**ROW, "age": alone["age"].new}
    assert 45 < alone["age"].new < 55
    assert model.predict([row])[0] == "well"
    assert model.predict([{**ROW, "age": alone["age"].new + 1e-3}])[0] == "ill"
    up = model.smallest_change({**ROW, "age": 30})
    raised = next(change for change in up.alone if change.name == "age")
    assert model.predict([{**ROW, "age": raised.new}])[0] == "ill"
    assert model.predict([{**ROW, "age": raised.new - 1e-3}])[0] == "well"


def test_a_text_stays_as_it_is() -> None:
    found = learned().smallest_change({"note": "coughs much at night"})
    assert found is None


@pytest.mark.parametrize("to", ["low", "low and red", "high"])
def test_any_of_several_classes_can_be_the_goal(to: str) -> None:
    model = of_three_classes()
    for row in ({"x": 1.5, "colour": "blue"}, {"x": -1.5, "colour": "red"}, {"x": -1.5, "colour": "blue"}):
        found = model.smallest_change(row, to)
        if model.predict([row])[0] == to:
            assert found is None
        else:
            assert turned(model, row, found) == to


def test_two_changes_are_made_where_one_is_not_enough() -> None:
    model = of_three_classes()
    row = {"x": 1.5, "colour": "blue"}
    found = model.smallest_change(row, "low and red")
    assert found is not None
    assert {change.name for change in found.changes} == {"x", "colour"}


def test_a_loaded_file_finds_the_same_change(tmp_path: Path) -> None:
    model = learned()
    model.save(tmp_path / "ill.bayou")
    loaded = bayou.load(tmp_path / "ill.bayou")
    assert loaded.smallest_change(ROW) == model.smallest_change(ROW)


@pytest.mark.parametrize("rows", [40, 80])
def test_small_tables_answer_too(rows: int) -> None:
    model = learned(rows)
    for age in (25, 70):
        turned(model, {**ROW, "age": age}, model.smallest_change({**ROW, "age": age}))


def test_the_ledger_knows_the_change_too() -> None:
    assert "Or one of these alone" in str(learned().smallest_change(ROW))
    assert learned().explain(ROW).flip == learned().smallest_change(ROW)
