"""The log-loss of a classifier on rows that it was not learned from, by cross-validation."""

from __future__ import annotations

import copy
import warnings
from inspect import signature
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable, warn_of_unlabelled
from bayou.models.structures.infinite_losses import impossible_class
from bayou.progress import tracked
from bayou.schema import plain, state_key
from bayou.sources import CodedColumn, Column, Columns
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


def labelled_table(
    model: Any, table: Columns, target: Name | None, weights: Weights | None
) -> tuple[Columns, Weights | None, IntArray]:
    """Return the rows of a table that have a class in the column ``target``, their weights and numbers."""
    if target is None:
        raise BadQuestion(
            "A classifier predicts one column: name it, bayou.cross_validate(model, data, 'y'). "
            "bayou.evaluate(model, data, 'y') has its accuracy and other scores, too."
        )
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    if weights is not None and "sample_weight" not in signature(model.fit).parameters:
        raise BadQuestion(
            f"{type(model).__name__} does not take weights of rows (its fit has no sample_weight): leave out "
            "weights=."
        )
    column = table.coded(target)
    if not column.gaps:
        return table, weights, np.arange(table.rows)
    missing = column.codes == column.missing_code
    if missing.all():
        raise BadData.without_classes(target)
    warn_of_unlabelled(target, column.gaps, int(missing.argmax()))
    kept = np.flatnonzero(~missing)
    return _labelled(taken_rows(table, kept)), None if weights is None else weights[kept], kept


def _labelled(table: Columns) -> Columns:
    """The rows that have a class, without states that only others have: they would be smoothed, too."""

    def without_others(column: Column) -> Column:
        return seen_only(column) if isinstance(column, CodedColumn) and not column.declared else column

    return table.replaced(dict.fromkeys(table.names, without_others))


def class_losses(
    model: Any, table: Columns, target: Name, of_row: IntArray, weights: Weights | None
) -> tuple[FloatArray, dict[int, str]]:
    """Return −log P(class | row) of every row, each by a copy of the model fitted to the other folds.

    A class that the other folds do not have has probability 0, so its loss is infinite. The second result
    says why, for the first such row of each fold.
    """
    losses = np.empty(table.rows)
    reasons: dict[int, str] = {}
    labels = table.coded(target).values()
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        held_out, others = np.flatnonzero(of_row == fold), np.flatnonzero(of_row != fold)
        given = {} if weights is None else {"sample_weight": weights[others]}
        with warnings.catch_warnings():
            # Values that occur only in the held-out fold are normal in cross-validation.
            warnings.simplefilter("ignore", BayouWarning)
            fitted = _unfitted(model).fit(taken_rows(table, others), target, **given)
            logs = fitted.predict_log_proba(taken_rows(table, held_out))
        places = {state_key(plain(state)): k for k, state in enumerate(fitted.classes_.tolist())}
        own = [places.get(state_key(plain(labels[row])), -1) for row in held_out.tolist()]
        known = np.array(own) >= 0
        losses[held_out] = np.where(known, -logs[np.arange(len(own)), own], np.inf)
        for place in np.flatnonzero(np.isposinf(losses[held_out]))[:1].tolist():
            row = int(held_out[place])
            reasons[row] = impossible_class(target, labels[row], bool(known[place]))
    return losses, reasons


def _unfitted(model: Any) -> Any:
    """A model with the same parameters that has learned nothing."""
    return type(model)(**copy.deepcopy(model.get_params(deep=False)))
