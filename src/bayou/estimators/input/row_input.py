"""Rows of a file for a fitted classifier: which columns it reads, and in which form."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadData, listed
from bayou.estimators.networks.network_model import axes_of
from bayou.schema import Variable, text_names
from bayou.sources import Columns, NumberColumn
from bayou.statistics import Statistics
from bayou.typing import Name


def rows_for(model: Any, columns: Columns) -> Any:
    """Return the rows in the form that this classifier takes: a text classifier reads one text column."""
    if not reads_documents(model):
        return columns
    texts = [name for name in columns.names if not isinstance(columns[name], NumberColumn)]
    if len(texts) != 1:
        raise BadData(
            f"A text classifier reads one column of documents; there are {len(texts)}: {listed(texts)}. "
            "Leave out the others."
        )
    return {texts[0]: columns.coded(texts[0]).values()}


def reads_documents(model: Any) -> bool:
    """Return whether this is a text classifier."""
    return any(base.__name__ == "TextNaiveBayes" for base in type(model).__mro__)


def text_columns(model: Any) -> list[Name]:
    """Return the features whose values are text: in a file they must not be read as numbers."""
    names = list(feature_names(model))
    if reads_documents(model):
        return names
    known = set(text_names(known_states(model).values()))
    return [name for name in names if name in known]


def known_states(model: Any) -> dict[Name, Variable]:
    """Return the counted features with the states that occurred in training."""
    statistics = model.statistics_
    if isinstance(statistics, Statistics):
        return axes_of(statistics)
    # Networks of the classes (GenerativeClassifier) have the same states in every class.
    variables = getattr(model._fitted_model(), "variables", ())
    return {variable.name: variable for variable in variables if variable.states}


def feature_names(model: Any) -> tuple[Name, ...]:
    """Return the feature columns that a classifier was fitted on."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise BadData(
            f"This {type(model).__name__} was fitted on an array without column names, so the columns of a "
            "file cannot be matched with its features. Fit it on a table with column names."
        )
    return tuple(names.tolist())
