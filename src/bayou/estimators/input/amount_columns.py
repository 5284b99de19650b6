"""Columns of text that spell numbers with marks, such as money and percentages: an estimator notes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayou.sources import Columns
from bayou.sources.tables.columns import SpelledNumbers
from bayou.typing import Name


def note_amounts(estimator: Any, table: Columns, names: Sequence[Name]) -> None:
    """Let an estimator know which columns had such texts, with the first of each: ``amount_features_``.

    There is no such attribute without any. Exports need it: databases do not read these texts as numbers.
    """
    found = {}
    for name in names:
        column = table[name]
        if isinstance(column, SpelledNumbers):
            found[name] = next((str(label) for label in column.written.labels), "$1")
    if found:
        estimator.amount_features_ = found
