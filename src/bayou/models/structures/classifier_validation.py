"""The log-loss of a classifier on rows that it was not learned from, by cross-validation."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from bayou.codes import PlaceArray, places_of_codes
from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable, warn_of_unlabelled
from bayou.models.structures.fold_rows import FileRows, FoldRows, TableRows
from bayou.models.structures.infinite_losses import impossible_class
from bayou.progress import tracked
from bayou.schema import plain, state_key
from bayou.sources import CodedColumn, Column, Columns, FileSource, TableSource
from bayou.sources.column_codes import column_codes
from bayou.sources.files.file_kinds import open_file
from bayou.sources.stored_rows import LargeRows
from bayou.sources.tables.arrow import seen_only
from bayou.sources.tables.row_selection import taken_rows
from bayou.sources.weights import Weights
from bayou.typing import FloatArray, IntArray, Name


def is_classifier(model: Any) -> bool:
    """Return whether a model is one of bayou's classifiers; an error for other classifiers."""
    if hasattr(model, "predict_frame"):
        return True
    if isinstance(model, str) or hasattr(model, "get_params"):
        raise BadQuestion(
            f"cross_validate takes a network, a function, or a classifier of bayou, not {model!r}. "
            "bayou.evaluate(model, data, 'y') takes any classifier, and names such as 'nb'."
        )
    return False


@dataclass(frozen=True)
class RowsWithClass:
    """Rows with a class in the column ``target``: the class of each, and their numbers in the data."""

    rows: FoldRows
    target: Name
    labels: CodedColumn
    numbers: IntArray


def labelled_table(model: Any, table: Columns, weights: Weights | None, target: Name | None) -> RowsWithClass:
    """Return the rows of a table that have a class in the column ``target``."""
    name = _named_target(target, table.names)
    _require_weighable(model, weights is not None)
    column = table.coded(name)
    kept = _kept(column, name)
    if kept is not None:
        table = _labelled(taken_rows(table, kept))
        weights = None if weights is None else weights[kept]
    numbers = np.arange(table.rows) if kept is None else kept
    return RowsWithClass(TableRows(table, weights), name, table.coded(name), numbers)


def labelled_file(model: Any, large: LargeRows, target: Name | None) -> RowsWithClass:
    """Return the rows of a large file that have a class in the column ``target``; only that is read."""
    name = _named_target(target, open_file(large.file).names)
    _require_weighable(model, large.weights is not None)
    column = column_codes(FileSource(large.file, [name], largest_whole=0), name)
    kept = _kept(column, name)
    rows = FileRows(large, len(column), kept)
    if kept is None:
        return RowsWithClass(rows, name, column, np.arange(len(column)))
    return RowsWithClass(rows, name, replace(column, codes=column.codes[kept]), kept)


def _require_weighable(model: Any, weighted: bool) -> None:
    """Raise if rows have weights that a classifier cannot learn with."""
    if weighted and "sample_weight" not in signature(model.fit).parameters:
        raise BadQuestion(
            f"{type(model).__name__} does not take weights of rows (its fit has no sample_weight): leave out "
            "weights=."
        )


def _named_target(target: Name | None, names: Sequence[Name]) -> Name:
    if target is None:
        raise BadQuestion(
            "A classifier predicts one column: name it, bayou.cross_validate(model, data, 'y'). "
            "bayou.evaluate(model, data, 'y') has its accuracy and other scores, too."
        )
    if not isinstance(target, Hashable):
        raise BadQuestion(
            "The third argument is the name of the column that has the classes, "
            f"bayou.cross_validate(model, data, 'y'), not the classes (a {type(target).__name__})."
        )
    if target not in names:
        raise UnknownVariable.named(target, names, "in the data")
    return target


def _kept(column: CodedColumn, target: Name) -> IntArray | None:
    """The numbers of the rows with a class; None: all of them."""
    if not column.gaps:
        return None
    missing = column.codes == column.missing_code
    if missing.all():
        raise BadData.without_classes(target)
    warn_of_unlabelled(target, column.gaps, int(missing.argmax()))
    return np.flatnonzero(~missing)


def _labelled(table: Columns) -> Columns:
    """The rows that have a class, without states that only others have: they would be smoothed, too."""

    def without_others(column: Column) -> Column:
        return seen_only(column) if isinstance(column, CodedColumn) and not column.declared else column

    return table.replaced(dict.fromkeys(table.names, without_others))


def class_losses(
    model: Any, labelled: RowsWithClass, of_row: PlaceArray
) -> tuple[FloatArray, dict[int, str]]:
    """Return −log P(class | row) of every row, each by a copy of the model fitted to the other folds.

    A class that the other folds do not have has probability 0, so its loss is infinite. The second result
    says why, for the first such row of each fold.
    """
    rows, target, labels = labelled.rows, labelled.target, labelled.labels
    losses = np.empty(rows.rows)
    reasons: dict[int, str] = {}
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        held_out = np.flatnonzero(of_row == fold)
        with warnings.catch_warnings():
            # Values that occur only in the held-out fold are normal in cross-validation.
            warnings.simplefilter("ignore", BayouWarning)
            fitted = _fitted(model, rows.others(of_row, fold), target)
            places = {state_key(plain(state)): k for k, state in enumerate(fitted.classes_.tolist())}
            by_code = np.array([places.get(state_key(plain(label)), -1) for label in labels.labels])
            own = places_of_codes(labels.codes[held_out], by_code.tolist())
            first = 0
            for logs in fitted._log_probability_blocks(rows.held_out(of_row, fold)):
                some = slice(first, first + len(logs))
                lost = -logs[np.arange(len(logs)), own[some]]
                losses[held_out[some]] = np.where(own[some] >= 0, lost, np.inf)
                first += len(logs)
        known = own >= 0
        for place in np.flatnonzero(np.isposinf(losses[held_out]))[:1].tolist():
            row = int(held_out[place])
            label = labels.labels[labels.codes[row]]
            reasons[row] = impossible_class(target, label, bool(known[place]))
    return losses, reasons


def _fitted(model: Any, others: Any, target: Name) -> Any:
    """A copy of the model that has learned from these rows, and from nothing else."""
    if isinstance(others, TableSource):
        return _unfitted(model).fit(others.columns, target, sample_weight=others.weights)
    return _unfitted(model).fit(others, target)


def _unfitted(model: Any) -> Any:
    """A model with the same parameters that has learned nothing."""
    return type(model)(**copy.deepcopy(model.get_params(deep=False)))
