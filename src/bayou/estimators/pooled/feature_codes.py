"""Columns as small codes, fine enough that each member's own codes are found by a look-up in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import digitise
from bayou.errors import BadFile, warn_user
from bayou.estimators.input.code_positions import state_positions
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.saved_arrays import reals, truth, whole, wholes
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import FloatArray, Name

Codes = npt.NDArray[np.uint8]
UNKNOWN = 255
"""The code of a value that no training row had, and of a gap in a column without gaps in training."""
MOST_STATES = 200
"""Rarer states than these many share one code."""


@dataclass(frozen=True, eq=False)
class NumberCodes:
    """A column of numbers as codes of the ranges between cuts; a gap has a code of its own if it had any."""

    name: Name
    cuts: FloatArray
    has_gaps: bool

    is_ordered = True

    @property
    def card(self) -> int:
        """The number of codes."""
        return len(self.cuts) + 1 + self.has_gaps

    @property
    def gap(self) -> int:
        """The code of a gap."""
        return len(self.cuts) + 1 if self.has_gaps else UNKNOWN

    def codes(self, rows: FeatureTable) -> tuple[Codes, int]:
        """The code of every row, and how many cells have a text that is no number: they are gaps."""
        numbers, texts = rows.seen_numbers(self.name)
        found = digitise(numbers, self.cuts)
        missing = found == np.iinfo(found.dtype).max
        codes = found.astype(np.uint8)
        codes[missing] = self.gap
        return codes, texts

    def coarser(self, cuts: FloatArray) -> Codes:
        """For each code (and at 255 for unknown) that of the ranges between some of the cuts."""
        table = np.full(256, UNKNOWN, dtype=np.uint8)
        ends = np.append(self.cuts, np.inf)
        table[: len(ends)] = np.searchsorted(cuts, ends, side="left")
        if self.has_gaps:
            table[self.gap] = len(cuts) + 1
        return table

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {"name": encode_value(self.name), "cuts": self.cuts, "has_gaps": self.has_gaps}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> NumberCodes:
        """Read :meth:`state`; every code must fit into a byte."""
        cuts = reals(state, "cuts", (None,))
        if np.any(cuts[1:] <= cuts[:-1]) or len(cuts) + 2 >= UNKNOWN:
            raise BadFile("the cuts of a column are not ascending, or too many.")
        return cls(decode_value(state["name"]), cuts, truth(state, "has_gaps"))


@dataclass(frozen=True, eq=False)
class StateCodes:
    """A column of states as codes, the most frequent first; a gap has a code of its own if it had any."""

    variable: Variable
    places: Codes
    """The code of each state, and of a missing and of a new one."""
    states: int
    has_gaps: bool

    is_ordered = False

    @property
    def name(self) -> Name:
        """The column."""
        return self.variable.name

    @property
    def card(self) -> int:
        """The number of codes."""
        return self.states + self.has_gaps

    @property
    def gap(self) -> int:
        """The code of a gap."""
        return self.states if self.has_gaps else UNKNOWN

    @classmethod
    def of(cls, variable: Variable, weights: Sequence[float], has_gaps: bool) -> StateCodes:
        """The codes of states that have these weights in training."""
        order = np.argsort(-np.asarray(weights, dtype=np.float64), kind="stable")
        places = np.full(variable.cardinality + 2, UNKNOWN, dtype=np.uint8)
        places[order] = np.minimum(np.arange(len(order)), MOST_STATES - 1)
        states = min(len(order), MOST_STATES)
        if has_gaps:
            places[variable.cardinality] = states
        return cls(variable, places, states, has_gaps)

    def codes(self, rows: FeatureTable) -> tuple[Codes, int]:
        """The code of every row, and how many values were never seen."""
        if not rows.has(self.name):
            return np.full(rows.rows, self.gap, dtype=np.uint8), 0
        positions, unseen = state_positions(self.variable, rows.columns.coded(self.name), "missing")
        return self.places[positions], unseen

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        codes = {"places": self.places, "states": self.states, "has_gaps": self.has_gaps}
        return {"variable": self.variable.state(), **codes}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> StateCodes:
        """Read :meth:`state`; every state must have a code."""
        variable = Variable.from_state(state["variable"])
        states, has_gaps = whole(state, "states", 0, MOST_STATES), truth(state, "has_gaps")
        places = wholes(state, "places", (variable.cardinality + 2,), 0, UNKNOWN)
        if np.any((places >= states + has_gaps) & (places != UNKNOWN)):
            raise BadFile(f"a state of {variable.name!r} has a code that its column does not have.")
        return cls(variable, places.astype(np.uint8), states, has_gaps)


ColumnCodes = NumberCodes | StateCodes


def coded_rows(columns: Sequence[ColumnCodes], rows: FeatureTable) -> Codes:
    """The codes of all columns, [column, row]; one warning counts the values that were never seen."""
    codes = np.empty((len(columns), rows.rows), dtype=np.uint8)
    unseen = {}
    for place, column in enumerate(columns):
        codes[place], unseen[column.name] = column.codes(rows)
    told = ", ".join(f"{count} in {name!r}" for name, count in unseen.items() if count)
    if told:
        warn_user(f"Values that were not in the training rows are ignored: {told}.")
    return codes
