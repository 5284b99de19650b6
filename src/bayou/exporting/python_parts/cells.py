"""Cells of a row as codes of states and numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from bayou.exporting.python_parts.amounts import amount_of, is_gap_text


def cells_of(model: Mapping[str, Any], row: Mapping[Any, Any]) -> list[Any]:
    """The cells of a row that the model knows, as codes and numbers; None where one is missing."""
    return [cell_of(column, row.get(column["name"])) for column in model["columns"]]


def cell_of(column: dict[str, Any], cell: Any) -> Any:
    """The code of a state or a number; None for a gap, and for a value that the model does not know."""
    if cell is None or cell != cell or ("states" not in column and is_gap(cell)):
        return None
    found: Any
    if "states" in column:
        found = state_codes(column).get((kind_of(cell), cell))
    else:
        found = number_of(cell)
        if found is not None and "points" in column:
            inside = column["low"] <= found <= column["high"]
            found = bisect_left(column["points"], found) if inside else None
        elif found is not None and math.isinf(found):
            raise ValueError(f"{column['name']!r} is infinite.")
    if found is None and column["unknown"] == "error":
        raise ValueError(f"{cell!r} is no value of {column['name']!r}.")
    if found is None and column["unknown"] == "smooth":
        return len(column["states"]) if "states" in column else len(column["points"]) + 1
    if "marked" in column and found is not None:
        return float(found == column["marked"])
    return found


def state_codes(column: dict[str, Any]) -> dict[Any, int]:
    """The code of each state, by its kind and value: True, 1 and "1" are three states, 1 and 1.0 are one."""
    if "codes" not in column:
        column["codes"] = {(kind_of(state), state): code for code, state in enumerate(column["states"])}
    codes: dict[Any, int] = column["codes"]
    return codes


def kind_of(value: Any) -> str:
    """What a value is: a truth value, a number or another type."""
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def is_gap(cell: Any) -> bool:
    """Whether a cell of a column of numbers is a text for a missing one."""
    return isinstance(cell, str) and is_gap_text(cell)


def number_of(cell: Any) -> float | None:
    """A cell as a number, infinite where it is too large for one; a text is what it spells, or None."""
    if isinstance(cell, str):
        return amount_of(cell)
    if not isinstance(cell, (int, float)):
        return None
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def log_sum(logs: list[float]) -> float:
    """The logarithm of a sum of numbers that are given by their logarithms."""
    top = max(logs)
    if top == -math.inf or len(logs) == 1:
        return top
    return top + math.log(math.fsum([math.exp(log - top) for log in logs]))


def shares_of(logs: list[float]) -> list[float]:
    """Numbers that are given by their logarithms, divided by their sum."""
    top = max(logs)
    parts = [math.exp(log - top) for log in logs]
    total = math.fsum(parts)
    return [part / total for part in parts]
