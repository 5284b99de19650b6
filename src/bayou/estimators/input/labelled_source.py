"""Labelled rows: a source with a target column and feature columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bayou.errors import BadData, TooWide, listed
from bayou.estimators.input.column_kinds import (
    FEW_VALUES,
    are_texts,
    are_truth_values,
    kind_of_column,
)
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.identifying_columns import identifying_states, numbering_columns
from bayou.estimators.input.sample_weights import require_learnable
from bayou.estimators.input.target import read_labels, require_classes
from bayou.estimators.input.unlabelled_rows import (
    labelled_only,
    labelled_part,
    warn_of_rows_without_class,
)
from bayou.schema import Variable
from bayou.sources import Columns, read_source
from bayou.sources.prepared_source import PreparedSource
from bayou.sources.row_tables import first_table
from bayou.sources.stored_rows import rows_to_read_again
from bayou.statistics import (
    Batch,
    Counts,
    CountTable,
    MissingCounts,
    Request,
    RequestFor,
    Result,
    RowSample,
    Source,
    Statistics,
    ValueCounts,
    ValueHistogram,
)
from bayou.statistics.result import Key
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from bayou.estimators.input.labelled_table import LabelledTable

T = TypeVar("T")
R = TypeVar("R", bound=Result)


class LabelledSource(Source):
    """A source with a target column: the training rows of every classifier.

    The rows need not be in memory. Whether each row has a class is checked when statistics are collected.

    >>> from bayou.sources import open_source
    >>> rows = LabelledSource(open_source({"wind": ["weak", "strong"], "play": ["yes", "no"]}), "play")
    >>> rows.features, rows.classes, rows.kind("wind")
    (('wind',), ('no', 'yes'), 'states')
    """

    def __init__(
        self,
        source: Source,
        target: Name,
        features: Sequence[Name] | None = None,
        dropped: Mapping[Name, set[Key]] | None = None,
    ) -> None:
        self.source, self.target = source, target
        self.is_streamed, self.gives_rows = source.is_streamed, source.gives_rows
        known = source.names if features is None else features
        self.features = tuple(name for name in known if name != target)
        self._counted: list[Counts] = []
        self._dropped = dropped or {}  # states that only rows without a class have

    @property
    def names(self) -> tuple[Name, ...]:
        """The features, then the target."""
        return (*self.features, self.target)

    def variable(self, name: Name) -> Variable:
        """The variable of a column, as the source describes it."""
        return self.source.variable(name)

    def gives_sample(self, names: Sequence[Name]) -> bool:
        """Whether the source gives a sample of rows."""
        return self.source.gives_sample(names)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in batches, coded by these variables."""
        return self.source.batches(variables)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results over all batches, where the source applies it."""
        return self.source.map_batches(kernel, variables)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests; rows without a class are left out, infinite numbers are errors."""
        classes, gaps, found = self._with_classes(requests)
        if gaps:
            part = labelled_part(self.source, classes.axes[0], self.features, gaps)
            self.source, self._dropped = part
            return self.collect(requests)
        require_classes(classes.axes[0].states)
        for result in found.values():
            if isinstance(result, ValueCounts) and np.isinf(result.values).any():
                self._name_infinite(result.variable)
        self._counted[:] = [classes]
        if not self._dropped:
            return found.only(set(requests))
        kept = {request: found[request].without_states(self._dropped) for request in requests}
        return Statistics(kept, found.rows)

    def collect_by_class(self, request: RequestFor[R]) -> R:
        """Answer a request that counts by the target, so that rows without a class leave no trace in it.

        The values of the features need not be known for it, which would be all texts of a file.
        """
        classes, gaps, found = self._with_classes([request])
        if gaps:
            warn_of_rows_without_class(self.source, classes.axes[0], gaps)
        require_classes(classes.axes[0].states)
        self._counted[:] = [classes]
        return found[request]

    def _with_classes(self, requests: Sequence[Request]) -> tuple[Counts, int, Statistics]:
        """The rows by class, how many have none, and the answers to all requests from all rows."""
        classes, gaps = CountTable((self.target,)), MissingCounts((self.target,))
        self._refuse_quantities()
        found = self.source.collect(list(dict.fromkeys([classes, gaps, *requests])))
        if not found[gaps].rows:
            raise BadData(
                "There is no row to learn from: the data have columns, such as "
                f"{listed(self.names[:3])}, but 0 sample(s); of a file, perhaps only the header was written."
            )
        if not found[gaps].gaps[0]:
            require_learnable(float(found[classes].total))
        return found[classes], int(found[gaps].gaps[0]), found

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes that these rows have."""
        if not self._counted:
            self.collect([])
        return self._counted[0].axes[0].states

    def kind(self, name: Name) -> str:
        """The kind of a column: "int", "float", "bool", "text" (several words per cell) or "states"."""
        kind = self._first_kinds[name]
        return self._kinds_of_texts[name] if kind == "text" else kind

    def is_numeric(self, name: Name) -> bool:
        """Whether a column has numbers; texts need not be looked through for it."""
        return self._first_kinds[name] in ("int", "float")

    def has_truth_values(self, name: Name) -> bool:
        """Whether a column has True and False, and no other values."""
        return name in self._truth_values

    @cached_property
    def _truth_values(self) -> frozenset[Name]:
        first = first_table(self.source, self.names)
        return frozenset(name for name in self.names if are_truth_values(first[name]))

    @cached_property
    def _first_kinds(self) -> dict[Name, str]:
        """The kind of every column in the first batch."""
        first = first_table(self.source, self.names)
        return {name: kind_of_column(first[name]) for name in self.names}

    @cached_property
    def _kinds_of_texts(self) -> dict[Name, str]:
        """The kinds of the columns that have free texts in the first batch, by a sample of all their texts.

        A sample of distinct texts, with the number of rows that have each, has the same share of distinct
        and of long texts as all rows, and it is small.
        """
        names = [name for name, kind in self._first_kinds.items() if kind == "text"]
        if not all(self.source.gives_sample([name]) for name in names):
            return self._kinds_of_counted(names)
        samples = {name: RowSample((name,)) for name in names}
        found = self.source.collect(list(samples.values()))
        kinds = {}
        for name, request in samples.items():
            sample = zip(found[request].values[name], found[request].weights.tolist(), strict=True)
            rows_of = {text: rows for text, rows in sample if text is not None}
            kinds[name] = "text" if are_texts(list(rows_of), sum(rows_of.values())) else "states"
        return kinds

    def _kinds_of_counted(self, names: Sequence[Name]) -> dict[Name, str]:
        """The same by the counts of all texts, where no sample of rows may be had."""
        requests = {name: CountTable((name,)) for name in names}
        counted = self.source.collect(list(requests.values()))
        axes = {name: counted[request] for name, request in requests.items()}
        return {n: "text" if are_texts(c.axes[0].states, c.total) else "states" for n, c in axes.items()}

    def identifiers(self) -> tuple[Name, ...]:
        """The features with states of which nearly every row (of the first batch) has a different one."""
        return identifying_states(self.source, self.features)

    def row_numbers(self) -> tuple[Name, ...]:
        """The features of integers that number the rows (as the first rows show), such as ids."""
        return numbering_columns(self.source, self.features)

    def cuts(self) -> dict[Name, FloatArray]:
        """The cut points of each numeric feature by the MDL rule (Fayyad and Irani 1993)."""
        numeric = [name for name in self.features if self.kind(name) == "float" or self._may_be_cut(name)]
        requests = {name: ValueHistogram(name, (self.target,)) for name in numeric}
        if not requests:
            return {}
        found = self.collect(list(requests.values()))
        counted = {name: found[request] for name, request in requests.items()}
        return {
            name: counts.cuts()
            for name, counts in counted.items()
            if self.kind(name) == "float" or len(np.unique(counts.values)) > FEW_VALUES
        }

    def _may_be_cut(self, name: Name) -> bool:
        """Whether a column has integers, perhaps of more than ``FEW_VALUES`` different values."""
        if self.kind(name) != "int":
            return False
        bounds = self.source.bounds(name)
        return bounds is None or bounds[1] - bounds[0] >= FEW_VALUES

    def with_cuts(self, cut: Mapping[Name, Variable]) -> Source:
        """The same rows, with the numbers of these variables as ranges."""
        if not cut:
            return self
        self._settle_labels()
        source = PreparedSource(self.source, tuple(cut.values()), as_states=[self.target])
        ranges = LabelledSource(source, self.target, self.features, self._dropped)
        ranges._counted = self._counted
        return ranges

    def only_features(self) -> Source:
        """The same rows without the target."""
        return PreparedSource(self.labelled_part(), names=self.features)

    def labelled_part(self) -> Source:
        """The rows that have a class, as a source."""
        self._settle_labels()
        return self.source

    def of_class(
        self, state: State, names: Sequence[Name], declared: Collection[Name], variables: Sequence[Variable]
    ) -> Source:
        """The rows of one class with the columns ``names``; variables with cuts become ranges.

        ``declared`` are the columns whose states the user gave; only rows in memory need it.
        """
        self._settle_labels()
        cut = [variable for variable in variables if variable.cuts is not None]
        return PreparedSource(self.source, cut, only=(self.target, state), names=names)

    def _settle_labels(self) -> None:
        """Find rows without a class, unless all rows were counted: parts of the source must not have them."""
        if not self._counted:
            self.collect([])

    @cached_property
    def in_memory(self) -> LabelledTable:
        """All rows in memory, for models that cannot learn from statistics; too many rows are refused."""
        from bayou.estimators.input.labelled_table import LabelledTable

        rows, _, large = rows_to_read_again(self.source)
        if large is not None:
            raise TooWide(
                f"{listed(self.features[:3])} and the other columns are needed row by row here, not as "
                "counts, and they do not fit into the memory that reading may take. Learn from some of the "
                "rows, or raise the limit (with bayou.limits(memory=…))."
            )
        table, weights = read_source(rows)
        columns = Columns(self.features, [table[name] for name in self.features], table.rows)
        columns, own, weights = labelled_only(columns, table.coded(self.target), self.target, weights)
        labels = read_labels(own, columns.rows, "learning")
        return LabelledTable(FeatureTable(columns), labels, self.target, weights).with_positive_weight()

    def _refuse_quantities(self) -> None:
        """Refuse a target of measured numbers before its values are counted as classes."""
        if self._counted or self._first_kinds[self.target] != "float":
            return
        request = ValueHistogram(self.target)
        require_classes(self.source.collect([request])[request].values.tolist())

    def _name_infinite(self, name: Name) -> None:
        """Raise the error that names the first row with an infinite number."""
        for batch in self.source.batches([Variable(name)]):
            batch.finite_numbers(name)
