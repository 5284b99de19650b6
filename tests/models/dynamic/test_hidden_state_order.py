"""The states of hidden variables come in an order that the tables decide, not the seed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.temporal.templates.hidden_state_order import with_sorted_states

SIGNS = ["a", "b", "c", "d"]


def machine() -> bayou.DynamicNetwork:
    """Hidden X with three states, seen through Y; hidden W above it, seen through X only."""
    return bayou.DynamicNetwork(
        "W -> W'; W -> X; X -> X'; X -> Y; X -> Z",
        states={"W": [0, 1], "X": [0, 1, 2], "Y": SIGNS, "Z": [0, 1]},
        tables={
            "W": [0.5, 0.5],
            "W'": [[0.95, 0.05], [0.05, 0.95]],
            "X": [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]],
            "X'": np.array([[[0.85, 0.1, 0.05]] * 3, [[0.05, 0.1, 0.85]] * 3]),
            "Y": [[0.9, 0.1, 0, 0], [0, 0.1, 0.9, 0], [0, 0, 0.1, 0.9]],
            "Z": [[0.5, 0.5], [0.1, 0.9], [0.8, 0.2]],
        },
    )


def permuted(net: bayou.DynamicNetwork, orders: dict[str, tuple[int, ...]]) -> bayou.DynamicNetwork:
    """The same model with other names for its hidden states."""
    made = bayou.DynamicNetwork(
        [(p, f"{c}{chr(39) * lag}") for p, c, lag in net.arcs],
        states={name: net.variables[name].states for name in net.names},
    )
    for table in net.tables:
        values = net.cpt(table).to_array()
        names = [*(p.rstrip("'") for p in net.parents(table)), table.rstrip("'")]
        for axis, name in enumerate(names):
            if name in orders:
                values = np.take(values, orders[name], axis=axis)
        made.set_cpt(table, values)
    return made


def test_every_naming_of_the_states_is_sorted_to_one() -> None:
    net = machine()
    plain = with_sorted_states(net.template, net.model.network, ["W", "X"])
    for own in itertools.permutations(range(3)):
        for above in itertools.permutations(range(2)):
            other = permuted(net, {"X": own, "W": above})
            assert other.score({"Y": ["a", "d", "c"]}) == pytest.approx(net.score({"Y": ["a", "d", "c"]}))
            found = with_sorted_states(other.template, other.model.network, ["W", "X"])
            for table in net.tables:
                np.testing.assert_array_equal(found.table(table), plain.table(table))
    means = plain.table("Y") @ np.arange(4)
    assert (np.diff(means) > 0).all()


def test_equal_means_leave_the_choice_to_the_next_child() -> None:
    net = machine().set_cpt("Y", [[0.25] * 4] * 3)
    found = with_sorted_states(net.template, net.model.network, ["X"])
    assert (np.diff(found.table("Z")[:, 1]) > 0).all()


def test_observed_variables_keep_their_states() -> None:
    net = machine()
    assert with_sorted_states(net.template, net.model.network, []) is net.model.network


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_two_seeds_at_one_optimum_give_one_model() -> None:
    rows: list[dict[str, Any]] = [
        {"Y": one["Y"], "Z": one["Z"]} for one in machine().sample(60, sequences=60, seed=5)
    ]
    fits = []
    for seed in range(6):
        shape = bayou.DynamicNetwork("X -> X'; X -> Y; X -> Z", states={"X": [0, 1, 2], "Y": SIGNS})
        fits.append(shape.fit(rows, seed=seed, restarts=2, tolerance=1e-9, max_iterations=2000))
    best = max(fit.learning.log_likelihood for fit in fits)
    same = [fit for fit in fits if fit.learning.log_likelihood > best - 1e-3]
    assert len(same) >= 2
    for fit in same:
        means = fit.cpt("Y").to_array() @ np.arange(4)
        assert (np.diff(means) > 0).all()
        for table in fit.tables:
            np.testing.assert_allclose(fit.cpt(table).to_array(), same[0].cpt(table).to_array(), atol=2e-3)
        assert fit.score(rows) == pytest.approx(fit.learning.log_likelihood, abs=1e-6)


def test_present_tables_and_own_priors_keep_the_names() -> None:
    net = permuted(machine(), {"X": (2, 1, 0)})
    rows = [{"Y": one["Y"], "Z": one["Z"]} for one in machine().sample(30, sequences=10, seed=1)]
    before = net.cpt("Y").to_array() @ np.arange(4)
    after = net.fit(rows, start="present", tolerance=1e-3).cpt("Y").to_array() @ np.arange(4)
    assert (np.sign(np.diff(before)) == np.sign(np.diff(after))).all()
