"""Floor 1: the names of variables and the values that they take."""

from __future__ import annotations

from bayou.schema.intervals import Cuts, Interval
from bayou.schema.labelled import labelled
from bayou.schema.schema import Schema
from bayou.schema.states import is_missing, is_number, label, natural_order, plain, state_key, state_labels
from bayou.schema.variable import Variable, text_names

__all__ = [
    "Cuts",
    "Interval",
    "Schema",
    "Variable",
    "is_missing",
    "is_number",
    "label",
    "labelled",
    "natural_order",
    "plain",
    "state_key",
    "state_labels",
    "text_names",
]
