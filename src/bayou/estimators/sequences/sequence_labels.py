"""The class of each sequence: a list, a mapping from the names of sequences, or a column of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.codes import is_missing_cell
from bayou.errors import BadData, counted, warn_user
from bayou.estimators.input.containers import is_column_name
from bayou.estimators.input.target import NamedLabels, named_labels
from bayou.models.sequences.input.array_likes import is_table
from bayou.models.sequences.input.sequence_input import sequence_names, sequences_given
from bayou.schema import Variable, plain, state_key
from bayou.statistics.rows.sequence_keys import named_states
from bayou.temporal.stored_sequences import HeldSequences
from bayou.typing import IntArray, Name

_NONE = np.iinfo(np.int64).max


def class_column(data: Any, y: Any) -> Name | None:
    """The column of a table that has the class of each row; None if ``y`` has the classes itself."""
    if isinstance(y, Mapping) or not is_column_name(y, data):
        return None
    if not is_table(data):
        raise BadData(
            f"y={y!r} would be the name of a column, but lists and arrays have no names: give the class of "
            "each sequence, y=['up', 'down', …], or a table with names."
        )
    name: Name = plain(y)
    return name


def classes_in_column(data: Any, name: Name, how: Mapping[str, Any]) -> tuple[NamedLabels, IntArray]:
    """(the class of each sequence that has one, the numbers of these sequences).

    All rows of a sequence have the same class, or none; sequences without one are left out, with a warning.

    >>> table = {"id": [1, 2, 1], "kind": ["up", "down", "up"]}
    >>> [found.tolist() for found in classes_in_column(table, "kind", {"sequence": "id"})]
    [['up', 'down'], [0, 1]]
    """
    sequence = how.get("sequence")
    given = sequences_given(data, sequence=sequence, lengths=how.get("lengths"))
    source = given.source([name])
    classes = named_states(source, name)
    if classes.is_continuous:
        raise BadData(f"Column {name!r} has real numbers: classes are texts, whole numbers or truth values.")
    lowest, highest = _extremes(given.rows(source, [classes]), classes)
    differ = np.flatnonzero((lowest < highest) & (lowest != _NONE))
    if len(differ):
        one, other = (classes.states[int(codes[differ[0]])] for codes in (lowest, highest))
        raise BadData(
            f"{_called(int(differ[0]), data, sequence)} has rows of two classes in {classes.name!r}, {one!r} "
            f"and {other!r}: a sequence has one class. Name the column that tells sequences apart "
            "(sequence=…), or correct the rows."
        )
    kept = np.flatnonzero(lowest != _NONE)
    absent = len(lowest) - len(kept)
    if not len(kept):
        raise BadData.without_classes(classes.name)
    if absent:
        first = _called(int(np.flatnonzero(lowest == _NONE)[0]), data, sequence)
        warn_user(
            f"{counted(absent, 'sequence')} without a class in {classes.name!r} left out; the first is "
            f"{first[0].lower()}{first[1:]}."
        )
    return named_labels([classes.states[code] for code in lowest[kept].tolist()], name), kept


def _extremes(rows: HeldSequences, classes: Variable) -> tuple[IntArray, IntArray]:
    """The lowest and the highest code of a class among the rows of each sequence."""
    lowest = np.full(rows.count, _NONE, dtype=np.int64)
    highest = np.full(rows.count, -1, dtype=np.int64)
    owner = np.repeat(np.arange(rows.count), rows.lengths)
    before = 0
    for part in rows.row_parts():
        codes = part.batch.codes[classes.name]
        own = owner[before : before + part.rows]
        before += part.rows
        known = ~is_missing_cell(codes)
        np.minimum.at(lowest, own[known], codes[known].astype(np.int64))
        np.maximum.at(highest, own[known], codes[known].astype(np.int64))
    return lowest, highest


def _called(number: int, data: Any, sequence: Name | None) -> str:
    if sequence is None:
        return f"Sequence {number} (counting from 0)"
    return f"The sequence {sequence!r} = {sequence_names(data, sequence)[number]!r}"


def classes_given(y: Any, count: int, data: Any, sequence: Name | None) -> Sequence[Any]:
    """The class of each sequence in a list, or by the names of the sequences of a table."""
    if y is None:
        raise BadData(
            "fit needs y: the class of each sequence, or the name of the column of the table that has it."
        )
    by_name = y if isinstance(y, Mapping) else _indexed(y, sequence)
    if by_name is not None:
        if sequence is None:
            raise BadData(
                "y is a mapping from the names of sequences, which lists and arrays do not have: give a list "
                "with the class of each, or a table with sequence=."
            )
        return _by_name(by_name, sequence_names(data, sequence), sequence)
    if sequence is not None:
        raise BadData(
            "The sequences of a table are sorted by their names, so y needs these: give the name of the "
            "column with the classes, y='kind', or a mapping from sequences to classes."
        )
    labels = list(y)
    if len(labels) != count:
        raise BadData(
            f"y has the class of {counted(len(labels), 'sequence')}, but there are {count}: give one for "
            "each sequence, in their order."
        )
    return labels


def _indexed(y: Any, sequence: Name | None) -> Mapping[Any, Any] | None:
    """A pandas Series whose index has the names of the sequences, as a mapping."""
    if sequence is None or not hasattr(y, "index") or not hasattr(y, "to_dict"):
        return None
    found: Mapping[Any, Any] = y.to_dict()
    return found


def _by_name(given: Mapping[Any, Any], names: Sequence[Any], sequence: Name) -> list[Any]:
    known = {state_key(plain(name)): label for name, label in given.items()}
    for name in names:
        if state_key(name) not in known:
            raise BadData(
                f"y has no class for the sequence {sequence!r} = {name!r}: add it, or leave out its rows."
            )
    return [known[state_key(name)] for name in names]
