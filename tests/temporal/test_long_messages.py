"""Messages over many rows keep the digits of log odds: against sums of decimals of any size."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bayou._native import best_paths, carry_message, expect_chain, filter_chain
from bayou._native.reference import all_kernels as reference

ROWS = 8_000
EXACT = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)


def unlikely_rows() -> tuple[Any, Any, Any]:
    """A start, moves and logs of rows that have the probability e^-16,000,000 together."""
    chance = np.random.default_rng(3)
    transition = np.array([[0.9, 0.1], [0.3, 0.7]])
    return np.array([0.4, 0.6]), transition, chance.normal(0, 1, (ROWS, 2)) - 2000.0


def exact_messages(start: Any, transition: Any, logs: Any, combine: Any = sum) -> list[list[Decimal]]:
    """P(rows so far, state), or that of the best path, for each row."""
    moves = [[Decimal(p) for p in line] for line in transition.tolist()]
    rows = [[Decimal(log).exp() for log in row] for row in logs.tolist()]
    now = [Decimal(p) * e for p, e in zip(start.tolist(), rows[0], strict=True)]
    found = [now]
    for row in rows[1:]:
        now = [combine(now[i] * moves[i][j] for i in range(2)) * row[j] for j in range(2)]
        found.append(now)
    return found


@pytest.mark.parametrize("best", [False, True])
def test_a_message_keeps_its_log_odds_over_many_rows(best: bool) -> None:
    start, transition, logs = unlikely_rows()
    how = (transition, np.array([0, ROWS]), [], [], logs)
    carried, log_scale = carry_message(np.log(start), *how, best=best)
    with localcontext(EXACT):
        last = exact_messages(start, transition, logs, max if best else sum)[-1]
        odds, total = float((last[1] / last[0]).ln()), float(max(last).ln())
    assert carried[1] - carried[0] == pytest.approx(odds, abs=1e-11)
    assert carried.max() == 0
    assert log_scale == pytest.approx(total, rel=1e-14)
    plain = reference.carry_message(np.log(start), *how, best=best)
    assert np.allclose(carried, plain[0], atol=1e-11)


def test_a_message_on_the_way_back_keeps_its_log_odds() -> None:
    _, transition, logs = unlikely_rows()
    carried, _ = carry_message(np.zeros(2), transition, np.array([0, ROWS]), [], [], logs, backward=True)
    # The way back through the rows is the way forward through them in reverse with the moves transposed.
    with localcontext(EXACT):
        first = exact_messages(np.ones(2), transition.T, logs[::-1])[-1]
        odds = float((first[1] / first[0]).ln())
    assert carried[1] - carried[0] == pytest.approx(odds, abs=1e-11)


@pytest.mark.parametrize("backward", [False, True])
def test_a_message_without_any_possible_state_says_so(backward: bool) -> None:
    logs = np.zeros((3, 2))
    logs[1] = -np.inf
    how = (np.eye(2), np.array([0, 3]), [], [], logs)
    for kernel in (carry_message, reference.carry_message):
        carried, log_scale = kernel(np.zeros(2), *how, backward=backward)
        assert carried.tolist() == [-np.inf, -np.inf]
        assert log_scale == -np.inf


def test_a_sequence_in_logarithms_keeps_the_digits_of_its_states() -> None:
    start, transition, logs = unlikely_rows()
    # A third state that is hardly ever reached, and alone can emit the middle row, needs logarithms.
    moves = np.zeros((3, 3))
    moves[:2, :2] = transition
    moves[:2, 2] = 1e-300
    moves[2] = [0.5, 0.5, 0]
    wide = np.hstack([logs, np.full((ROWS, 1), -np.inf)])
    wide[ROWS // 2] = [-np.inf, -np.inf, 0.0]
    begin, end = np.append(start, 0.0), None
    arguments = (begin, moves, end, np.array([0, ROWS]), [], [], wide)
    _, steps, filtered = filter_chain(*arguments)
    smoothed = expect_chain(*arguments, None, counts=False, smoothed=True)[5]
    half = ROWS // 2
    with localcontext(EXACT):
        before = exact_messages(start, transition, logs[:half])
        ratios = [float((sum(b) / sum(a)).ln()) for a, b in pairwise(before)]
        shares = np.array([[float(cell / sum(row)) for cell in row] for row in before])
        behind = exact_messages(np.full(2, 0.5), transition, logs[half + 1 :])
        last = [float(cell / sum(behind[-1])) for cell in behind[-1]]
    assert np.allclose(steps[1:half], ratios, rtol=0, atol=1e-10)
    assert np.allclose(filtered[:half, :2], shares, rtol=0, atol=1e-11)
    assert np.allclose(smoothed[-1, :2], last, rtol=0, atol=1e-11)
    assert np.allclose(smoothed.sum(axis=1), 1, rtol=0, atol=1e-11)


def test_the_best_path_is_chosen_by_digits_that_a_running_total_would_lose() -> None:
    start, transition, logs = unlikely_rows()
    found, log_probability = best_paths(start, transition, None, np.array([0, ROWS]), [], [], logs)
    with localcontext(EXACT):
        messages = exact_messages(start, transition, logs, max)
        total = float(max(messages[-1]).ln())
        moves = [[Decimal(p) for p in line] for line in transition.tolist()]
        state = int(messages[-1][1] > messages[-1][0])
        path = [state]
        for row in messages[-2::-1]:
            state = int(row[1] * moves[1][state] > row[0] * moves[0][state])
            path.append(state)
    assert found.tolist() == path[::-1]
    assert log_probability[0] == pytest.approx(total, rel=1e-14)
