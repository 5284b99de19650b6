"""The kernels of dynamic networks against their references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.random_templates import random_model, random_rows

from bayou._native import SliceProgram, best_slices, filter_slices, smooth_slices
from bayou._native.reference.temporal import slices as reference


def arguments(seed: int, counts: bool) -> tuple[list[Any], list[Any], list[Any], list[int]]:
    """(compiled programs, reference programs, the other arguments, states of wanted variables)."""
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    data = [random_rows(chance, model, int(n)) for n in chance.integers(1, 7, size=4)]
    _, evidence, _ = model._asked(data, {})
    found = model.model
    wanted = [] if counts else [n for n in model.names if not model._always_known(evidence, n)]
    kinds, (programs, *others) = found._call(evidence, wanted, counts)
    plans = [found.plan(kind) for kind in kinds]
    references = [
        reference.SliceProgram(tables=[use.values(found.network) for use in plan.uses], **plan.arguments)
        for plan in plans
    ]
    return programs, references, others, [found.variables[name].cardinality for name in wanted]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kept", [2**20, 0])
def test_smoothed(seed: int, kept: int) -> None:
    for counts in (False, True):
        programs, references, others, states = arguments(seed, counts)
        weights = np.random.default_rng(seed).random(4)
        one = smooth_slices(programs, *others, states, weights, counts, kept)
        two = reference.smooth_slices(references, *others, states, weights, counts, kept)
        np.testing.assert_allclose(one[0], two[0], atol=1e-10)
        for a, b in zip(one[1], two[1], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-10)
        for own, other in zip(one[2], two[2], strict=True):
            for a, b in zip(own, other, strict=True):
                np.testing.assert_allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_filtered(seed: int) -> None:
    programs, references, others, states = arguments(seed, counts=False)
    one = filter_slices(programs, *others, states)
    two = reference.filter_slices(references, *others, states)
    for a, b in zip((*one[:2], *one[2]), (*two[:2], *two[2]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kept", [2**20, 0])
def test_best(seed: int, kept: int) -> None:
    programs, references, others, _ = arguments(seed, counts=True)
    logs, paths = best_slices(programs, *others, kept)
    wanted, other_paths = reference.best_slices(references, *others, kept)
    np.testing.assert_allclose(logs, wanted, atol=1e-10)
    np.testing.assert_array_equal(paths, other_paths)


def test_the_number_of_threads_changes_nothing() -> None:
    programs, _, others, _ = arguments(3, counts=True)
    one = smooth_slices(programs, *others, [], None, True, 2**20, threads=1)
    two = smooth_slices(programs, *others, [], None, True, 2**20, threads=2)
    assert all(
        np.array_equal(a, b)
        for own, other in zip(one[2], two[2], strict=True)
        for a, b in zip(own, other, strict=True)
    )


def two_states(table: list[float]) -> dict[str, Any]:
    """A program of a slice with one variable of two states, the message of which is its table."""
    none = {
        k: np.zeros((0, n), np.int64) for k, n in (("picks", 5), ("passes", 3), ("loops", 6), ("axes", 6))
    }
    return {
        "operands": np.array([[0, 0, 2]]),
        "tables": [np.array(table)],
        "result": 0,
        "numbers": [],
        "incoming": np.zeros((0, 2), np.int64),
        "outgoing": np.array([[0, 2]]),
        "message_marginals": np.array([[0, 1, 2, 1]]),
        "table_marginals": np.zeros((0, 5), np.int64),
        "parts": np.zeros((0, 4), np.int64),
        "factored": False,
        "ids": 1,
        **none,
    }


def test_a_single_table_is_a_message() -> None:
    program = SliceProgram(**two_states([0.25, 0.75]))
    rest = [np.array([0, 1]), np.zeros((1, 1), np.uint32), [], np.zeros(1, np.uint32)]
    logs, _, beliefs = filter_slices([program], *rest, [2])
    assert logs.tolist() == [0.0]
    assert beliefs[0].tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"operands": np.array([[0, 0, 3]])},
        {"operands": np.array([[0, 1, 2]])},
        {"result": 4},
        {"outgoing": np.array([[0, 3]])},
        {"outgoing": np.array([[7, 2]])},
        {"message_marginals": np.array([[0, 1, 2, 2]])},
        {"passes": np.array([[0, 5, 2]])},
        {"loops": np.array([[0, 0, 2, 1, 1, 1]])},
        {"picks": np.array([[0, 0, 0, 2, 9]])},
    ],
)
def test_programs_that_would_leave_their_tables_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        SliceProgram(**{**two_states([0.5, 0.5]), **wrong})


def test_rows_that_do_not_fit_are_refused() -> None:
    program = SliceProgram(**two_states([0.5, 0.5]))
    codes, places = np.zeros((1, 2), np.uint32), np.zeros(2, np.uint32)
    with pytest.raises(ValueError, match="does not fit"):
        filter_slices([program], np.array([0, 2]), codes, [], places, [2])
    with pytest.raises(ValueError, match="no program"):
        filter_slices([program], np.array([0, 1, 2]), codes, [], places + 1, [2])
    with pytest.raises(ValueError, match="starts"):
        filter_slices([program], np.array([0, 1]), codes, [], places, [2])
