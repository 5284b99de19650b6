"""A table with a target column: the rows that have a class, and what can not be a class explained."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, UnknownVariable
from bayou.estimators.table_input import taken_column
from bayou.estimators.target import label_array
from bayou.schema import is_missing, natural_order, plain, state_key
from bayou.sources import Columns, NumberColumn, read_columns
from bayou.typing import IntArray, Name, State

_MANY_CLASSES = 50
_ROWS_A_CLASS = 5


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Features and the class of each row; ``left_out`` counts the rows that had no label.

    ``kept`` says which rows of the data these are.
    """

    features: Columns
    labels: tuple[State, ...]
    target: Name
    kept: IntArray
    left_out: int = 0

    @property
    def rows(self) -> int:
        """The number of labelled rows."""
        return len(self.labels)

    @property
    def classes(self) -> tuple[State, ...]:
        """The classes, sorted."""
        return natural_order({state_key(label): label for label in self.labels}.values())

    @property
    def label_array(self) -> npt.NDArray[Any]:
        """The labels as scikit-learn wants them."""
        return label_array(self.labels)

    def taken(self, rows: npt.NDArray[np.intp]) -> LabelledRows:
        """Some of the rows; states that none of them has are forgotten."""
        labels = tuple(self.labels[row] for row in rows.tolist())
        return LabelledRows(taken_rows(self.features, rows), labels, self.target, self.kept[rows])

    def table(self) -> Columns:
        """Features and target as one table."""
        column = read_columns({self.target: list(self.labels)})[self.target]
        features = self.features
        return Columns(
            [*features.names, self.target], [*(features[name] for name in features.names), column], self.rows
        )


def taken_rows(columns: Columns, rows: npt.NDArray[np.intp]) -> Columns:
    """Some rows of a table."""
    return Columns(columns.names, [taken_column(columns[name], rows) for name in columns.names], len(rows))


def read_labelled(data: Any, target: Any, ignore: Collection[Name] = ()) -> LabelledRows:
    """Read a table whose column ``target`` holds the classes (or ``target`` is a sequence of labels).

    >>> rows = read_labelled({"wind": ["weak", "strong", "weak"], "play": ["yes", "no", None]}, "play")
    >>> rows.rows, rows.left_out, rows.classes
    (2, 1, ('no', 'yes'))
    """
    table = _table(data)
    for name in ignore:
        if name not in table:
            raise UnknownVariable.named(name, table.names, "to ignore")
    name, values = _target_values(table, target)
    features = [n for n in table.names if n not in ignore and not (n == name and isinstance(target, str))]
    if not features:
        raise BadData(f"The table has no column beside the target {name!r}: there is nothing to learn from.")
    kept: IntArray = np.flatnonzero([not is_missing(value) for value in values])
    columns = Columns(features, [table[n] for n in features], table.rows)
    left_out = table.rows - len(kept)
    labels = tuple(values[row] for row in kept.tolist())
    chosen = columns if not left_out else taken_rows(columns, kept)
    labelled = LabelledRows(chosen, labels, name, kept, left_out)
    _check_classes(labelled)
    return labelled


def _table(data: Any) -> Columns:
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.names is None:
        return read_columns(data, columns=[f"x{place}" for place in range(data.shape[1])])
    return read_columns(data)


def _target_values(table: Columns, target: Any) -> tuple[Name, Sequence[State]]:
    if target is None:
        raise BadData(f"Say which column holds the class: target=…; the columns are {_names(table)}.")
    if isinstance(target, str):
        if target not in table:
            raise UnknownVariable.named(target, table.names, "in the data")
        column = table[target]
        _refuse_quantity(target, column)
        return target, (column.coded() if isinstance(column, NumberColumn) else column).values()
    values = [plain(value) for value in np.asarray(target).tolist()]
    if len(values) != table.rows:
        raise BadData(f"The table has {table.rows} rows and the target {len(values)} labels.")
    name = getattr(target, "name", None)
    name = name if isinstance(name, str) else "class"
    while name in table:
        name = f"{name}'"
    _refuse_quantity(name, read_columns({name: values})[name])
    return name, values


def _names(table: Columns) -> str:
    return ", ".join(repr(name) for name in table.names[:12])


def _refuse_quantity(name: Name, column: Any) -> None:
    """A target of measured numbers asks for regression, which classifiers do not do."""
    if not isinstance(column, NumberColumn):
        return
    seen = column.values[~np.isnan(column.values)]
    distinct = len(np.unique(seen))
    if column.integral and (distinct <= _MANY_CLASSES or len(seen) >= _ROWS_A_CLASS * distinct):
        return
    what = "whole numbers" if column.integral else "numbers, some with fractions"
    raise BadData(
        f"The target {name!r} holds {distinct:,} different {what}: a quantity, not classes. A classifier "
        f"predicts classes: cut the column into ranges first ('low', 'high'), or learn a network in which "
        f"{name!r} is continuous and ask it for the mean."
    )


def _check_classes(labelled: LabelledRows) -> None:
    name = labelled.target
    if not labelled.rows:
        raise BadData(f"No row has a value in the target column {name!r}: there is nothing to learn from.")
    classes = labelled.classes
    if len(classes) == 1:
        raise BadData(
            f"The target {name!r} has one class only, {classes[0]!r}, in all {labelled.rows:,} rows with a "
            "label: there is nothing to tell apart."
        )
