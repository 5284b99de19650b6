"""P(state) of each step of a sequence of rows, in logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from bayou.exporting.python_parts.cells import cells_of, log_sum, shares_of
from bayou.exporting.python_parts.terms import component_scores


def probabilities(model: Mapping[str, Any], rows: Iterable[Mapping[Any, Any]]) -> list[list[float]]:
    """P(state | rows so far) of each row, or P(state | all rows) where the model smooths."""
    emitted = [component_scores(model, cells_of(model, row)) for row in rows]
    forwards = filtered(model, emitted)
    if not model["smooth"] or not forwards:
        return [owned(model, shares_of(logs)) for logs in forwards]
    backwards = remaining(model, emitted)
    joined = [[a + b for a, b in zip(*pair)] for pair in zip(forwards, backwards)]
    if max(joined[-1]) == -math.inf:
        raise ValueError("This sequence cannot end here.")
    return [owned(model, shares_of(logs)) for logs in joined]


def filtered(model: Mapping[str, Any], emitted: list[list[float]]) -> list[list[float]]:
    """log P(state | rows so far), but for what all states share."""
    found: list[list[float]] = []
    for step, scores in enumerate(emitted):
        if step == 0:
            before = model["log_start"]
        else:
            last = found[-1]
            before = [log_sum([a + b for a, b in zip(last, column)]) for column in zip(*model["log_moves"])]
        logs = [a + b for a, b in zip(before, scores)]
        if max(logs) == -math.inf:
            raise ValueError(f"Row {step} (counting from 0) cannot follow the rows before it.")
        found.append([log - max(logs) for log in logs])
    return found


def remaining(model: Mapping[str, Any], emitted: list[list[float]]) -> list[list[float]]:
    """log P(rows that follow | state), but for what all states share."""
    found = [model["log_end"]]
    for scores in reversed(emitted[1:]):
        after = [a + b for a, b in zip(found[-1], scores)]
        logs = [log_sum([a + b for a, b in zip(row, after)]) for row in model["log_moves"]]
        found.append([log - max(logs) if max(logs) > -math.inf else log for log in logs])
    return found[::-1]


def owned(model: Mapping[str, Any], shares: list[float]) -> list[float]:
    """The probabilities of the states that users see: sums over those that belong to one."""
    parts: list[list[float]] = [[] for _ in model["states"]]
    for owner, share in zip(model["owners"], shares):
        parts[owner].append(share)
    return [math.fsum(own) for own in parts]
