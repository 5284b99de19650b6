"""Files whose arrays hold invalid values: they are refused when loaded, not discovered later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile
from bayou.formats.bundle import read_bundle, write_bundle


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    net = bayou.Network("Größe -> x, y; x -> y", continuous=["x", "y"])
    x = [1.0, 2.0, 4.0, 3.0, 7.0, 9.0, 2.0, 5.0]
    net.fit({"Größe": ["s", "l"] * 4, "x": x, "y": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]})
    path = tmp_path / "net.bayou"
    net.save(path)
    return path


def block(state: Any, kind: str) -> Any:
    return next(entry for entry in state["blocks"] if entry["kind"] == kind)


def result(state: Any, kind: str) -> Any:
    return next(entry for entry in state["learned"]["statistics"] if entry["kind"] == kind)


def change(where: Callable[[Any], Any], part: str, new: Callable[[Any], Any]) -> Callable[[Any], None]:
    def apply(state: Any) -> None:
        where(state)[part] = new(where(state)[part])

    return apply


def table(state: Any) -> Any:
    return block(state, "table")


def gaussian(state: Any) -> Any:
    return block(state, "gaussian")


def counts(state: Any) -> Any:
    return result(state, "counts")


def moments(state: Any) -> Any:
    return result(state, "moments")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change(table, "values", lambda a: a * 2), "does not sum to 1"),
        (change(table, "values", lambda a: a * np.nan), "not probabilities"),
        (change(table, "values", lambda a: a - np.array([1.0, -1.0])), "not probabilities"),
        (change(gaussian, "variance", lambda a: a * 0 - 1), "negative variance"),
        (change(gaussian, "variance", lambda a: a * np.inf), "not finite"),
        (change(gaussian, "intercept", lambda a: a * np.nan), "not finite"),
        (change(gaussian, "variance", lambda a: a[:1]), "do not fit together"),
        (change(counts, "values", lambda a: a[:1]), "do not have the shape of their axes"),
        (change(counts, "values", lambda a: -a), "not counts"),
        (change(counts, "values", lambda a: 3), "do not have the shape of their axes"),
        (change(moments, "n", lambda a: a[:1]), "do not have the shape of their axes"),
        (change(moments, "scatter", lambda a: a * np.inf), "not finite"),
        (change(moments, "scatter", lambda a: -a), "negative weights or variances"),
        (change(lambda state: state["learned"], "rows", lambda n: -n), "learned from -8 rows"),
    ],
)
def test_numbers_that_cannot_be_are_refused(saved: Path, damage: Any, message: str) -> None:
    kind, state = read_bundle(saved)
    damage(state)
    with np.errstate(invalid="ignore"):
        write_bundle(saved, kind, state, "test")
    with pytest.raises(BadFile, match=message) as caught:
        bayou.load(saved)
    assert str(saved) in str(caught.value)


def test_the_file_is_fine_without_the_damage(saved: Path) -> None:
    assert bayou.load(saved).statistics.rows == 8
