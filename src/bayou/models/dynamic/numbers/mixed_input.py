"""Sequences, interventions and likelihoods about templates with numbers, as evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.errors import BadQuestion
from bayou.models.dynamic.dynamic_input import DynamicInput, sequences_of
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence, mixed_evidence
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name


@dataclass(frozen=True)
class MixedInput(DynamicInput):
    """Reads what users know about sequences of a template with numbers."""

    def rows(self, data: Any, options: Mapping[str, Any], more: int = 0) -> tuple[SequenceBatch, bool]:
        """(rows, whether they are one sequence that was not given in a list), with ``more`` empty steps."""
        if data is None:
            return _lengthened(self._no_rows(), more), True
        given = sequences_of(data, options)
        return _lengthened(given.new_rows(list(self.variables.values())), more), given.single

    def read(self, rows: SequenceBatch, options: Mapping[str, Any]) -> MixedEvidence:
        """The evidence of rows, with interventions and likelihoods."""
        changed, set_values = self._set(self._complete(rows), options.get("do"))
        wrong = [name for name in options.get("likelihood") or {} if name in self._numbers]
        if wrong:
            raise BadQuestion(
                f"likelihood: {wrong[0]!r} is a number; likelihoods weigh states. Add a variable that "
                "measures it, with the error as its variance."
            )
        likelihoods = self._likelihoods(rows, options.get("likelihood"), _longest(rows))
        for name, values in likelihoods.items():
            if self.template.outside(name):
                likelihoods[name] = self._gathered(rows, name, values)
        return mixed_evidence(SliceLayout(self.template, self.variables), changed, set_values, likelihoods)

    def _gathered(self, rows: SequenceBatch, name: Name, values: FloatArray) -> FloatArray:
        """The likelihoods of a variable outside time: of all rows multiplied, where it gets its value."""
        found = np.ones_like(values)
        for row in self._begins(rows, name):
            sequence = int(np.searchsorted(rows.starts, row, side="right")) - 1
            found[row] = values[rows.starts[sequence] : rows.starts[sequence + 1]].prod(axis=0)
        return found

    @property
    def _numbers(self) -> list[Name]:
        return [name for name, variable in self.variables.items() if variable.is_continuous]

    def _no_rows(self) -> SequenceBatch:
        return self._complete(SequenceBatch(Batch(0, {}, {}), np.array([0, 0])))

    def _complete(self, rows: SequenceBatch) -> SequenceBatch:
        """The rows with a column for every variable."""
        codes, numbers = dict(rows.batch.codes), dict(rows.batch.numbers)
        for name in self.variables:
            if name in self._numbers:
                numbers.setdefault(name, np.full(rows.rows, np.nan))
            else:
                codes.setdefault(name, np.full(rows.rows, missing_code(np.uint32), dtype=np.uint32))
        return replace(rows, batch=replace(rows.batch, codes=codes, numbers=numbers))

    def _set(self, rows: SequenceBatch, do: Any) -> tuple[SequenceBatch, dict[Name, BoolArray]]:
        """(the rows with the values that ``do`` sets, in which rows each variable is set)."""
        by_name = do if isinstance(do, Mapping) else dict.fromkeys([do] if isinstance(do, str) else do or ())
        for name in by_name:
            self._known(name, "in do")
        stated: Any = {name: given for name, given in by_name.items() if name not in self._numbers}
        batch, found = self._interventions(
            rows, stated if isinstance(do, Mapping) else list(stated), _longest(rows)
        )
        numbers = dict(batch.numbers)
        for name, given in by_name.items():
            if name not in self._numbers:
                continue
            own = np.array(numbers[name], dtype=np.float64)
            if not isinstance(do, Mapping):
                found[name] = ~np.isnan(own)
                continue
            found[name] = np.zeros(rows.rows, dtype=bool)
            cells = given.tolist() if isinstance(given, np.ndarray) else given
            for places, value in self._stated(rows, name, cells, "do", _longest(rows)):
                own[places] = _number(name, value)
                found[name][places] = True
            numbers[name] = own
        return replace(rows, batch=replace(batch, numbers=numbers)), found


def _longest(rows: SequenceBatch) -> int:
    return int(rows.lengths.max(initial=0))


def _number(name: Name, value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise BadQuestion(f"do: {name!r} is a number, not {value!r}.") from None
    if not np.isfinite(found):
        raise BadQuestion(f"do: {name!r} must be a finite number, not {value!r}.")
    return found


def _lengthened(rows: SequenceBatch, more: int) -> SequenceBatch:
    """The sequences with so many more rows, in which nothing is observed."""
    if not more:
        return rows
    starts = np.concatenate([[0], np.cumsum(rows.lengths + more)]).astype(np.int64)
    places = np.arange(rows.rows) + np.repeat(starts[:-1] - rows.starts[:-1], rows.lengths)
    codes: dict[Name, CodeArray] = {
        name: _moved(column, places, int(starts[-1]), missing_code(column.dtype))
        for name, column in rows.batch.codes.items()
    }
    numbers: dict[Name, FloatArray] = {
        name: _moved(np.asarray(column, dtype=np.float64), places, int(starts[-1]), np.nan)
        for name, column in rows.batch.numbers.items()
    }
    return SequenceBatch(Batch(int(starts[-1]), codes, numbers), starts, rows.weights)


def _moved(column: npt.NDArray[Any], places: IntArray, rows: int, gap: Any) -> npt.NDArray[Any]:
    own = np.full(rows, gap, dtype=column.dtype)
    own[places] = column
    return own
