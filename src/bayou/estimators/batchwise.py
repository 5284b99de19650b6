"""Classifiers that count rows batch by batch, in one pass: iterators, ageing rows, interrupted counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadData, warn_of_unlabelled
from bayou.estimators.input.feature_table import compressed, taken_column
from bayou.progress import tracked
from bayou.sources import Columns, TableSource
from bayou.sources.prepared_source import PreparedSource
from bayou.sources.row_tables import source_tables
from bayou.sources.streams.aged_source import Ageing, aged_table
from bayou.statistics import Source
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.estimators.bayes_classifier import BayesClassifier


def count_in_batches(
    model: BayesClassifier,
    source: Source,
    target: Name,
    later: Sequence[State] = (),
    ageing: Ageing | None = None,
    counted: Callable[[TableSource], None] | None = None,
    features: Sequence[Name] | None = None,
    tables: Iterable[TableSource] | None = None,
) -> None:
    """Add the statistics of the rows of a source to a classifier, one table after the other.

    ``counted`` is called after each table. ``features`` are the columns to learn from (None: all others).
    ``tables`` are those of the source that were not counted before (None: all).
    """
    decide_on_all_rows(model, source, target, features)
    labelled = LabelledTables(target)
    for table in tracked(source_tables(source) if tables is None else tables, "Counting"):
        chosen = table if features is None else _chosen(table, [*features, target])
        part = labelled.of(chosen)
        if part.columns.rows:
            _add(model, source, part, target, later, ageing)
        if counted is not None:
            counted(table)
    if not hasattr(model, "statistics_"):
        raise BadData.without_classes(target)
    labelled.warn()


def decide_on_all_rows(
    model: BayesClassifier, source: Source, target: Name, features: Sequence[Name] | None
) -> None:
    """Let the classifier look at all rows before they are counted, if it must and they can be read again."""
    if hasattr(model, "statistics_") or source.reads_once:
        return
    whole = source
    if features is not None and set(source.names) != {*features, target}:
        whole = PreparedSource(source, names=[*features, target], as_states=[target])
    rows = model._labelled(whole, target, None, True)
    if model._needs_all_rows(rows):
        model._decide(rows)


def _add(
    model: BayesClassifier,
    source: Source,
    part: TableSource,
    target: Name,
    later: Sequence[State],
    ageing: Ageing | None,
) -> None:
    first = not hasattr(model, "statistics_")
    known = None if first else [*model.feature_names_in_.tolist(), target]
    if known is not None:
        part = _chosen(part, [name for name in part.names if name in known])
    rows = model._labelled(part if ageing is None else aged_table(part, ageing), target, None, first)
    if first and source.reads_once and (lacking := model._needs_all_rows(rows)):
        raise BadData(
            f"{type(model).__name__} learns {lacking} from all rows before it counts them: that is more than "
            "one pass, but the batches can be read only once. Give a function that begins again, "
            "bayou.from_batches(lambda: …), or keep them as they are read: bayou.from_batches(batches, "
            "keep=True)."
        )
    model._add_rows(rows, later, 1.0 if ageing is None else ageing.after(part.columns.rows))


class LabelledTables:
    """The rows of tables that have a class and a weight; how many have no class is counted."""

    def __init__(self, target: Name) -> None:
        self.target, self.left_out = target, 0
        self._first_without: int | None = None
        self._drops = False  # whether rows were left out, so that states may have none

    def of(self, table: TableSource) -> TableSource:
        """The rows with a class, and the labels that they have (of features, once rows were left out)."""
        columns = table.columns
        if self.target not in columns:
            return table  # the error names the column
        labels = columns.coded(self.target)
        missing = labels.codes == labels.missing_code
        if missing.any():
            self.left_out += int(missing.sum())
            if self._first_without is None:
                self._first_without = table.first_row + int(missing.argmax())
        unused = missing if table.weights is None else missing | (table.weights == 0)
        self._drops = self._drops or bool(unused.any())
        if not self._drops:
            only = {} if labels.declared else {self.target: lambda column: _seen(column)}
            return TableSource(columns.replaced(only), table.weights, table.declared, table.first_row)
        kept = np.flatnonzero(~unused)
        chosen = [taken_column(columns[name], kept) for name in columns.names]
        weights = None if table.weights is None else table.weights[kept]
        return TableSource(
            Columns(columns.names, chosen, len(kept)), weights, table.declared, table.first_row
        )

    def warn(self) -> None:
        """Tell of the rows without a class."""
        if self._first_without is not None:
            warn_of_unlabelled(self.target, self.left_out, self._first_without)


def _seen(column: Any) -> Any:
    """A column of classes without labels that no row has; a column of numbers stays."""
    return compressed(column.codes, column) if hasattr(column, "codes") else column


def _chosen(table: TableSource, names: Sequence[Name]) -> TableSource:
    columns = Columns(names, [table.columns[name] for name in names], table.columns.rows)
    return TableSource(columns, table.weights, table.declared, table.first_row)
