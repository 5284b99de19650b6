"""What is known of sequences: observed and set values, likelihoods and gaps, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.errors import BadData
from bayou.schema import Variable, label
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbers_in_data
from bayou.temporal.templates.template import DynamicTemplate
from bayou.typing import BoolArray, FloatArray, IntArray, Name, State

FREE, OBSERVED, SET, WEIGHED = 0, 1, 2, 4
"""A value is unknown, observed, set by an intervention, or unknown with a likelihood of each state."""
KNOWN = OBSERVED | SET
_MISSING = np.uint32(missing_code(np.uint32))


@dataclass(frozen=True, eq=False)
class SliceEvidence:
    """Codes and their status [variable, row], in the order of the template's names; rows are whole sequences.

    ``likelihoods`` has P(what was seen | state) [row, state] of variables that have some, divided by the
    largest one of the row; ``scales`` has the log of these divisors, summed over the variables, by row.
    """

    template: DynamicTemplate
    starts: IntArray
    codes: npt.NDArray[np.uint32]
    status: npt.NDArray[np.uint8]
    likelihoods: Mapping[Name, FloatArray]
    states: tuple[int, ...]
    """The number of states of each variable."""
    weights: FloatArray | None = None
    scales: FloatArray | None = None
    first_sequence: int = 0
    """The number of the first sequence, if these are a part of more."""
    first_row: int = 0
    labels: tuple[State, ...] = ()
    """The keys of the sequences, where they have some."""
    numbers: IntArray | None = None
    """The numbers of the sequences in the data, if some were left out."""
    memory: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)
    """How the rows were told apart, by what was asked."""

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(self.codes.shape[1])

    @property
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""
        return np.diff(self.starts)

    def index(self, name: Name) -> int:
        """The place of a variable."""
        return self.template.names.index(name)

    def of(self, sequence: int) -> SliceEvidence:
        """One of the sequences."""
        first, last = int(self.starts[sequence]), int(self.starts[sequence + 1])
        part = slice(first, last)
        return replace(
            self,
            starts=np.array([0, last - first]),
            codes=np.ascontiguousarray(self.codes[:, part]),
            status=np.ascontiguousarray(self.status[:, part]),
            likelihoods={name: values[part] for name, values in self.likelihoods.items()},
            weights=None if self.weights is None else self.weights[sequence : sequence + 1],
            scales=None if self.scales is None else self.scales[part],
            first_sequence=self.first_sequence + sequence,
            labels=self.labels[sequence : sequence + 1],
            numbers=None if self.numbers is None else self.numbers[sequence : sequence + 1],
        )

    def title(self, sequence: int) -> str:
        """A sequence as messages name it: its number, and its key if it has one."""
        key = self.labels[sequence] if self.labels else None
        number = self.first_sequence + sequence if self.numbers is None else int(self.numbers[sequence])
        return f"Sequence {number}" + ("" if key is None else f" ({label(key)})")

    @property
    def sequence_scales(self) -> FloatArray | float:
        """The sum of the scales of each sequence."""
        if self.scales is None:
            return 0.0
        sums = np.concatenate([[0.0], np.cumsum(self.scales)])
        return np.asarray(sums[self.starts[1:]] - sums[self.starts[:-1]])

    def softened(self, which: IntArray) -> SliceEvidence:
        """The same with the observed values of some variables stated as likelihoods: 1 for the value, 0 for
        others.

        It changes no answer. Few programs then serve rows with many different gaps.
        """
        status, likelihoods = self.status.copy(), dict(self.likelihoods)
        for index in which.tolist():
            name = self.template.names[index]
            own = likelihoods.get(name, np.ones((self.rows, self.states[index]))).copy()
            seen = np.flatnonzero(status[index] == OBSERVED)
            own[seen] = 0.0
            own[seen, self.codes[index, seen]] = 1.0
            likelihoods[name] = own
            status[index] = np.where(status[index] == SET, SET, WEIGHED)
        return replace(self, status=status, likelihoods=likelihoods)


def slice_evidence(
    template: DynamicTemplate,
    rows: SequenceBatch,
    variables: Mapping[Name, Variable],
    *,
    set_values: Mapping[Name, BoolArray] | None = None,
    likelihoods: Mapping[Name, FloatArray] | None = None,
) -> SliceEvidence:
    """The evidence of coded rows. ``set_values`` says in which rows a value was set, not observed."""
    codes = np.full((len(template.names), rows.rows), _MISSING, dtype=np.uint32)
    status = np.zeros(codes.shape, dtype=np.uint8)
    given: dict[Name, FloatArray] = {}
    scales = np.zeros(rows.rows) if likelihoods else None
    for k, name in enumerate(template.names):
        if name in rows.batch.codes:
            column = rows.batch.codes[name]
            seen = column != missing_code(column.dtype)
            codes[k, seen] = column[seen]
            status[k, seen] = OBSERVED
            done = (set_values or {}).get(name)
            if done is not None:
                status[k, seen & done] = SET
        if template.outside(name):
            places = places_of_value(name, rows, codes[k], status[k] != FREE)
            codes[k], status[k] = codes[k, places], status[k, places]
        if likelihoods and name in likelihoods:
            assert scales is not None
            given[name], logs = scaled_likelihoods(template, name, rows, likelihoods[name])
            scales += np.where(status[k] & KNOWN, 0.0, logs)
            status[k, status[k] == FREE] = WEIGHED
    states = tuple(variables[name].cardinality for name in template.names)
    return SliceEvidence(
        template,
        rows.starts,
        codes,
        status,
        given,
        states,
        rows.weights,
        scales,
        labels=rows.labels,
        numbers=numbers_in_data(rows),
    )


def places_of_value(name: Name, rows: SequenceBatch, values: npt.NDArray[Any], known: BoolArray) -> IntArray:
    """For every row, the row that has the one value of its sequence of a variable outside time; the row
    itself where the sequence has none.
    """
    places = np.arange(rows.rows)
    seen = np.flatnonzero(known)
    sequences = np.repeat(np.arange(rows.count), rows.lengths)
    which, at = np.unique(sequences[seen], return_index=True)
    first = np.full(rows.count, -1, dtype=np.int64)
    first[which] = seen[at]
    wrong = seen[values[seen] != values[first[sequences[seen]]]]
    if len(wrong):
        row = int(wrong[0])
        sequence = int(sequences[row])
        raise BadData(
            f"{name!r} has one value for a whole sequence, but two in sequence {sequence} (rows "
            f"{rows.batch.number(int(first[sequence]))} and {rows.batch.number(row)}, counting from 0)."
        )
    found = first[sequences]
    return np.asarray(np.where(found >= 0, found, places))


def scaled_likelihoods(
    template: DynamicTemplate, name: Name, rows: SequenceBatch, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(likelihoods divided by the largest of each row, the logs of the divisors where the variable begins).

    Those of all rows of a variable outside time are multiplied, and stand in each of its rows.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(np.asarray(values, dtype=np.float64))
    if template.outside(name):
        for first, last in zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True):
            logs[first:last] = logs[first:last].sum(axis=0)
    largest = logs.max(axis=1, initial=-np.inf)
    # Likelihoods that rule out every state are all 0, which no division changes.
    scales = np.where(np.isneginf(largest), 0.0, largest)
    shares = np.ascontiguousarray(np.exp(logs - scales[:, None]))
    if template.outside(name):
        begins = np.zeros(rows.rows, dtype=bool)
        real = rows.lengths > 0
        begins[(rows.starts[1:] - 1 if name in template.last else rows.starts[:-1])[real]] = True
        scales = np.where(begins, scales, 0.0)
    return shares, scales
