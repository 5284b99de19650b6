"""States that come back as they were: by themselves, and from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bayou.formats.bundle import read_bundle, write_bundle


def in_a_file(state: Any, folder: Path) -> Any:
    """The state as it comes back from a file."""
    write_bundle(folder / "state.bayou", "thing", {"state": state}, "test")
    return read_bundle(folder / "state.bayou")[1]["state"]


def assert_same(left: Any, right: Any) -> None:
    """Two states with the same values, types and arrays; lists and tuples are one in a file."""
    if isinstance(left, np.ndarray):
        assert isinstance(right, np.ndarray)
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    elif isinstance(left, Mapping):
        assert list(left) == list(right)
        for key, value in left.items():
            assert_same(value, right[key])
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    else:
        assert (type(left), left) == (type(right), right)


def assert_comes_back(thing: Any, folder: Path) -> Any:
    """Both ways: the state itself, and what a file makes of it."""
    for state in (thing.state(), in_a_file(thing.state(), folder)):
        again = type(thing).from_state(state)
        assert type(again) is type(thing)
        assert_same(thing.state(), again.state())
    return again


def assert_same_model(model: Any, again: Any, rows: Any) -> None:
    assert type(again) is type(model)
    if rows is None:
        assert again.same_as(model)
    else:
        np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
