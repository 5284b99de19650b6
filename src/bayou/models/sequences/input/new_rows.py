"""Rows that a model of sequences is asked about, in the codes of its variables; unseen values are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.schema import Variable, text_names
from bayou.sources import Columns, IfPresent, discretised, read_columns
from bayou.sources.batches import code_missing, recoded
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name

_SHOWN = 5
"""The number of unseen values that a warning names."""


def read_new_rows(data: Any, variables: Sequence[Variable], keys: Sequence[Name]) -> Columns:
    """Read the columns of these variables, of which some may be absent, and all of the keys."""
    wanted = dict.fromkeys([*keys, *(variable.name for variable in variables)])
    table = read_columns(data, names=IfPresent(wanted), as_text=text_names(variables))
    for key in keys:
        if key not in table:
            raise UnknownVariable.named(key, read_columns(data).names, "in the data")
    if variables and not any(variable.name in table for variable in variables):
        raise BadData.lacks([variable.name for variable in variables], read_columns(data).names)
    return discretised(table, variables)


def coded_new_rows(table: Columns, variables: Sequence[Variable]) -> Batch:
    """All rows of a table in the codes of these variables; one warning names the values never seen.

    >>> from bayou.sources import read_columns
    >>> coded_new_rows(read_columns({"A": ["y", "n"]}), [Variable("A", ["n", "y"])]).codes["A"].tolist()
    [1, 0]
    """
    codes: dict[Name, CodeArray] = {}
    numbers: dict[Name, FloatArray] = {}
    unseen: list[str] = []
    for variable in variables:
        name = variable.name
        if name not in table:
            code_missing(variable, table.rows, codes, numbers)
        elif variable.is_text:
            numbers[name] = table.texts(name)
        elif variable.is_continuous:
            values, texts = table.seen_numbers(name)
            numbers[name] = np.asarray(values, dtype=np.float64)
            if texts:
                unseen.append(f"{name!r} has a text among its numbers in {texts} of {table.rows} rows")
        else:
            column = table.coded(name)
            codes[name], rows = recoded(variable, column)
            if len(rows):
                values_ = [column.labels[code] for code in np.unique(column.codes[rows])]
                shown = listed(values_[:_SHOWN]) + (", …" if len(values_) > _SHOWN else "")
                unseen.append(f"{name!r} has {shown} in {len(rows)} of {table.rows} rows")
    if unseen:
        warn_user(f"Values that the model has never seen count as missing: {'; '.join(unseen)}.")
    return Batch(table.rows, codes, numbers)
