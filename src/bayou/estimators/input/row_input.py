"""Rows of a file on their way into a classifier: which columns it reads, and in which form."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadData, listed
from bayou.estimators.networks.network_model import axes_of
from bayou.schema import Variable, text_names
from bayou.sources import Columns, NumberColumn
from bayou.statistics import Statistics
from bayou.typing import Name


def rows_for(model: Any, columns: Columns) -> Any:
    """The rows as this classifier takes them: a text classifier reads one column of documents."""
    if not reads_documents(model):
        return columns
    texts = [name for name in columns.names if not isinstance(columns[name], NumberColumn)]
    if len(texts) != 1:
        raise BadData(
            f"A text classifier reads one column of documents; here are {len(texts)}: {listed(texts)}. Leave "
            "the others out."
        )
    return {texts[0]: columns.coded(texts[0]).values()}


def reads_documents(model: Any) -> bool:
    """Whether this is a classifier of text."""
    return any(base.__name__ == "TextNaiveBayes" for base in type(model).__mro__)


def text_columns(model: Any) -> list[Name]:
    """Features whose values are text: in a file they must not be taken for numbers."""
    names = list(feature_names(model))
    if reads_documents(model):
        return names
    known = set(text_names(known_states(model).values()))
    return [name for name in names if name in known]


def known_states(model: Any) -> dict[Name, Variable]:
    """The features that were counted, with the states that were seen."""
    statistics = model.statistics_
    return axes_of(statistics) if isinstance(statistics, Statistics) else {}


def feature_names(model: Any) -> tuple[Name, ...]:
    """The columns that a classifier learned from."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise BadData(
            f"This {type(model).__name__} learned from an array without names, so columns of a file can not "
            "be matched with its features. Learn from a table with names."
        )
    return tuple(names.tolist())
