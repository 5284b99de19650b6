"""Sequences as users hold them: lists, arrays with lengths, or a table with a column of sequences and one of
times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion
from bayou.models.sequences.input.array_likes import is_table, refuse_text, rows_of, series_name, unframed
from bayou.models.sequences.input.given_sequences import SequencesGiven
from bayou.models.sequences.input.listed_sequences import (
    ONE_COLUMN,
    column_names,
    is_list_of_sequences,
    list_given,
    named_columns,
    starts_of,
    with_states,
)
from bayou.models.sequences.input.time_gaps import IGNORE, MISSING
from bayou.models.sequences.input.time_index import has_time_index, in_time_order, with_time_column
from bayou.models.sequences.input.time_steps import TimeStep
from bayou.sources import open_source
from bayou.typing import Name


def sequences_given(
    data: Any,
    *,
    sequence: Name | None = None,
    time: Name | None = None,
    lengths: Any = None,
    columns: Sequence[Name] | None = None,
    states: Any = None,
    name: Name = "state",
    weights: Any = None,
    gaps: Any = None,
) -> SequencesGiven:
    """Read sequences in any of the forms that users have.

    A table (frame, mapping of columns, path, source) is one sequence, or as many as the column ``sequence``
    has values; an array or list of cells is one sequence, with ``lengths`` several; a list of sequences is
    several. ``states`` has the known states (None where unknown) in the same form, for data without a column
    of them. ``gaps`` says what a jump in time means: nothing, or steps without observations, whose length may
    be given. An index of times is the column of times of a table of pandas.
    """
    columns = columns if columns is not None else series_name(data)
    named = is_table(data)
    if time is None and lengths is None and has_time_index(data):
        data, time = with_time_column(data, ONE_COLUMN if named else column_names(columns, 1)[0])
    data = unframed(in_time_order(data, states))
    refuse_text(data)
    meaning, step = _gaps_given(gaps, time, lengths)
    if isinstance(states, str):
        raise BadData(
            f"states= takes the known states of the rows, not the name of a column. If {states!r} is one "
            f"of known states, name the hidden state after it: HMM(…, name={states!r})."
        )
    if is_table(data):
        if lengths is not None and sequence is not None:
            raise BadData(
                "Give either lengths= or sequence=, not both: each says which rows belong together."
            )
        starts = None if lengths is None else starts_of(lengths)
        table = data if states is None else with_states(data, name, states)
        single = sequence is None and lengths is None
        return SequencesGiven(table, starts, sequence, time, single, weights, meaning, step, named)
    if sequence is not None or time is not None:
        raise BadData(
            "sequence= and time= name columns of a table; lists and arrays have none. Leave them out."
        )
    if lengths is None and is_list_of_sequences(data):
        return list_given(data, columns, states, name, weights)
    table = named_columns(data, columns)
    starts = np.array([0, rows_of(table)]) if lengths is None else starts_of(lengths)
    if states is not None:
        table = {**table, name: list(states)}
    return SequencesGiven(table, starts, single=lengths is None, weights=weights)


def sequence_names(data: Any, sequence: Name) -> tuple[Any, ...]:
    """The values of the column that names sequences, in the order in which they are answered.

    >>> sequence_names({"id": [10, 9, 10], "x": [1, 2, 3]}, "id")
    (9, 10)
    """
    labels: list[Any] = open_source(data, names=[sequence]).map_sequences(
        lambda rows: list(rows.labels), sequence=sequence, variables=[]
    )
    return tuple(labels)


def _gaps_given(gaps: Any, time: Name | None, lengths: Any) -> tuple[str, TimeStep | None]:
    """(what a jump in time means, the step if it was given)."""
    if gaps is None or (isinstance(gaps, str) and gaps == IGNORE):
        return IGNORE, None
    step = None if isinstance(gaps, str) and gaps == MISSING else TimeStep.read(gaps)
    if time is None or lengths is not None:
        raise BadQuestion(
            'gaps="missing" is about jumps in the column time= of a table with sequences in sequence=: give '
            "time=, and no lengths=."
        )
    return MISSING, step
