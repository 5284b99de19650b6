"""Answers for a table are those of single queries, row by row, whatever the chunks."""

from __future__ import annotations

import contextlib
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import ImpossibleEvidence
from bayou.models.rows import row_chunks

from .strategies import joint_by_hand, law, networks

Row = dict[Any, Any]


@st.composite
def tables(draw: st.DrawFn) -> tuple[bayou.Network, list[Row]]:
    """A network and rows with gaps of their own; sometimes a variable has no column."""
    net = draw(networks(most=4))
    names = list(net.names)
    if len(names) > 1 and draw(st.booleans()):
        names.remove(draw(st.sampled_from(names)))
    cells = st.fixed_dictionaries({name: st.sampled_from([None, *net.states(name)]) for name in names})
    return net, draw(st.lists(cells, min_size=1, max_size=8))


def as_columns(rows: list[Row]) -> Row:
    return {name: [row[name] for row in rows] for name in rows[0]}


def found(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}


def is_possible(net: bayou.Network, row: Row) -> bool:
    try:
        net.log_evidence(found(row))
    except ImpossibleEvidence:
        return False
    return True


def log_of(net: bayou.Network, row: Row) -> float:
    return net.log_evidence(found(row)) if is_possible(net, row) else -math.inf


def chunks_of(rows: int) -> Any:
    """A context in which so many rows are worked on at a time."""
    patch = pytest.MonkeyPatch()
    patch.setattr(row_chunks, "ROWS_AT_A_TIME", rows)
    return contextlib.closing(SimpleNamespace(close=patch.undo))


@law
@given(tables(), st.integers(1, 8))
def test_posteriors_and_predictions_are_those_of_single_queries(
    case: tuple[bayou.Network, list[Row]], chunk: int
) -> None:
    net, rows = case
    with chunks_of(chunk):
        answers = net.posterior(as_columns(rows), net.names)
    for target in net.names:
        predicted = net.predict(as_columns(rows), target)
        for number, row in enumerate(rows):
            rest = found({name: value for name, value in row.items() if name != target})
            if not is_possible(net, rest):
                assert np.isnan(answers[target][number]).all()
                assert predicted[number] is None
                continue
            expected = net.query(target, rest).to_array()
            np.testing.assert_allclose(answers[target][number], expected, rtol=1e-9, atol=1e-12)
            place = net.variables[target].code(predicted[number])
            assert expected[place] >= expected.max() * (1 - 1e-8)


@law
@given(tables(), st.integers(1, 8))
def test_the_log_likelihood_is_the_sum_over_rows(case: tuple[bayou.Network, list[Row]], chunk: int) -> None:
    net, rows = case
    expected = [log_of(net, row) for row in rows]
    with chunks_of(chunk):
        each = net.log_likelihood(as_columns(rows), per_row=True)
    np.testing.assert_allclose(each, expected, rtol=1e-9, atol=1e-12)
    weights = [0 if math.isinf(log) else 1 + number for number, log in enumerate(expected)]
    total = sum(weight * log for weight, log in zip(weights, expected, strict=True) if weight)
    assert net.log_likelihood(as_columns(rows), weights) == pytest.approx(total, rel=1e-9, abs=1e-12)


def completed(net: bayou.Network, rows: list[Row], chunk: int, method: str, **more: Any) -> list[Row]:
    """The rows after imputation; what was there is still there, and impossible rows are untouched."""
    with chunks_of(chunk):
        done: list[Row] = net.impute(rows, method, impossible="leave", **more)
    for before, after in zip(rows, done, strict=True):
        assert set(before) == set(after)
        for name, value in before.items():
            same = type(after[name]) is type(value) and after[name] == value
            assert same if value is not None or not is_possible(net, before) else after[name] is not None
    return done


@law
@given(tables(), st.integers(1, 8))
def test_each_gap_gets_its_own_most_probable_state(case: tuple[bayou.Network, list[Row]], chunk: int) -> None:
    net, rows = case
    for before, after in zip(rows, completed(net, rows, chunk, "marginal"), strict=True):
        for name in before if is_possible(net, before) else ():
            if before[name] is None:
                expected = net.query(name, found(before)).to_array()
                chosen = expected[net.variables[name].code(after[name])]
                assert chosen >= expected.max() * (1 - 1e-8)


def best_completion(net: bayou.Network, row: Row) -> float:
    """max P(completion of the row's own columns), variables without a column summed out, by enumeration."""
    sums: dict[tuple[int, ...], float] = {}
    codes = {name: net.variables[name].code(value) for name, value in found(row).items()}
    shown = [k for k, name in enumerate(net.names) if name in row]
    for states, probability in joint_by_hand(net).items():
        if all(states[k] == codes.get(name, states[k]) for k, name in enumerate(net.names)):
            key = tuple(states[k] for k in shown)
            sums[key] = sums.get(key, 0.0) + probability
    return max(sums.values())


@law
@given(tables(), st.integers(1, 8))
def test_the_joint_completion_is_as_probable_as_any(
    case: tuple[bayou.Network, list[Row]], chunk: int
) -> None:
    net, rows = case
    for before, after in zip(rows, completed(net, rows, chunk, "joint"), strict=True):
        if is_possible(net, before):
            assert math.exp(log_of(net, after)) == pytest.approx(best_completion(net, before), rel=1e-9)


@law
@given(tables(), st.integers(1, 8), st.integers(0, 2**40))
def test_draws_are_possible_and_depend_on_seed_and_row_only(
    case: tuple[bayou.Network, list[Row]], chunk: int, seed: int
) -> None:
    net, rows = case
    drawn = completed(net, rows, chunk, "sample", seed=seed)
    assert all(
        is_possible(net, after) for before, after in zip(rows, drawn, strict=True) if is_possible(net, before)
    )
    assert completed(net, rows, len(rows), "sample", seed=seed) == drawn
