"""What is known of sequences with numbers and states, as the kernels take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import missing_code
from bayou.errors import BadData, counted
from bayou.memory import require_memory
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbers_in_data
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.temporal.templates.slice_evidence import places_of_value, scaled_likelihoods
from bayou.temporal.templates.template import Node
from bayou.typing import BoolArray, FloatArray, IntArray, Name

_ALWAYS_THERE = 2**20
"""So many bytes are taken without asking whether they are left."""
UNKNOWN = np.uint32(missing_code(np.uint32))


@dataclass(frozen=True, eq=False)
class MixedEvidence:
    """Numbers and codes [row, variable] in the order of the layout; NaN and ``UNKNOWN`` are not known.

    ``set_numbers`` and ``set_codes`` say which were set by interventions. A variable outside time has its
    value in every row of the sequence. ``likelihoods`` has P(what was seen | state) [row, state] of variables
    that have some, divided by the largest one of the row; ``scales`` has the logs of these divisors by row.
    """

    layout: SliceLayout
    starts: IntArray
    numbers: FloatArray
    set_numbers: npt.NDArray[np.uint8]
    codes: npt.NDArray[np.uint32]
    set_codes: npt.NDArray[np.uint8]
    weights: FloatArray | None = None
    likelihoods: Mapping[Name, FloatArray] = field(default_factory=dict)
    scales: FloatArray | None = None
    first_sequence: int = 0
    """The number of the first sequence, if these are a part of more."""
    first_row: int = 0
    are_paths: bool = False
    """Whether all of these are ways to complete a single sequence, the first one."""
    shown: IntArray | None = None
    """The numbers of the sequences in the data, if some were left out."""

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(self.starts[-1])

    @property
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""
        return np.diff(self.starts)

    def of(self, sequence: int) -> MixedEvidence:
        """One of the sequences."""
        first, last = int(self.starts[sequence]), int(self.starts[sequence + 1])
        part = slice(first, last)
        return replace(
            self,
            starts=np.array([0, last - first]),
            numbers=self.numbers[part],
            set_numbers=self.set_numbers[part],
            codes=self.codes[part],
            set_codes=self.set_codes[part],
            weights=None if self.weights is None else self.weights[sequence : sequence + 1],
            likelihoods={name: values[part] for name, values in self.likelihoods.items()},
            scales=None if self.scales is None else self.scales[part],
            first_sequence=self.first_sequence + sequence,
            first_row=self.first_row + first,
            shown=None if self.shown is None else self.shown[sequence : sequence + 1],
        )

    def only(self, which: BoolArray) -> MixedEvidence:
        """Some of the sequences."""
        rows = np.repeat(which, self.lengths)
        return replace(
            self,
            starts=np.concatenate([[0], np.cumsum(self.lengths[which])]).astype(np.int64),
            numbers=self.numbers[rows],
            set_numbers=self.set_numbers[rows],
            codes=self.codes[rows],
            set_codes=self.set_codes[rows],
            weights=None if self.weights is None else self.weights[which],
            likelihoods={name: values[rows] for name, values in self.likelihoods.items()},
            scales=None if self.scales is None else self.scales[rows],
            shown=None if self.shown is None else self.shown[which],
        )

    def along(self, paths: npt.NDArray[np.uint32], weights: FloatArray | None = None) -> MixedEvidence:
        """This one sequence once for each path of its states [path, row, variable]."""
        count = len(paths)
        size = count * self.rows * (9.0 * self.numbers.shape[1] + 5.0 * self.codes.shape[1])
        if size > _ALWAYS_THERE:
            what = f"Following {counted(count, 'path')} of the states of {counted(self.rows, 'row')}"
            require_memory(2 * size, what, "Use fewer paths (paths=) or shorter sequences.")
        return replace(
            self,
            starts=np.arange(count + 1, dtype=np.int64) * self.rows,
            numbers=np.tile(self.numbers, (count, 1)),
            set_numbers=np.tile(self.set_numbers, (count, 1)),
            codes=np.ascontiguousarray(paths.reshape(count * self.rows, paths.shape[2])),
            set_codes=np.tile(self.set_codes, (count, 1)),
            weights=weights,
            likelihoods={},
            scales=None,
            are_paths=True,
        )

    def number_of(self, sequence: int) -> int:
        """The number of a sequence in messages."""
        place = 0 if self.are_paths else sequence
        return self.first_sequence + place if self.shown is None else int(self.shown[place])

    def known(self, name: Name) -> BoolArray:
        """In which rows a variable is known."""
        if name in self.layout.numbers:
            return ~np.isnan(self.numbers[:, self.layout.numbers.index(name)])
        return np.asarray(self.codes[:, self.layout.states.index(name)] != UNKNOWN)

    def was_set(self, name: Name) -> BoolArray:
        """In which rows a variable was set by an intervention."""
        if name in self.layout.numbers:
            return self.set_numbers[:, self.layout.numbers.index(name)] > 0
        return self.set_codes[:, self.layout.states.index(name)] > 0

    def rows_where_it_begins(self, name: Name) -> IntArray:
        """The rows in which a variable gets a value: all, or the first or last ones of the sequences."""
        template, real = self.layout.template, self.lengths > 0
        if name in template.last:
            return (self.starts[1:] - 1)[real]
        return self.starts[:-1][real] if template.outside(name) else np.arange(self.rows)

    def rows_of(self, node: Node) -> IntArray:
        """The rows that a node of the first slices stands for: the last of these, for all later ones."""
        template = self.layout.template
        if template.outside(node.name):
            return self.rows_where_it_begins(node.name)
        steps = np.arange(self.rows) - np.repeat(self.starts[:-1], self.lengths)
        if node.step < template.order:
            return np.flatnonzero(steps == node.step)
        return np.flatnonzero(steps >= template.order)

    def rows_of_table(self, table: Name) -> IntArray:
        """The rows in which a table is used."""
        template = self.layout.template
        node = template.behind[table]
        if template.outside(node.name):
            return self.rows_where_it_begins(node.name)
        steps = np.arange(self.rows) - np.repeat(self.starts[:-1], self.lengths)
        alike = steps == node.step if node.step < template.reach(node.name) else steps >= node.step
        return np.flatnonzero(alike)

    def first_gap(self, names: Sequence[Name]) -> tuple[Name, int] | None:
        """The first of these variables that has a gap, and its row."""
        for name in names:
            begins = self.rows_where_it_begins(name)
            gaps = begins[~self.known(name)[begins]]
            if len(gaps):
                return name, int(gaps[0])
        return None

    @property
    def states_known(self) -> bool:
        """Whether all states are known, so that answers are exact."""
        return self.first_gap(self.layout.states) is None

    @property
    def has_unknown_states(self) -> BoolArray:
        """Which of the sequences have a state that is not known."""
        found = np.zeros(len(self.lengths), dtype=bool)
        for name in self.layout.states:
            begins = self.rows_where_it_begins(name)
            gaps = begins[~self.known(name)[begins]]
            found[np.searchsorted(self.starts, gaps, side="right") - 1] = True
        return found

    def arguments(
        self, centre: FloatArray | None = None
    ) -> tuple[
        IntArray,
        npt.NDArray[np.uint32],
        FloatArray,
        npt.NDArray[np.uint8],
        npt.NDArray[np.uint32],
        npt.NDArray[np.uint8],
    ]:
        """What the kernels take: starts, kinds of slices, numbers (less their ``centre``) and codes."""
        numbers = self.numbers if centre is None else self.numbers - centre
        for k, name in enumerate(self.layout.numbers):
            if self.layout.template.outside(name):
                own = np.full(self.rows, np.nan)
                begins = self.rows_where_it_begins(name)
                own[begins] = numbers[begins, k]
                numbers = numbers.copy() if numbers is self.numbers else numbers
                numbers[:, k] = own
        return (
            np.ascontiguousarray(self.starts, dtype=np.int64),
            self.layout.row_kinds(self.starts),
            np.ascontiguousarray(numbers),
            np.ascontiguousarray(self.set_numbers),
            np.ascontiguousarray(self.codes),
            np.ascontiguousarray(self.set_codes),
        )


def mixed_evidence(
    layout: SliceLayout,
    rows: SequenceBatch,
    set_values: Mapping[Name, BoolArray],
    likelihoods: Mapping[Name, FloatArray] | None = None,
) -> MixedEvidence:
    """The evidence of rows. ``set_values`` says in which rows a value was set, not observed."""
    shape = (rows.rows, len(layout.numbers))
    numbers, set_numbers = np.full(shape, np.nan), np.zeros(shape, dtype=np.uint8)
    coded = (rows.rows, len(layout.states))
    codes, set_codes = np.full(coded, UNKNOWN), np.zeros(coded, dtype=np.uint8)
    for k, name in enumerate(layout.numbers):
        if name in rows.batch.numbers:
            own = np.asarray(rows.batch.numbers[name], dtype=np.float64)
            _refuse_infinite(name, own, rows)
            places = _places(layout, name, rows, own, ~np.isnan(own))
            numbers[:, k] = own[places]
            if name in set_values:
                set_numbers[:, k] = set_values[name][places] & ~np.isnan(numbers[:, k])
    for k, name in enumerate(layout.states):
        if name in rows.batch.codes:
            column = rows.batch.codes[name]
            seen = column != missing_code(column.dtype)
            own_codes = np.where(seen, column, UNKNOWN).astype(np.uint32)
            places = _places(layout, name, rows, own_codes, seen)
            codes[:, k] = own_codes[places]
            if name in set_values:
                set_codes[:, k] = set_values[name][places] & (codes[:, k] != UNKNOWN)
    starts = np.asarray(rows.starts, dtype=np.int64)
    found = MixedEvidence(
        layout, starts, numbers, set_numbers, codes, set_codes, rows.weights, shown=numbers_in_data(rows)
    )
    if not likelihoods:
        return found
    scales, given = np.zeros(rows.rows), {}
    for name, values in likelihoods.items():
        given[name], logs = scaled_likelihoods(layout.template, name, rows, values)
        scales += np.where(found.was_set(name), 0.0, logs)
    return replace(found, likelihoods=given, scales=scales)


def _refuse_infinite(name: Name, values: FloatArray, rows: SequenceBatch) -> None:
    wild = np.flatnonzero(np.isinf(values))
    if len(wild):
        raise BadData(
            f"{name!r} is infinite in row {rows.batch.number(int(wild[0]))} (counting from 0): give a "
            "number, or NaN for a gap."
        )


def _places(
    layout: SliceLayout, name: Name, rows: SequenceBatch, values: npt.NDArray[Any], known: BoolArray
) -> IntArray:
    """The row from which each row has its value: of a variable outside time, the one that has it."""
    if not layout.template.outside(name):
        return np.arange(rows.rows)
    return places_of_value(name, rows, values, known)
