"""Probabilities with their errors as they are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.probability.table_values import state_tuples
from bayou.schema import Schema, label
from bayou.text.tables import Bar, Cell, TextTable

if TYPE_CHECKING:
    from bayou.inference import Estimate
    from bayou.probability.probability_table import ProbabilityTable


def estimate_table(posterior: ProbabilityTable, estimate: Estimate) -> TextTable:
    """One row per cell, with half of the width of its 99 % interval."""
    numbers = (posterior.to_array().ravel().tolist(), estimate.margin.ravel().tolist())
    states = state_tuples(Schema(posterior.variables))
    rows: list[list[Cell]] = [
        [*map(label, cell), value, margin_text(margin), Bar(value)]
        for cell, value, margin in zip(states, *numbers, strict=True)
    ]
    return TextTable([*map(label, posterior.names), "P", "±", ""], rows, title=posterior.title)


def margin_text(margin: float) -> str:
    """Half of the width of an interval, with four decimals, or two digits if it is below 0.001.

    >>> margin_text(0.01234), margin_text(0.0000456), margin_text(0.0)
    ('0.0123', '4.6e-05', '0')
    """
    return "0" if margin == 0 else f"{margin:.4f}" if margin >= 0.001 else f"{margin:.2g}"
