"""Columns in the states of declared variables: a value that differs only by its type becomes the state."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from bayou.schema import Variable, is_number, state_key
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn, SpelledNumbers
from bayou.sources.tables.objects import replaced_codes
from bayou.typing import State


def with_matched_states(table: Columns, variables: Iterable[Variable]) -> Columns:
    """Return the table with values that stand for a state of their variable replaced by that state.

    So ``1`` counts as the declared state ``"1"``; see :meth:`Variable.find`. Other values stay as they are.

    >>> from bayou.sources import read_columns
    >>> table = read_columns({"ill": ["true", "false", "?"]})
    >>> with_matched_states(table, [Variable("ill", [False, True])]).coded("ill").values()
    [True, False, '?']
    """
    changes = {
        v.name: partial(_restated, v) for v in variables if v.states and v.cuts is None and v.name in table
    }
    return table.replaced(changes) if changes else table


def _restated(variable: Variable, column: Column) -> Column:
    if isinstance(column, NumberColumn):
        if all(map(is_number, variable.states)) and not isinstance(column, SpelledNumbers):
            return column
        coded = column.coded()
    else:
        coded = column
    if all(variable.place(label) is not None for label in coded.labels):
        return column
    places: dict[tuple[str, State], int] = {}
    labels: list[State] = []
    meaning = []
    for label in coded.labels:
        code = variable.find(label)
        state = label if code is None else variable.states[code]
        place = places.setdefault(state_key(state), len(places))
        if place == len(labels):
            labels.append(state)
        meaning.append(place)
    if all(map(_same, labels, coded.labels)) and len(labels) == len(coded.labels):
        return column
    return CodedColumn(replaced_codes(coded.codes, meaning), tuple(labels), coded.ordered, coded.declared)


def _same(left: State, right: State) -> bool:
    return state_key(left) == state_key(right)
