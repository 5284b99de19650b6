"""Sequences, interventions and likelihoods as users state them, as evidence of slices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.errors import BadData, BadQuestion, UnknownVariable, listed
from bayou.models.sequences.input.array_likes import is_table, series_name
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.sequence_input import sequences_given
from bayou.schema import Variable, label
from bayou.statistics import Batch, Source
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.statistics.rows.sequence_keys import with_all_states
from bayou.temporal.templates.slice_evidence import SliceEvidence, slice_evidence
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import BoolArray, FloatArray, Name

KEYS = ("sequence", "time", "lengths", "columns", "gaps")
"""The arguments that say how data are sequences."""
ASKING = (*KEYS, "do", "likelihood")
"""The arguments that questions take beside the data."""


def sequences_of(
    data: Any, options: Mapping[str, Any], weights: Any = None, example: Name = "Umbrella"
) -> SequencesGiven:
    """Data of users as sequences; lists and arrays need names of columns, such as ``example``."""
    unknown = [name for name in options if name not in ASKING]
    if unknown:
        raise BadQuestion(f"{listed(unknown)}: there is no such argument; use some of {listed(ASKING)}.")
    sequence, time, lengths, columns, gaps = (options.get(name) for name in KEYS)
    columns = columns if columns is not None else series_name(data)
    several = isinstance(data, list | tuple) and len(data) > 0 and not isinstance(data[0], str)
    named = is_table(data) or (several and is_table(data[0]))
    listed_nothing = isinstance(data, list | tuple) and not data
    if not named and columns is None and not listed_nothing:
        raise BadQuestion(
            "Which variables are these values of? Name them with columns=, or give a table, such as "
            f"{{{example!r}: [...]}}."
        )
    return sequences_given(
        data, sequence=sequence, time=time, lengths=lengths, columns=columns, weights=weights, gaps=gaps
    )


def names_asked(ask: Any, names: tuple[Name, ...]) -> tuple[Name, ...]:
    """The variables that ``ask`` names, which may be one; without it all."""
    if ask is None:
        return names
    found = (ask,) if isinstance(ask, str) or not isinstance(ask, Iterable) else tuple(ask)
    for name in found:
        if name not in names:
            raise UnknownVariable.named(name, names, "in ask")
    return found


def discrete_column(source: Source, name: Name) -> Variable:
    """The variable of a column with the states of all rows, also of a file that is streamed."""
    found = source.variable(name)
    if source.is_streamed and not found.is_continuous:
        found = with_all_states(source, name) or found
    if found.is_continuous:
        raise BadData(f"{name!r} is a column of real numbers, but a variable with states is needed here.")
    return found


@dataclass(frozen=True)
class DynamicInput:
    """Reads what users know about sequences of a template."""

    template: DynamicTemplate
    variables: Mapping[Name, Variable]

    def rows(self, data: Any, options: Mapping[str, Any], more: int = 0) -> tuple[SequenceBatch, bool]:
        """(rows in the codes of the variables, whether they are one sequence that was not given in a list).

        ``more`` steps without observations are added to each sequence. None is one sequence without a step.
        """
        if data is None:
            return longer(self._empty(), more), True
        given = sequences_of(data, options, example=list(self.variables)[-1])
        return longer(given.new_rows(list(self.variables.values())), more), given.single

    def parts(self, data: Any, options: Mapping[str, Any]) -> Iterator[SliceEvidence]:
        """The evidence of some sequences at a time, where the data are too large for memory."""
        if data is None or options.get("do") is not None or options.get("likelihood") is not None:
            yield self.evidence(self.rows(data, options)[0], options)
            return
        first = 0
        for given in sequences_of(data, options).new_parts(list(self.variables.values())):
            part = given if isinstance(given, SequenceBatch) else given.whole()
            yield replace(self.evidence(part, options), first_sequence=first)
            first += part.count

    def evidence(
        self, rows: SequenceBatch, options: Mapping[str, Any], longest: int | None = None
    ) -> SliceEvidence:
        """The evidence of rows, with interventions and likelihoods. ``longest`` is the length of the longest
        sequence, if the rows are a part of more.
        """
        steps = max(int(rows.lengths.max()) if rows.count else 0, longest or 0)
        batch, set_values = self._interventions(rows, options.get("do"), steps, is_part=longest is not None)
        changed = replace(rows, batch=batch)
        likelihoods = self._likelihoods(rows, options.get("likelihood"), steps)
        return slice_evidence(
            self.template, changed, self.variables, set_values=set_values, likelihoods=likelihoods
        )

    def _empty(self) -> SequenceBatch:
        codes = {name: np.zeros(0, dtype=np.uint32) for name in self.variables}
        return SequenceBatch(Batch(0, codes, {}), np.array([0, 0]))

    def _known(self, name: Name, where: str) -> Variable:
        if name not in self.variables:
            raise UnknownVariable.named(name, tuple(self.variables), where)
        return self.variables[name]

    def _interventions(
        self, rows: SequenceBatch, do: Any, steps: int, *, is_part: bool
    ) -> tuple[Batch, dict[Name, BoolArray]]:
        """(the rows with the values that ``do`` sets, in which rows each variable is set)."""
        codes = dict(rows.batch.codes)
        found: dict[Name, BoolArray] = {}
        if do is None:
            return rows.batch, found
        if not isinstance(do, Mapping):
            if isinstance(do, str):
                do = [do]
            if not isinstance(do, Iterable):
                raise BadQuestion(
                    "do= takes a mapping, such as {'Rain': 'yes'} or {'Rain': {3: 'yes'}}, or names of "
                    "columns."
                )
            for name in do:
                self._known(name, "in do")
                column = codes.get(name, np.zeros(0, dtype=np.uint32))
                found[name] = np.asarray(column != missing_code(column.dtype))
                if name not in codes or (rows.rows and not is_part and not found[name].any()):
                    raise BadQuestion(
                        f"do names {name!r}, of which the data have no values: set some, do={{{name!r}: …}}."
                    )
            return rows.batch, found
        for name, given in do.items():
            variable = self._known(name, "in do")
            own = np.full(rows.rows, missing_code(np.uint32), dtype=np.uint32)
            if name in codes:
                seen = codes[name] != missing_code(codes[name].dtype)
                own[seen] = codes[name][seen]
            found[name] = np.zeros(rows.rows, dtype=bool)
            for places, state in self._stated(rows, name, given, "do", steps):
                self._refuse_observed(variable, own, places, variable.code(state), rows)
                own[places] = variable.code(state)
                found[name][places] = True
            codes[name] = own
        return replace(rows.batch, codes=codes), found

    def _refuse_observed(
        self,
        variable: Variable,
        own: npt.NDArray[np.uint32],
        places: list[int],
        code: int,
        rows: SequenceBatch,
    ) -> None:
        """Raise BadQuestion where another value was observed than the one that is set."""
        others = (own[places] != missing_code(np.uint32)) & (own[places] != code)
        if others.any():
            row = places[int(np.flatnonzero(others)[0])]
            raise BadQuestion(
                f"{variable.name!r} is both observed ({label(variable.states[own[row]])}, in row "
                f"{rows.batch.number(row)}, counting from 0) and set by do ({label(variable.states[code])}). "
                "Give only one of the two: make the cell missing (None), or leave the step out of do=."
            )

    def _likelihoods(self, rows: SequenceBatch, given: Any, steps: int) -> dict[Name, FloatArray]:
        found: dict[Name, FloatArray] = {}
        if given is None:
            return found
        if not isinstance(given, Mapping):
            raise BadQuestion('likelihood= takes a mapping, such as {"Rain": {3: {"no": 0.2, "yes": 0.9}}}.')
        for name, stated in given.items():
            variable = self._known(name, "in likelihood")
            own = np.ones((rows.rows, variable.cardinality))
            if isinstance(stated, np.ndarray) and stated.ndim == 2:
                if stated.shape != own.shape:
                    raise BadData(
                        f"likelihood: the array of {name!r} needs the shape {own.shape}, not {stated.shape}."
                    )
                own = _checked(name, stated)
            else:
                for places, weights in self._stated(rows, name, stated, "likelihood", steps):
                    own[places] = _checked(name, _by_state(variable, weights))
            found[name] = own
        return found

    def _stated(
        self, rows: SequenceBatch, name: Name, given: Any, where: str, steps: int
    ) -> Iterable[tuple[list[int], Any]]:
        """(rows, what is stated about them): for some steps of every sequence, step by step, or for all."""
        weights = where == "likelihood"
        by_step = isinstance(given, Mapping) and not (weights and _is_by_state(self.variables[name], given))
        if self.template.outside(name) and not by_step:
            # It has one value, so that a likelihood counts once, whatever the length of the sequence.
            yield self._begins(rows, name) if weights else list(range(rows.rows)), given
        elif by_step:
            for step, value in given.items():
                yield _places(rows, step, steps, f"{where}: the step of {name!r}"), value
        elif isinstance(given, Sequence) and not isinstance(given, str) and not (weights and _numbers(given)):
            for step, value in enumerate(given):
                if value is not None:
                    yield _places(rows, step, steps, f"{where}: the step of {name!r}"), value
        else:
            yield list(range(rows.rows)), given

    def _begins(self, rows: SequenceBatch, name: Name) -> list[int]:
        """The row of each sequence in which a variable outside time gets its value."""
        begins = rows.starts[1:] - 1 if name in self.template.last else rows.starts[:-1]
        return [int(row) for row in begins[rows.lengths > 0]]


def _is_by_state(variable: Variable, given: Mapping[Any, Any]) -> bool:
    return all(key in variable.states for key in given) and not any(
        isinstance(value, Mapping | Sequence) for value in given.values()
    )


def _numbers(given: Sequence[Any]) -> bool:
    return all(isinstance(one, int | float) for one in given)


def _by_state(variable: Variable, weights: Any) -> FloatArray:
    if isinstance(weights, Mapping):
        by_code = {variable.code(state): weight for state, weight in weights.items()}
        weights = [by_code.get(code) for code in range(variable.cardinality)]
    try:
        values = np.asarray(weights, dtype=object)
        values = np.zeros(0) if None in values.tolist() else values.astype(np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (variable.cardinality,):
        raise BadData(
            f"likelihood: {variable.name!r} needs a number for each of its states "
            f"({listed(variable.states)})."
        )
    return values


def _checked(name: Name, values: FloatArray) -> FloatArray:
    found = np.asarray(values, dtype=np.float64)
    if not np.all(np.isfinite(found)) or (found < 0).any() or not np.all(found.max(axis=-1) > 0):
        raise BadData(f"likelihood: the numbers of {name!r} must be 0 or more and finite, and not all 0.")
    return found


def _places(rows: SequenceBatch, step: Any, longest: int, what: str) -> list[int]:
    """The rows of a step in all sequences that are so long."""
    if isinstance(step, bool) or not isinstance(step, int | np.integer) or not 0 <= step < longest:
        raise BadQuestion(f"{what} is {step!r}: expected a number from 0 to {longest - 1}, the last step.")
    return [
        int(start) + int(step) for start, n in zip(rows.starts[:-1], rows.lengths, strict=True) if step < n
    ]


def longer(rows: SequenceBatch, more: int) -> SequenceBatch:
    """The sequences with so many more rows, in which nothing is observed."""
    if not more:
        return rows
    starts = np.concatenate([[0], np.cumsum(rows.lengths + more)]).astype(np.int64)
    places = np.arange(rows.rows) + np.repeat(starts[:-1] - rows.starts[:-1], rows.lengths)

    def moved(column: npt.NDArray[Any], gap: Any) -> npt.NDArray[Any]:
        own = np.full(int(starts[-1]), gap, dtype=column.dtype)
        own[places] = column
        return own

    codes = {name: moved(own, missing_code(own.dtype)) for name, own in rows.batch.codes.items()}
    numbers = {
        name: moved(np.asarray(own, dtype=np.float64), np.nan) for name, own in rows.batch.numbers.items()
    }
    return SequenceBatch(Batch(int(starts[-1]), codes, numbers), starts, rows.weights)
