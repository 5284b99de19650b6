"""Sequences, interventions and likelihoods about templates with numbers, as evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.errors import BadQuestion
from bayou.models.dynamic.dynamic_input import DynamicInput, longer, sequences_of
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbers_in_data
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence, mixed_evidence
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.evidence_parts import EvidenceParts
from bayou.typing import BoolArray, Name


@dataclass(frozen=True)
class MixedInput(DynamicInput):
    """Reads what users know about sequences of a template with numbers."""

    def rows(self, data: Any, options: Mapping[str, Any], more: int = 0) -> tuple[SequenceBatch, bool]:
        """(rows, whether they are one sequence that was not given in a list), with ``more`` empty steps."""
        if data is None:
            return longer(self._no_rows(), more), True
        given = sequences_of(data, options, example=list(self.variables)[-1])
        return longer(given.new_rows(list(self.variables.values())), more), given.single

    def parts_of(self, rows: AnySequences, do: Any) -> EvidenceParts[MixedEvidence]:
        """The evidence of sequences, some at a time."""
        longest = int(rows.lengths.max(initial=0))

        def read(part: SequenceBatch, sequence: int, row: int) -> MixedEvidence:
            found = self.read(part, {"do": do}, longest)
            return replace(found, first_sequence=sequence, first_row=row, shown=numbers_in_data(part))

        return EvidenceParts(rows, read)

    def read(
        self, rows: SequenceBatch, options: Mapping[str, Any], longest: int | None = None
    ) -> MixedEvidence:
        """The evidence of rows, with interventions and likelihoods. ``longest`` is the length of the longest
        sequence, if the rows are a part of more.
        """
        steps = max(int(rows.lengths.max(initial=0)), longest or 0)
        changed, set_values = self._set(
            self._complete(rows), options.get("do"), steps, is_part=longest is not None
        )
        wrong = [name for name in options.get("likelihood") or {} if name in self._numbers]
        if wrong:
            raise BadQuestion(
                f"likelihood: {wrong[0]!r} is a number; likelihoods weigh states. Add a variable that "
                "measures it, with the error as its variance."
            )
        likelihoods = self._likelihoods(rows, options.get("likelihood"), steps)
        return mixed_evidence(SliceLayout(self.template, self.variables), changed, set_values, likelihoods)

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

    def _set(
        self, rows: SequenceBatch, do: Any, steps: int, *, is_part: bool
    ) -> tuple[SequenceBatch, dict[Name, BoolArray]]:
        """(the rows with the values that ``do`` sets, in which rows each variable is set)."""
        by_name = do if isinstance(do, Mapping) else dict.fromkeys([do] if isinstance(do, str) else do or ())
        for name in by_name:
            self._known(name, "in do")
        stated: Any = {name: given for name, given in by_name.items() if name not in self._numbers}
        named = stated if isinstance(do, Mapping) else list(stated)
        batch, found = self._interventions(rows, named, steps, is_part=is_part)
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
            for places, value in self._stated(rows, name, cells, "do", steps):
                own[places] = _number(name, value)
                found[name][places] = True
            numbers[name] = own
        return replace(rows, batch=replace(batch, numbers=numbers)), found


def _number(name: Name, value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise BadQuestion(f"do: {name!r} is a number, not {value!r}.") from None
    if not np.isfinite(found):
        raise BadQuestion(f"do: {name!r} must be a finite number, not {value!r}.")
    return found
