"""The log-loss of a classifier on rows that it was not learned from, by cross-validation."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable
from bayou.progress import tracked
from bayou.schema import plain, state_key
from bayou.sources import Columns, read_unweighted
from bayou.sources.tables.row_selection import taken_rows
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


def labelled_table(data: Any, target: Name | None) -> Columns:
    """Read a table for a classifier; every row needs a class in the column ``target``."""
    if target is None:
        raise BadQuestion(
            "A classifier predicts one column: name it, bayou.cross_validate(model, data, 'y'). "
            "bayou.evaluate(model, data, 'y') has its accuracy and other scores, too."
        )
    table = read_unweighted(data, "cross_validate")
    if target not in table:
        raise UnknownVariable.named(target, table.names, "in the data")
    column = table.coded(target)
    if column.gaps:
        row = int(np.flatnonzero(column.codes == column.missing_code)[0])
        raise BadData(
            f"Row {row} (counting from 0) has no class in the column {target!r}: leave such rows out."
        )
    return table


def class_losses(model: Any, table: Columns, target: Name, of_row: IntArray) -> FloatArray:
    """Return −log P(class | row) of every row, each by a copy of the model fitted to the other folds.

    A class that the other folds do not have has probability 0, so its loss is infinite.
    """
    losses = np.empty(table.rows)
    labels = table.coded(target).values()
    for fold in tracked(range(int(of_row.max()) + 1), "Folds"):
        held_out = np.flatnonzero(of_row == fold)
        with warnings.catch_warnings():
            # Values that occur only in the held-out fold are normal in cross-validation.
            warnings.simplefilter("ignore", BayouWarning)
            fitted = _unfitted(model).fit(taken_rows(table, np.flatnonzero(of_row != fold)), target)
            logs = fitted.predict_log_proba(taken_rows(table, held_out))
        places = {state_key(plain(state)): k for k, state in enumerate(fitted.classes_.tolist())}
        own = [places.get(state_key(plain(labels[row])), -1) for row in held_out.tolist()]
        known = np.array(own) >= 0
        losses[held_out] = np.where(known, -logs[np.arange(len(own)), own], np.inf)
    return losses


def _unfitted(model: Any) -> Any:
    """A model with the same parameters that has learned nothing."""
    return type(model)(**copy.deepcopy(model.get_params(deep=False)))
