"""Forgetting rows leaves the network that the other rows alone give, states and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

import bayou

ROWS = st.lists(
    st.tuples(st.sampled_from([1, "1", "später", True]), st.sampled_from(["a b", "ö", "c"])),
    min_size=1,
    max_size=12,
)


def columns(rows: Any) -> dict[str, Any]:
    return {"class": [row[0] for row in rows], "Größe 2": [row[1] for row in rows]}


def fresh() -> bayou.Network:
    return bayou.Network({"class": [], "Größe 2": ["class"]})


@given(ROWS, ROWS)
@law
def test_states_that_only_forgotten_rows_had_are_forgotten(kept: Any, gone: Any) -> None:
    both = fresh().fit(columns([*kept, *gone])).forget(columns(gone))
    assert both.same_as(fresh().fit(columns(kept)))


def test_groups_of_moments_are_forgotten_too() -> None:
    kept = {"g": ["a", "a", "b", "b", "a", "b"], "x": [1.0, 2.0, 4.0, 5.0, 2.5, 7.0]}
    gone = {"g": ["z", "z", "z"], "x": [8.0, 9.0, 7.0]}
    net = bayou.Network("g -> x", continuous=["x"])
    both = {name: [*kept[name], *gone[name]] for name in kept}
    assert net.fit(both).forget(gone).states("g") == ("a", "b")
    np.testing.assert_allclose(
        net.frozen.gaussian("x").intercept,
        bayou.Network("g -> x", continuous=["x"]).fit(kept).frozen.gaussian("x").intercept,
        rtol=1e-12,
    )


def test_states_that_were_declared_stay() -> None:
    net = bayou.Network("R", states={"R": [1, 2, 3]}).fit({"R": [1, 2, 3]}).forget({"R": [3]})
    assert net.states("R") == (1, 2, 3)
    frame = pd.DataFrame({"R": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True)})
    learned = bayou.Network("R").fit(frame)
    assert learned.forget(frame.iloc[1:]).states("R") == ("lo", "mid", "hi")
